"""Audit: the leakage found in events, proven bounds first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minleak.core._channel import Channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import place
from minleak.core._labels import Labels
from minleak.core._prior import Prior
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter
from minleak.samples._charts import ObservedShares, curve_chart, seen_chart
from minleak.samples._looking import HeldOutEvents, LooksNeeded
from minleak.samples._measures import Bracket, shown_end
from minleak.samples._plug_in import JointCounts


@dataclass(frozen=True)
class Measured(Bracket):
    """A `measure` of leakage as a bracket; `low` and `high` are None where samples prove nothing."""

    measure: str


@dataclass(frozen=True)
class Audit(Result):
    """The leakage found in events. `success` is the chance that one guess is right given the observable, `blind`
    without it; `found["shannon"]` and so on are leakages. Each is a `Bracket` that holds with probability `level`, for
    itself.

    `events`, `secrets` and `observables` are their numbers; `rows` are the leakages.

    `p` is the p-value of zero leakage, by `permutations` of the secrets, in words `permuted`; `rejected` is whether it
    is at most `alpha`. `leak` is the answer in a word and `verdict` in a line: "yes" if rejected; "likely" if not, but
    a guess gains by the ends of `success` and `blind`; else "none found", which does not exclude a leak too small for
    these events to show. `warnings` are doubts about the events.

    `said` is how observables were interpreted, `attack` which attack led in the end, and `curve` how it did: a row of
    (events trained on, tests, share of right guesses) for each part. `enough` and `more` answer `enough=`: whether the
    bracket of `success` is narrow enough, and about how many more events it needs. `needed` is the answer of `looks`,
    where the command line was asked for it.
    """

    events: int
    secrets: int
    observables: int
    said: str
    attack: str
    success: Bracket
    blind: Bracket
    rows: tuple[Measured, ...]
    p: float
    alpha: float
    level: float
    permutations: int
    permuted: str
    warnings: tuple[str, ...]
    curve: tuple[tuple[int, int, float], ...]
    enough: bool | None
    more: int | None
    labels: Labels = field(repr=False, compare=False)
    joint: JointCounts | None = field(repr=False, compare=False)
    seen: ObservedShares = field(repr=False, compare=False)
    held_out: HeldOutEvents = field(repr=False, compare=False)
    needed: LooksNeeded | None = None

    reported = ("rejected", "leak", "verdict")
    charted = "what was seen, by secret"

    @property
    def rejected(self) -> bool:
        """Whether zero leakage is rejected."""
        return self.p <= self.alpha

    @property
    def leak(self) -> str:
        """Whether something leaks: "yes", "likely" or "none found"."""
        if self.rejected:
            return "yes"
        return "likely" if (self.success.low or 0.0) > (self.blind.high or 1.0) else "none found"

    @property
    def verdict(self) -> str:
        """The same in a line, with the test."""
        said = "is rejected" if self.rejected else "is not rejected"
        bounds = ""
        if self.leak == "likely":
            low, high = self.success.low, self.blind.high
            bounds = f"a guess is right at least {low:.4f}, a blind one at most {high:.4f}, but "
        return (
            f"leak: {self.leak}; {bounds}zero leakage {said} at the {self.alpha:g} level (p = {self.p:.3g}, "
            f"{self.permuted})"
        )

    @property
    def width(self) -> float:
        """From the lower end of `success` to the upper, or to the estimate where there is no upper."""
        top = self.success.estimate if self.success.high is None else self.success.high
        return top - (self.success.low or 0.0)

    @property
    def headline(self) -> str:
        """Success in one guess, in a line."""
        s, level = self.success, f"{100 * self.level:g}%"
        top = "no upper bound without an assumption" if s.high is None else f"at most {s.high:.4f}"
        return (
            f"one guess is right: at least {s.low:.4f}, {top} ({level}); estimate {s.estimate:.4f}, "
            f"blind {self.blind.estimate:.4f} ({self.blind.low:.4f} to {self.blind.high:.4f})"
        )

    @property
    def prior(self) -> Prior:
        """The prior as counted, to design a countermeasure for."""
        return Prior(self.seen.secrets, labels=list(self.labels))

    def channel(self) -> Channel:
        """The channel as counted, to design a countermeasure on. Discrete or whole observables only; for others design
        on sizes or quantiles, see the how-to on samples.
        """
        import scipy.sparse as sp

        if self.joint is None:
            raise InvalidParameter(
                "numbers that are not whole have no counts: round them, or bin them, and audit again"
            )
        joint = self.joint
        rows = np.bincount(joint.x, weights=joint.counts)
        matrix = sp.coo_array((joint.counts / rows[joint.x], (joint.x, joint.y)), shape=joint.shape)
        return Channel(matrix, inputs=list(self.labels), tolerance=1e-6)

    def looks(self, success: float, *, seed: int = 0) -> LooksNeeded:
        """The number of independent looks at one secret after which the attack is right with this probability.

        The attack was trained on the first half of the events, and the looks are drawn from the other half, so that
        noise it was fitted to does not count. A better attack needs fewer.

        >>> import numpy as np, minleak as ml
        >>> x = np.random.default_rng(1).integers(0, 2, 4000)
        >>> ml.audit(x, x + np.random.default_rng(2).normal(0, 2, 4000)).looks(0.9).looks     # with the true law 27
        32
        """
        return self.held_out.looks(success, seed)

    def chart(self) -> Any:
        """Observables by secret, as an altair chart (needs the extra `report`)."""
        return seen_chart(self.seen)

    def curve_chart(self) -> Any:
        """Success against the number of training events, as an altair chart (needs the extra `report`)."""
        return curve_chart(self.curve, self.success, self.blind)

    def __getitem__(self, measure: ConditionalEntropy | str) -> Measured:
        return self.rows[place([row.measure for row in self.rows], measure)]

    def to_parts(self) -> list[str | Table]:
        rows = [[row.measure, shown_end(row.low), row.estimate, shown_end(row.high)] for row in self.rows]
        return [
            self.verdict,
            self.headline,
            f"{self.events:,} events of {self.secrets:,} secrets, {self.observables:,} observables, {self.said}; "
            f"attack: {self.attack}",
            Table("", ["leakage", "at least", "estimate", "at most"], rows),
            *(f"warning: {warning}" for warning in self.warnings),
            *([] if self.enough is None else [self.enough_text]),
            *([] if self.needed is None else self.needed.to_parts()),
        ]

    @property
    def enough_text(self) -> str:
        """The answer to `enough=` in words."""
        if self.enough:
            return f"the bracket is {self.width:.4f} wide: enough"
        return f"the bracket is {self.width:.4f} wide: about {self.more:,} more events are needed"
