"""compare: each policy beside the best padding of the same cost, in every entropy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import STANDARD, as_entropies
from minleak.core._parameters import truth
from minleak.core._prior import Prior
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.padding._make import design
from minleak.padding._noise import Noise
from minleak.padding._overheads import COLUMNS
from minleak.padding._policies import NOISES, POLICIES, RELATIVE, AppliedPolicy, Policy, apply_policies
from minleak.padding._result import Padding
from minleak.padding._size_classes import as_size_classes

# The most sizes for which noise is compared by default.
_NOISY = 4000


@dataclass(frozen=True)
class PolicyComparison(Result):
    """A `policy`, and for each entropy the `best` buckets of the same overhead, and the best `randomised` padding if
    asked for. `cost` names that overhead: "budget" (mean bytes) or "relative". A `noisy` policy draws anew for each
    look.
    """

    policy: AppliedPolicy
    cost: str
    best: tuple[Padding, ...]
    randomised: tuple[Padding, ...]
    noisy: bool = False


@dataclass(frozen=True)
class PaddingComparison(Result):
    """Policies and the best paddings of the same overheads (`rivals`) in some `entropies`; `mean` is the mean size."""

    entropies: tuple[str, ...]
    mean: float
    rivals: tuple[PolicyComparison, ...]

    def to_parts(self) -> list[str | Table]:
        random = [] if not self.rivals[0].randomised else ["random"]
        noisy = any(rival.noisy for rival in self.rivals)
        columns = ["policy", *COLUMNS[:4], "entropy", "leaks", "buckets", "bound", *random, "less by", "smallest class"]
        columns += ["looks"] * noisy
        rows = []
        for rival in self.rivals:
            cells = rival.policy.overheads.to_cells()[:4]
            cells[rival.cost == "relative"] += " *"
            for i, name in enumerate(self.entropies):
                ours, theirs = rival.best[i], rival.policy.leakage[i]
                leaks = [theirs, ours.leakage, ours.bound, *(best.leakage for best in rival.randomised[i : i + 1])]
                less = 1 - ours.leakage / theirs if theirs > 0 else 0.0
                classes = f"{rival.policy.smallest_class} -> {ours.smallest_class}"
                looks = ("never" if rival.policy.looks is None else rival.policy.looks) if rival.noisy else ""
                rows.append([rival.policy.name, *cells, name, *leaks, f"{less:.1%}", classes, *[looks] * noisy])
        parts: list[str | Table] = [Table("", columns, rows), "* the overhead at which the buckets are the best"]
        if noisy:
            parts.append("looks: after so many at fresh noise one guess is right 95% as often as without padding")
        return parts


def compare(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    entropies: Sequence[ConditionalEntropy | str] = STANDARD[:3],
    policies: Mapping[str, Policy | Noise] | None = None,
    capped: bool = False,
    floor: int = 1,
    randomised: bool = False,
) -> PaddingComparison:
    """For each policy its overhead and leakage, and for each entropy the best padding of no larger mean overhead: in
    bytes, or relative to each object for the policies made that way (Padmé, powers, NIP-44).

    A policy is a function from an array of sizes to sizes nowhere smaller, such as a `SizeTable`, or noise that is
    drawn anew for each look: `UniformNoise`, `GeometricNoise` or `RandomTotal`. By default the common ones, with
    noise for at most 4,000 different sizes. With `capped` the best paddings also add to no object more than the largest
    share that the policy adds; with a `floor` their buckets have at least that many secrets, and `design` refuses a
    policy whose overhead does not allow it. The best buckets never leak more than a policy that keeps the order of
    sizes.

    >>> from minleak.padding import to_multiple
    >>> fours = {"fours": lambda sizes: to_multiple(sizes, 4)}
    >>> print(compare([3, 4, 5, 6, 9, 12], entropies=["shannon"], policies=fours))
    policy  in all    mean    median  worst   entropy    leaks   buckets     bound  less by  smallest class
    fours   23.08% *  26.67%  33.33%  60.00%  shannon  1.58496  0.918296  0.918296  42.1%    2 -> 2
    * the overhead at which the buckets are the best
    """
    truth(randomised, "randomised")
    classes = as_size_classes(sizes, prior)
    measures = as_entropies(entropies)
    rivals = []
    if policies is None:
        policies = {**POLICIES, **(NOISES if len(classes.sizes) <= _NOISY else {})}
    for applied in apply_policies(classes, policies, measures):
        overheads, relative = applied.overheads, policies[applied.name] in RELATIVE and classes.sizes[0] > 0
        limits: dict[str, Any] = {"relative": overheads.relative} if relative else {"budget": overheads.mean}
        limits["most"] = overheads.worst if truth(capped, "capped") and overheads.worst < math.inf else None
        within = partial(design, classes.natural, classes.prior, **limits)
        best = tuple(within(entropy=H, floor=floor) for H in measures)
        random = tuple(within(entropy=H, randomised=True) for H in measures) if randomised else ()
        noisy = isinstance(policies[applied.name], Noise)
        rivals.append(PolicyComparison(applied, next(iter(limits)), best, random, noisy))
    return PaddingComparison(tuple(H.name for H in measures), classes.mean, tuple(rivals))
