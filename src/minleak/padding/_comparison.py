"""compare: each policy, and fresh noise, beside the best padding of the same cost, in every entropy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._channel import Channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import STANDARD, as_entropies
from minleak.core._leakage import leakage_table
from minleak.core._parameters import truth
from minleak.core._prior import Prior
from minleak.core._progress import Progress, no_progress
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.padding._limits import Limits, Overheads
from minleak.padding._make import design_buckets
from minleak.padding._policies import POLICIES, RELATIVE, AppliedPolicy, Policy, apply_policies
from minleak.padding._result import Padding
from minleak.padding._size_classes import SizeClasses, as_size_classes
from minleak.padding._told import tell_comparison

# Noise adds up to twice this share of the mean size. It is compared for this many sizes at most, since it takes a
# matrix, and has washed out when a guess succeeds this share as often as without padding, in so many simulated secrets.
_NOISE, _NOISY, _WASHED_OUT, _TRIALS, _MOST_LOOKS = 0.05, 4000, 0.95, 4000, 1 << 30


@dataclass(frozen=True)
class PolicyComparison(Result):
    """A `policy`, and for each entropy the `best` buckets of the same overhead. `cost` names that overhead: "budget"
    (mean bytes) or "relative".
    """

    policy: AppliedPolicy
    cost: str
    best: tuple[Padding, ...]


@dataclass(frozen=True)
class PaddingComparison(Result):
    """Policies and the best paddings of the same overheads (`rivals`) in some `entropies`; `mean` is the mean size."""

    entropies: tuple[str, ...]
    mean: float
    rivals: tuple[PolicyComparison, ...]

    def to_parts(self) -> list[str | Table]:
        return tell_comparison(self)


def compare(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    entropies: Sequence[ConditionalEntropy | str] = STANDARD[:3],
    policies: Mapping[str, Policy] | None = None,
    capped: bool = False,
    floor: int = 1,
    progress: Progress | None = None,
) -> PaddingComparison:
    """For each policy its overhead and leakage, and for each entropy the best padding of no larger mean overhead: in
    bytes, or relative to each object for the policies made that way (Padmé, powers, NIP-44).

    A policy is a function from an array of sizes to sizes nowhere smaller, such as a `SizeTable`. By default the common
    ones and, for at most 4,000 different sizes, noise that is drawn anew for each look: uniform, 5% of all bytes, with
    the number of looks after which it has washed out. With `capped` the best paddings also add to no object more than
    the largest share that the policy adds; with a `floor` their buckets have at least that many secrets, and `design`
    refuses a policy whose overhead does not allow it. The best buckets never leak more than a policy that keeps the
    order of sizes. `progress` is called with the designs done, their number and the next one's policy and entropy.

    >>> from minleak.padding import to_multiple
    >>> fours = {"fours": lambda sizes: to_multiple(sizes, 4)}
    >>> print(compare([3, 4, 5, 6, 9, 12], entropies=["shannon"], policies=fours))
    policy  in all    mean    median  worst   entropy    leaks   buckets     bound  less by  smallest class
    fours   23.08% *  26.67%  33.33%  60.00%  shannon  1.58496  0.918296  0.918296  42.1%    2 -> 2
    * the overhead at which the buckets are the best
    """
    classes = as_size_classes(sizes, prior)
    measures, report = as_entropies(entropies), progress or no_progress
    chosen = POLICIES if policies is None else policies
    applied = list(apply_policies(classes, chosen, measures))
    if policies is None and len(classes.sizes) <= _NOISY:
        applied.append(_apply_noise(classes, measures))
    rivals: list[PolicyComparison] = []
    for found in applied:
        policy, overheads = chosen.get(found.name), found.overheads
        cost = "relative" if policy in RELATIVE and classes.sizes[0] > 0 else "budget"
        given: dict[str, Any] = {cost: overheads.relative if cost == "relative" else overheads.mean, "floor": floor}
        if truth(capped, "capped") and overheads.worst < math.inf:
            given["most"] = overheads.worst
        limits, known = Limits(**given), _buckets_of(policy, classes)
        best: list[Padding] = []
        for H in measures:
            steps = len(applied) * len(measures)
            report(len(rivals) * len(measures) + len(best), steps, f"{found.name}, {H.name}")
            best.append(design_buckets(classes, H, limits, known=known))
        rivals.append(PolicyComparison(found, cost, tuple(best)))
    return PaddingComparison(tuple(H.name for H in measures), classes.mean, tuple(rivals))


def _buckets_of(policy: Policy | None, classes: SizeClasses) -> Indices | None:
    """The classes that the buckets of a policy end before; None if it does not keep the order of sizes."""
    if policy is None:
        return None
    steps = np.diff(np.asarray(policy(classes.sizes.astype(classes.natural.dtype))))
    return np.append(np.flatnonzero(steps) + 1, len(classes.sizes)) if (steps >= 0).all() else None


# -- noise -----------------------------------------------------------------------------------------------------------


def _apply_noise(classes: SizeClasses, entropies: Sequence[ConditionalEntropy]) -> AppliedPolicy:
    """What uniform noise costs, leaks at one look, and when it has washed out. Observed sizes between two at which the
    set of possible secrets changes have the same posterior, and are merged.
    """
    import scipy.sparse as sp

    prior, natural, width = classes.prior, classes.natural, noise_width(classes)
    sizes, of = np.unique(natural.astype(np.float64), return_inverse=True)
    edges = np.union1d(sizes, sizes + width)
    begins, ends = np.searchsorted(edges, sizes), np.searchsorted(edges, sizes + width)
    starts = np.append(0, np.cumsum(ends - begins))
    columns = np.arange(starts[-1]) - np.repeat(starts[:-1] - begins, ends - begins)
    rows = sp.csr_array((np.diff(edges)[columns] / width, columns, starts), shape=(len(sizes), len(edges) - 1))
    matrix = rows[of]
    secrets = (matrix[prior.p > 0] > 0).sum(axis=0)  # that each observable may come from
    table = leakage_table(prior, Channel(matrix, inputs=prior.labels), entropies)
    padded, largest = natural + (width - 1) / 2, natural + width - 1
    return AppliedPolicy(
        name=f"random, uniform, {_NOISE:.0%}",
        overheads=Overheads.of(natural, prior.p, padded, largest=largest),
        observables=int((secrets > 0).sum()),
        smallest_class=int(secrets[secrets > 0].min()),
        leakage=tuple(row.leakage for row in table.rows),
        looks=_looks(classes),
    )


def noise_width(classes: SizeClasses) -> int:
    """The number of sizes that noise shows each size as."""
    return math.floor(2 * _NOISE * classes.mean) + 1


def _looks(classes: SizeClasses) -> int | None:
    """The least number of looks after which a guess succeeds nearly as often as without padding; None if it is huge."""
    wanted, high = _WASHED_OUT * float(_heaviest(classes).sum()), 1
    while noise_success(classes, high) < wanted:
        high *= 2
        if high > _MOST_LOOKS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if noise_success(classes, middle) >= wanted else (middle, high)
    return high


def noise_success(classes: SizeClasses, looks: int) -> float:
    """The success of one guess after so many looks, simulated: the smallest and the largest of them are sufficient, and
    leave an interval of sizes.
    """
    rng, width, sizes = np.random.default_rng(0), noise_width(classes), classes.sizes
    true = sizes[np.searchsorted(classes.mass[1:-1], rng.random(_TRIALS) * classes.mass[-1], side="right")]
    largest = rng.random(_TRIALS) ** (1 / looks)
    least = largest * (1 - rng.random(_TRIALS) ** (1 / (looks - 1))) if looks > 1 else largest
    low = np.searchsorted(sizes, true + np.floor(width * largest) - width + 1)
    high = np.searchsorted(sizes, true + np.floor(width * least), side="right")
    top, mass = _heaviest(classes), classes.mass[high] - classes.mass[low]
    return float(np.mean([top[a:b].max() for a, b in zip(low.tolist(), high.tolist(), strict=True)] / mass))


def _heaviest(classes: SizeClasses) -> Array:
    """The probability of the likeliest secret of each size."""
    return np.asarray(np.maximum.reduceat(classes.prior.p[classes.members], classes.ends[:-1]))
