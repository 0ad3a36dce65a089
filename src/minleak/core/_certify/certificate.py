"""Certificate: what was checked, what that proves and how far from the optimum a plan or channel is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._labels import Labels, agree, bytes_of_names
from minleak.core._plan.drawable import Listed
from minleak.core._prior import Prior
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter

# What the gaps are that no entropy names.
_GAPS = {
    "prior": "total variation between the prior and the plan's integer weights",
    "posterior": "largest total variation between a posterior and pi",
}
# The entropies of the paper's theorem, and of its extension to matroids.
EVERY_ENTROPY = "in any symmetric, expansible, core-concave entropy"
# Steps from slot to slot that finding a label may take on average, and in all besides: about two are usual.
_STEPS, _MORE = 64, 1 << 24


@dataclass(frozen=True)
class Check(Result):
    """One thing that was checked, `what`; `ok` if it holds; and a word on it, `detail`. Where one of the `optimality`
    fails, what was checked may still be valid: others may leak less, and no more than is said leaks.
    """

    what: str
    ok: bool
    detail: str = ""
    optimality: bool = False


@dataclass(frozen=True)
class Certificate(Result):
    """`ok` if every one of the `checks` holds; `valid` if every one but those of optimality does: the plan then hides
    what it says that it hides, and whether another would leak less is not proved. `exact` tells whether all was checked
    in integers and Fractions.

    `gaps` are distances from the optimum: for a channel "posterior" (the largest total variation of a posterior to pi)
    and the leakage above the least possible in each entropy asked for; for a plan "prior" (its distance on the grid).
    `claim` is what the checks prove together. `own_prior` tells whether it is proved for the prior that the plan holds,
    because none was given to compare that with.
    """

    ok: bool
    exact: bool
    checks: tuple[Check, ...]
    gaps: dict[str, float] = field(default_factory=dict)
    claim: str = ""
    own_prior: bool = False

    reported = ("valid",)

    @classmethod
    def of(cls, claim: str, checks: list[Check], *, exact: bool, gaps: dict[str, float] | None = None) -> Certificate:
        """The certificate of these checks."""
        return cls(all(check.ok for check in checks), exact, tuple(checks), gaps or {}, claim)

    def __bool__(self) -> bool:
        return self.ok

    @property
    def valid(self) -> bool:
        """Whether every check holds but those of optimality."""
        return all(check.ok or check.optimality for check in self.checks)

    def to_parts(self) -> list[str | Table]:
        how = "exactly" if self.exact else "in floats"
        rows = [["ok" if c.ok else "NO", f"{c.what}: {c.detail}" if c.detail else c.what] for c in self.checks]
        verdict = "certified" if self.ok else "valid, but NOT certified as optimal" if self.valid else "NOT certified"
        own = "the prior is the plan's own: give yours to have it compared"
        return [
            f"{verdict}, {how}" if self.ok else f"{verdict} (checked {how})",
            *([f"{'proved' if self.ok else 'not proved'}: {self.claim}"] if self.claim else []),
            *([own] if self.own_prior else []),
            *([Table("", (), rows)] if rows else []),
            *(f"{_name_gap(name)}: {value:.3g}" for name, value in self.gaps.items()),
        ]


@singledispatch
def certificate_of(
    plan: Any, prior: Any, *, k: int | None, gains: Any, measures: Sequence[ConditionalEntropy]
) -> Certificate:
    """The certificate of a plan, for its own prior where none is given. Each class registers how it is certified."""
    del prior, k, gains, measures
    raise InvalidParameter(f"a plan must be of a kind that has certificates; got {type(plan).__name__}")


def _name_gap(name: str) -> str:
    """What a gap is, in words; those of a lineage are named by their part too."""
    if name.startswith("part "):
        part, _, name = name.partition(", ")
        return f"{part}: {_name_gap(name)}"
    return _GAPS.get(name, f"leakage above the least possible in {name}")


def check_secrets(plan: Listed, prior: Prior) -> Check:
    """The plan and the prior have the same secrets in the same order."""
    same = plan.prior is prior or agree(plan.prior.labels, prior.labels)
    sizes = f"the plan lists {len(plan.prior):,}, the prior {len(prior):,}"
    return Check(
        "the secrets are the prior's",
        same,
        "" if same else f"the labels differ; {sizes}; give the counts of the design",
    )


def check_labels(plan: Listed, prior: Prior) -> Iterator[Check]:
    """The index of a file leads every label of the prior to its secret; nothing to check of a plan in memory."""
    from minleak.core._certify import counting as certifying

    labels: Labels = plan.prior.labels
    if plan.hashes is None:
        return
    found = prior.labels.is_default  # numbers from 0 on, which need no index
    if not labels.is_default:
        most = _STEPS * len(labels) + _MORE
        found = bool(certifying.labels_found(*bytes_of_names(labels.arrow), labels.slots, most))
    yield Check("the index of the file finds every label, once", found)


def in_proportion(ours: npt.NDArray[Any], our_total: int, theirs: npt.NDArray[Any], their_total: int) -> bool:
    """Whether integer weights are the same shares of their totals, exactly and however large they are."""
    if ours is theirs:
        return True
    common = math.gcd(our_total, their_total)
    our_total, their_total = our_total // common, their_total // common
    if our_total == their_total:
        return bool(np.array_equal(ours, theirs))
    if max(our_total, their_total) >= 2**63:
        ours, theirs = ours.astype(object), theirs.astype(object)
    # a * their_total = b * our_total, without products: the two totals have no common divisor
    whole = not (ours % our_total).any() and not (theirs % their_total).any()
    return whole and bool(np.array_equal(ours // our_total, theirs // their_total))
