"""Peeling: a first plan of near sets in integers, and the last units that a rounded one leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak._data.arrays import Indices
from minleak._layouts.pricing.capping import Caps
from minleak._plan.distances import Distances
from minleak.errors import SolverFailed


@dataclass(frozen=True)
class Sets:
    """Sets of u members, each with the length of its phases in integer units: a member owns the lengths of its sets."""

    members: Indices
    lengths: Indices

    def owned(self, n: int) -> Indices:
        """How many units each of n secrets owns."""
        total = np.zeros(n, dtype=np.int64)
        np.add.at(total, self.members.ravel(), np.repeat(self.lengths, self.members.shape[1]))
        return total

    def merged(self) -> Sets:
        """Members increasing in each set, and equal sets as one."""
        if not len(self.lengths):
            return self
        ordered = np.sort(self.members, axis=1)
        distinct, which = np.unique(ordered, axis=0, return_inverse=True)
        lengths = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(lengths, which.ravel(), self.lengths)
        return Sets(distinct, lengths)


def joined(parts: list[Sets], u: int) -> Sets:
    """All sets of several collections."""
    return Sets(
        np.concatenate([np.empty((0, u), dtype=np.int64), *(part.members for part in parts)]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.lengths for part in parts)]),
    )


def peeled(units: Indices, caps: Caps, u: int, distances: Distances, secrets: Indices) -> Sets:
    """Sets of near members that keep the caps and own just the given units, for `secrets` of the distances.

    Possible if and only if no member has more than S = sum(units) / u, which must be an integer, and no group more than
    its cap times S: matroids have integer decompositions, so that there is a set after which the same holds for S - 1,
    and it is kept for as long as it holds. Greedy, so neither optimal nor far from it where space is evenly filled.
    """
    from minleak._kernels import pricing

    some = np.flatnonzero(units)
    own = caps.of(some, u)
    room = 2 * (len(some) + 1) + u * (u + 1) * (len(own.most) + 1)
    sets, lengths = np.empty((room, u), dtype=np.int64), np.empty(room, dtype=np.int64)
    there = secrets[some]
    points = distances.points[there]
    rows = np.empty((0, 0))
    if not points.shape[1]:
        rows = distances.between(distances.centres_of(there), there)
    count = pricing.peel(units[some], own.chains, own.most, rows, points, u, sets, lengths)
    if count < 0:
        raise SolverFailed("no sets can own these units: a secret or group has more than its share of them")
    return Sets(some[sets[:count]], lengths[:count])
