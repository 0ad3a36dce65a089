"""The best contiguous buckets of sizes for secrets whose sizes vary, from a joint of secrets by sizes.

The observable is the bucket of the size, so a bucket's column of the joint is the sum of the columns of its sizes, and
H(X|Y) = eta(sum over buckets of Fhat(column)). Under a price on the overhead the best buckets are found exactly by
dynamic programming over their ends, for every number of buckets at once. The price is bisected, and every price proves
a bound for all buckets within the budget.

`minleak.padding._buckets` solves the neighbouring problem: any number of buckets under caps and floors, for entropies
whose buckets are valued from a few numbers. Here the number of buckets is limited, and any sum of perspectives will do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._entropy.base import Entropy

# The most steps to find a price that keeps the budget, each of four times the last, and to bisect it.
_STEPS = 30
# Overheads, and values, that differ by less than this are equal up to rounding.
_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class JointBuckets:
    """Bucket b holds the sizes from cuts[b-1] to before cuts[b]. `posterior` is their H(X|Y), and no contiguous buckets
    within the budget, at most as many as allowed, have a larger one than `most`.
    """

    cuts: Indices
    overhead: float
    posterior: float
    most: float


def best_joint_buckets(
    joint: Array, sizes: Array, entropy: Entropy, *, budget: float, buckets: int
) -> JointBuckets | None:
    """Maximise H(X|Y) over at most `buckets` contiguous buckets of mean overhead <= budget, for a joint of secrets by m
    increasing sizes; None if there are none. O(buckets m^2) for each price, and m^2 columns.

    >>> import numpy as np
    >>> from minleak import Shannon
    >>> joint = np.array([[3, 1, 0, 2], [1, 3, 2, 0]]) / 12
    >>> best_joint_buckets(joint, np.array([1, 2, 5, 6]), Shannon(), budget=1.0, buckets=2).cuts
    array([2, 4])
    """
    value, overhead = _tables(joint, np.asarray(sizes, dtype=np.float64), entropy)

    def solve(price: float, use: float = 1.0) -> tuple[Indices, float, float]:
        """The cuts with the largest use * value - price * overhead, their overhead and value."""
        ends = _best_ends(use * value - price * overhead, min(buckets, joint.shape[1]))
        starts = np.append(0, ends[:-1])
        return ends, float(overhead[starts, ends].sum()), float(value[starts, ends].sum())

    def posterior(total: float) -> float:
        return entropy.eta(total if entropy.increasing else -total)

    allowed = budget + _TOLERANCE * max(1.0, abs(budget))
    best = solve(0.0)
    most = best[2]
    if best[1] > allowed:
        best = solve(1.0, use=0.0)
        if best[1] > allowed:
            return None
        low, high = 0.0, 1.0
        for _ in range(_STEPS):
            tried = solve(high)
            if tried[1] <= allowed:
                best = tried
                break
            low, high = high, 4 * high
        for _ in range(_STEPS):
            price = math.sqrt(low * high) if low > 0 else high / 4
            tried = solve(price)
            most = min(most, tried[2] + price * (budget - tried[1]))
            if tried[1] <= allowed:
                high, best = price, max(best, tried, key=lambda found: found[2])
            else:
                low = price
            if high - low <= 1e-9 * high:
                break
    return JointBuckets(best[0], best[1], posterior(best[2]), posterior(max(most, best[2])))


def _tables(joint: Array, sizes: Array, entropy: Entropy) -> tuple[Array, Array]:
    """[i, j] is for the bucket of the sizes i to j - 1: Fhat of its column, signed so that more is better, and its
    overhead.
    """
    n, m = joint.shape
    sums = np.concatenate([np.zeros((n, 1)), np.cumsum(joint, axis=1)], axis=1)
    mass = sums.sum(axis=0)
    load = np.append(0.0, np.cumsum(joint.sum(axis=0) * sizes))
    sign = 1.0 if entropy.increasing else -1.0
    value, overhead = np.zeros((m + 1, m + 1)), np.zeros((m + 1, m + 1))
    for i in range(m):
        ends = np.arange(i + 1, m + 1)
        value[i, ends] = sign * entropy._perspective(np.maximum(sums[:, ends] - sums[:, [i]], 0.0))
        overhead[i, ends] = np.maximum(sizes[ends - 1] * (mass[ends] - mass[i]) - (load[ends] - load[i]), 0.0)
    return value, overhead


def _best_ends(gain: Array, limit: int) -> Indices:
    """The ends of at most `limit` buckets with the largest sum of gain[start, end]; fewer where that is as good."""
    m = len(gain) - 1
    gain = np.where(np.triu(np.ones_like(gain, dtype=bool), k=1), gain, -np.inf)  # a bucket ends after its start
    reach = np.full(m + 1, -np.inf)
    reach[0] = 0.0
    starts, totals = [], []
    for _ in range(limit):
        through = reach[:, None] + gain
        start = through.argmax(axis=0)
        reach = through[start, np.arange(m + 1)]
        starts.append(start)
        totals.append(float(reach[m]))
    best = max(totals)
    count = next(b for b, total in enumerate(totals) if total >= best - _TOLERANCE * max(1.0, abs(best)))
    ends = [m]
    for b in range(count, 0, -1):
        ends.append(int(starts[b][ends[-1]]))
    return np.array(ends[::-1], dtype=np.int64)
