"""The giants, which are in every set; the input and the result of a layout, which lays the other secrets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._labels import Labels
from minleak.core._plan.distances import Cost
from minleak.core._plan.rings import Homes, Ring
from minleak.core._prior import Grid
from minleak.core._progress import Progress, no_progress
from minleak.groups._tiers import TierCaps

# Weights are searched in blocks of this many, whose largest are compared first.
_BLOCK = 256


@dataclass(frozen=True)
class Giants:
    """j* of the paper: `members` are the first j*-1 secrets, largest first; u places are left, for the weight
    `rest_weight`.
    """

    members: Indices
    u: int
    rest_weight: int


def find_giants(weights: Indices, total: int, k: int) -> Giants:
    """The least j in 1..k with w_j (k-j+1) <= w_j + ... + w_n, weights sorted non-increasingly; exact integers.

    Only the k largest weights are looked at: O(n) to select them, O(k log k) to sort them. Secrets beyond the n-th
    count as weight zero, so k may exceed n; if at most k weights are positive, all of these are giants.
    """
    top = _largest(weights, k)
    top = top[np.lexsort((top, -weights[top]))]  # largest first, ties in input order
    left = total
    for j, weight in enumerate(weights[top].tolist()):
        if weight * (k - j) <= left:
            return Giants(top[:j].astype(np.int64), k - j, left)
        left -= weight
    return Giants(top.astype(np.int64), k - len(top), left)


def _largest(weights: Indices, k: int) -> Indices:
    """The positions of the k largest weights, in any order. One pass finds the largest of each block; the k-th largest
    of these is a floor: all blocks above it, and k blocks that reach it, hold the k largest weights.
    """
    n = len(weights)
    if k >= n:
        return np.arange(n)
    if n <= k * _BLOCK:
        return np.argpartition(weights, n - k)[n - k :]
    peaks = np.maximum.reduceat(weights, np.arange(0, n, _BLOCK))
    floor = np.partition(peaks, len(peaks) - k)[len(peaks) - k]
    blocks = np.concatenate([np.flatnonzero(peaks > floor), np.flatnonzero(peaks == floor)[:k]])
    places = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
    places = places[places < n]  # the last block may be shorter
    return np.asarray(places[np.argpartition(weights[places], len(places) - k)[len(places) - k :]])


@dataclass(frozen=True)
class LayoutInput:
    """The weights and labels of all secrets, and the giants with the u places and the weight that they leave. With
    groups, the problem is one `tier`, and every set keeps its caps.

    A layout may multiply the weights by a factor of at most `finest` where their units are too coarse.
    """

    weights: Indices
    labels: Labels
    giants: Giants
    finest: int = 1
    progress: Progress = no_progress
    tier: TierCaps | None = None

    @property
    def u(self) -> int:
        """The places of a set that the giants leave."""
        return self.giants.u

    def loose(self) -> Indices:
        """The secrets to lay: those of the tier that have weight and are not giants."""
        if self.tier is not None and self.tier.members is not None:
            return self.tier.members
        loose = self.weights > 0
        loose[self.giants.members] = False
        return np.flatnonzero(loose)


@dataclass(frozen=True)
class LayoutResult:
    """Homes and rings on which every loose secret x has u * w_x units in all, and the cost of the sets, if any.

    Lengths are for weights multiplied by `factor`: finer units of the same prior.
    """

    homes: Homes
    rings: tuple[Ring, ...]
    cost: Cost | None = None
    factor: int = 1

    @classmethod
    def nothing(cls, problem: LayoutInput, cost: Cost | None = None) -> LayoutResult:
        """The result where all secrets that can occur are giants."""
        return cls(Homes.none(max(problem.giants.u, 1)), (), cost)

    def fields(self, grid: Grid, giants: Giants) -> dict[str, Any]:
        """The fields of a plan for these giants and the weights on a grid, in the layout's units."""
        return {
            "weights": grid.weights,
            "giants": giants.members,
            "homes": self.homes,
            "rings": self.rings,
            "costs": self.cost,
        }
