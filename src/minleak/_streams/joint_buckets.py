"""The best contiguous buckets of sizes for a secret that has a law of sizes, from a table of secrets by sizes.

The observable is the bucket of the size, so that a bucket's column of the joint is the sum of the columns of its sizes,
and H(X|Y) = eta(sum over buckets of Fhat(column)). Under a price on the overhead the best buckets are found exactly by
dynamic programming over their ends, for every number of buckets at once; the price is bisected, and every price proves
a bound for all buckets within the budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._entropy.base import Entropy

# Prices that are tried between the best buckets within the budget and those beyond.
_BISECTIONS = 30
# Overheads that are the same up to rounding are the same, and so are values.
_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class JointBuckets:
    """Bucket b has the sizes before cuts[b] that are in none before it. `posterior` is H(X|Y) of their buckets, and no
    contiguous buckets within the budget, at most so many, have a larger one than `most`.
    """

    cuts: Indices
    overhead: float
    posterior: float
    most: float


def best_joint_buckets(
    joint: Array, sizes: Array, entropy: Entropy, *, budget: float, buckets: int
) -> JointBuckets | None:
    """The largest H(X|Y) for a joint of secrets by increasing sizes whose mean overhead is at most `budget`, with at
    most so many buckets; None if no buckets are within it. O(buckets m^2) for each price and m sizes, and m^2 columns.

    >>> import numpy as np
    >>> from minleak._entropy.renyi import Shannon
    >>> joint = np.array([[3, 1, 0, 2], [1, 3, 2, 0]]) / 12
    >>> best_joint_buckets(joint, np.array([1, 2, 5, 6]), Shannon(), budget=1.0, buckets=2).cuts
    array([2, 4])
    """
    m = joint.shape[1]
    value, overhead = _tables(joint, np.asarray(sizes, dtype=np.float64), entropy)
    limit = min(buckets, m)

    def solve(price: float) -> tuple[Indices, float, float, float]:
        """Cuts, their overhead and value, and value - price * overhead, the largest that there is."""
        ends = _best_ends(value - price * overhead, limit)
        starts = np.append(0, ends[:-1])
        spent, worth = float(overhead[starts, ends].sum()), float(value[starts, ends].sum())
        return ends, spent, worth, worth - price * spent

    def told(worth: float) -> float:
        return entropy.eta(worth if entropy.increasing else -worth)

    allowed = budget + _TOLERANCE * max(1.0, abs(budget))
    best = solve(0.0)
    most = best[2]
    if best[1] > allowed:
        low, high, cheap = 0.0, 1.0, best
        cheapest = _best_ends(-overhead, limit)
        least = float(overhead[np.append(0, cheapest[:-1]), cheapest].sum())
        if least > allowed:
            return None
        while (cheap := solve(high))[1] > allowed:
            low, high = high, 4 * high
            if high > 1e18:  # values no longer count beside the overhead
                starts = np.append(0, cheapest[:-1])
                cheap = (cheapest, least, float(value[starts, cheapest].sum()), 0.0)
                break
        best = cheap
        for _ in range(_BISECTIONS):
            price = math.sqrt(low * high) if low > 0 else high / 4
            tried = solve(price)
            most = min(most, tried[3] + price * budget)
            if tried[1] <= allowed:
                high = price
                best = max(best, tried, key=lambda found: found[2])
            else:
                low = price
            if high - low <= 1e-9 * high:
                break
    return JointBuckets(best[0], best[1], told(best[2]), told(max(most, best[2])))


def _tables(joint: Array, sizes: Array, entropy: Entropy) -> tuple[Array, Array]:
    """[i, j] for the bucket of the sizes i to j - 1: Fhat of its column, larger where H(X|Y) is, and its overhead."""
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
