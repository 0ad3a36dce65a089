"""Layout: a way to make a plan; what it is given and what it lays. The giants, which are in every set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._plan.distances import Cost, Distances
from minleak.core._prior import Prior
from minleak.core._progress import Progress, no_progress

if TYPE_CHECKING:
    from minleak.groups._tiers import TierCaps

# Weights are searched in blocks of this many, whose largest are compared first.
_BLOCK = 256
_NONE = np.empty(0, dtype=np.int64)


class Layout(ABC):
    """An argument of `design`. All layouts but `Blocks` make plans of least leakage for one draw, in all entropies of
    the theorem at once; they differ in what the theorem leaves free.

    On no ring is a member longer than a lane, so that it never meets itself: `certify` checks this.
    """

    name: ClassVar[str]
    #: Whether sets are drawn; if not, there are no giants, and every secret has a set that it always shows.
    randomised: ClassVar[bool] = True
    #: How a warehouse engine lays it: with homes of secrets of like weight (True), on one ring (False), or not at all
    #: (None).
    homes_in_engine: ClassVar[bool | None] = None

    @abstractmethod
    def lay(self, problem: LayoutInput) -> Laid:
        """Give every loose secret x exactly u * w_x units on homes and a ring, or a set that it always shows."""

    def distances(self, problem: LayoutInput) -> Distances | None:
        """The distances that the cost of a set is measured by; None if sets cost nothing."""
        del problem
        return None


@dataclass(frozen=True)
class Giants:
    """j* of the paper: `members` are the first j*-1 secrets, largest first; u places are left, for the weight `rest` of
    the others.
    """

    members: Indices
    u: int
    rest: int


@dataclass(frozen=True)
class LayoutInput:
    """The prior, the integer weights of its secrets, the cap k, and the giants with the u places and the weight that
    they leave. With groups, the problem is one `tier`, and every set keeps its caps.

    A layout may multiply the weights by a factor of at most `finest` where their units are too coarse.
    """

    prior: Prior
    weights: Indices
    k: int
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
class Laid:
    """Homes and a ring on which every loose secret x has u * w_x units in all, or fixed sets, as the fields of `Plan`;
    and the cost of the sets, if any. Lengths are for weights multiplied by `factor`: finer units of the same prior.
    """

    home_members: Indices
    home_weights: Indices = field(default_factory=lambda: _NONE)
    members: Indices = field(default_factory=lambda: _NONE)
    starts: Indices = field(default_factory=lambda: _NONE)
    fixed: Indices = field(default_factory=lambda: _NONE)
    begins: Indices = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    costs: Cost | None = None
    factor: int = 1

    @classmethod
    def ring(cls, members: Indices, starts: Indices, u: int, *, costs: Cost | None = None, factor: int = 1) -> Laid:
        """A ring alone, or nothing where it has no segments."""
        return cls(np.empty((0, u), dtype=np.int64), members=members, starts=starts, costs=costs, factor=factor)


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
