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
from minleak.samples._measures import Bracket
from minleak.samples._plug_in import JointCounts
from minleak.samples._told import tell_audit, tell_success, tell_verdict


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
        return tell_verdict(self)

    @property
    def width(self) -> float:
        """From the lower end of `success` to the upper, or to the estimate where there is no upper."""
        top = self.success.estimate if self.success.high is None else self.success.high
        return top - (self.success.low or 0.0)

    @property
    def headline(self) -> str:
        """Success in one guess, in a line."""
        return tell_success(self)

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
        return tell_audit(self)
