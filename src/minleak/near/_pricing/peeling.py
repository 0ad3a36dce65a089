"""Peeling: a first plan of near sets in integers, and sets for the last units that rounding leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._plan.distances import Distances
from minleak.core._progress import report_during
from minleak.errors import SolverFailed
from minleak.near._pricing.caps import Caps

# Sets that are peeled between two reports of the progress.
_AT_A_TIME = 64


@dataclass(frozen=True)
class Sets:
    """Sets of u members, each with the length of its phases in integer units. A member owns the lengths of its sets."""

    members: Indices
    lengths: Indices

    def units_owned(self, n: int) -> Indices:
        """How many units each of n secrets owns."""
        total = np.zeros(n, dtype=np.int64)
        np.add.at(total, self.members.ravel(), np.repeat(self.lengths, self.members.shape[1]))
        return total

    def merge(self) -> Sets:
        """The distinct sets, members increasing, each with the sum of its lengths."""
        if not len(self.lengths):
            return self
        ordered = np.sort(self.members, axis=1)
        distinct, which = np.unique(ordered, axis=0, return_inverse=True)
        lengths = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(lengths, which.ravel(), self.lengths)
        return Sets(distinct, lengths)


def join_sets(parts: list[Sets], u: int) -> Sets:
    """The sets of several collections as one."""
    return Sets(
        np.concatenate([np.empty((0, u), dtype=np.int64), *(part.members for part in parts)]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.lengths for part in parts)]),
    )


def peel_sets(
    units: Indices,
    caps: Caps,
    u: int,
    distances: Distances,
    secrets: Indices,
    progress: Callable[[float], None] | None = None,
) -> Sets:
    """Sets of near members that keep the caps and own exactly the given units, for `secrets` of the distances.

    Possible if and only if no member has more than S = sum(units) / u, which must be an integer, and no group more than
    its cap times S. Matroids have integer decompositions, so there is a set after which the same holds for S - 1; it is
    taken as often as that stays true. Greedy, so neither optimal nor far from it where space is evenly filled.
    `progress` gets the share of the units that are in sets.
    """
    from minleak.near._pricing import kernels as pricing

    some = np.flatnonzero(units)
    own = caps.of(some, u)
    room = 2 * (len(some) + 1) + u * (u + 1) * (len(own.most) + 1)
    sets, lengths = np.empty((room, u), dtype=np.int64), np.empty(room, dtype=np.int64)
    there = secrets[some]
    points = distances.points[there]
    rows = np.empty((0, 0))
    if not points.shape[1]:
        rows = distances.between(distances.centres_of(there), there)
    left, total, done = units[some], int(units.sum()), 0
    while remaining := int(left.sum()):
        batch = slice(done, done + _AT_A_TIME)
        peel = partial(pricing.peel, left, own.chains, own.most, rows, points, u, sets[batch], lengths[batch])
        report = None if progress is None else partial(progress, 1 - remaining / total)
        if report is not None:
            report()
        count = report_during(peel, report)
        if count <= 0:
            raise SolverFailed("no sets can own these units: a secret or group has more than its share of them")
        done += count
    return Sets(some[sets[:done]], lengths[:done])
