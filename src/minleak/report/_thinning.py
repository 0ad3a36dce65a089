"""Curves over any number of secrets, thinned for charts: bins that say what they hold, and exact points between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak.core._arrays import Array

# Ranks that are always shown one by one, and the bins that the ranks after them are put in.
SINGLE = 60
BINS = 120


@dataclass(frozen=True)
class RankBin:
    """The secrets of ranks first..last (1 is the likeliest): their largest, mean and least probability."""

    first: int
    last: int
    highest: float
    mean: float
    lowest: float


def spaced(n: int, count: int) -> tuple[int, ...]:
    """At most about `count` whole numbers from 1 to n, both ends among them: all if they are few, else in proportion.

    >>> spaced(5, 10), spaced(1000, 4)
    ((1, 2, 3, 4, 5), (1, 10, 100, 1000))
    """
    if n <= count:
        return tuple(range(1, n + 1))
    return tuple(sorted({round(x) for x in np.geomspace(1, n, count).tolist()}))


def rank_bins(descending: Array) -> tuple[RankBin, ...]:
    """Probabilities, largest first, as bins over ranks: the first alone, the others in bins that grow in proportion.

    Every entry is in exactly one bin.

    >>> [(bin.first, bin.last) for bin in rank_bins(np.array([0.5, 0.3, 0.2]))]
    [(1, 1), (2, 2), (3, 3)]
    """
    n = len(descending)
    edges = list(range(min(n, SINGLE) + 1))
    if n > SINGLE:
        later = np.unique(np.round(np.geomspace(SINGLE, n, BINS + 1)).astype(np.int64))
        edges += later[1:].tolist()
    sums = np.add.reduceat(descending, edges[:-1])
    return tuple(
        RankBin(a + 1, b, float(descending[a]), float(total / (b - a)), float(descending[b - 1]))
        for a, b, total in zip(edges[:-1], edges[1:], sums, strict=True)
    )
