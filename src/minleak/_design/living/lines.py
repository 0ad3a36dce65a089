"""Lines: which part of a secret's stream leads to a set, in a plan that is looked at from the sets' side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Array, Indices
from minleak._design.rings import Arrangement
from minleak._design.stored.sampler import GIANT, LEVEL, Sampler
from minleak._design.stored.saving import tables_of


@dataclass(frozen=True)
class Seen:
    """Sets that were shown: their members on the tracks, of shape (draws, u), and for each of these the stretch of its
    own stream that leads there. `giants` are (low, high) of each number of a giant's stream, of shape (draws, numbers).
    """

    members: Indices
    low: Array
    high: Array
    giants: tuple[Array, Array]


class Lines:
    """A plan by its secrets' lines: home first, then the segments in their order."""

    def __init__(self, plan: Arrangement) -> None:
        self.plan, self.tables = plan, tables_of(plan)
        self.sampler = Sampler(plan, self.tables)
        tables, n = self.tables, len(plan.weights)
        self._members = tables.members.astype(np.int64) if len(tables.members) else np.arange(len(tables.starts))
        self._ends = np.append(tables.starts[1:], tables.end)
        home_of = tables.home_of if len(tables.home_of) else np.full(n, -1)
        weights = np.append(plan.homes.weights, 0)
        self._at_home = plan.u * weights[home_of]
        # all lines one after the other, each without its home
        order = np.argsort(self._members, kind="stable")
        lengths = (self._ends - tables.starts)[order]
        before = np.cumsum(lengths) - lengths
        self._order, self._cumulated = order, before
        self._first = np.searchsorted(self._members[order], np.arange(n))
        self._before = np.empty_like(before)
        begin = np.append(before, 0)[self._first]  # secrets without segments are never asked for
        self._before[order] = before - begin[self._members[order]]
        self._begin = begin

    @property
    def numbers(self) -> int:
        """How many numbers a giant's stream has, a secret's own besides."""
        homes = len(self.tables.home_ends)
        return LEVEL + max(homes - 1, 0).bit_length()

    def seen(self, secrets: Indices, places: Indices, *, by_tree: bool) -> Seen:
        """What is shown at places of secrets that have a weight, where some secrets are on rings."""
        plan, tables, count, u = self.plan, self.tables, len(secrets), self.plan.u
        is_giant = np.isin(secrets, tables.giants)
        ends = tables.home_ends
        all_home = int(ends[-1]) if len(ends) else 0
        homely = places < np.where(is_giant, all_home, self._at_home[secrets])
        home = np.full(count, -1, dtype=np.int64)
        if len(tables.home_of):
            home[homely & ~is_giant] = tables.home_of[secrets[homely & ~is_giant]]
        home[homely & is_giant] = np.searchsorted(ends, places[homely & is_giant], side="right")
        members = np.empty((count, u), dtype=np.int64)
        low, high = np.zeros((count, u)), np.zeros((count, u))
        giants = np.zeros((count, self.numbers)), np.ones((count, self.numbers))
        at = np.flatnonzero(homely)
        members[at] = plan.homes.members[home[at]]
        high[at] = (u * plan.homes.weights[home[at]])[:, None]
        self._giants_at_home(at, home[at], giants, by_tree=by_tree)
        away = np.flatnonzero(~homely)
        if len(away):
            position = self._positions(secrets[away], places[away], is_giant[away], all_home)
            ring = np.searchsorted(tables.bases, position, side="right") - 1
            base, length = tables.bases[ring], tables.lengths[ring]
            tracks = base[:, None] + length[:, None] * np.arange(u)
            phase = (position - base) % length
            segment = np.searchsorted(tables.starts, tracks + phase[:, None], side="right") - 1
            begin = np.maximum(tables.starts[segment] - tracks, 0).max(axis=1)
            end = np.minimum(self._ends[segment] - tracks, length[:, None]).min(axis=1)
            members[away] = self._members[segment]
            low[away] = (
                self._at_home[members[away]]
                + self._before[segment]
                + (tracks + begin[:, None] - tables.starts[segment])
            )
            high[away] = low[away] + (end - begin)[:, None]
            rings_before = np.cumsum(tables.lengths) - tables.lengths
            giants[0][away, GIANT] = (all_home + rings_before[ring] + begin) / plan.tail
            giants[1][away, GIANT] = (all_home + rings_before[ring] + end) / plan.tail
        owned = u * plan.weights[members].astype(np.float64)
        return Seen(members, low / owned, high / owned, giants)

    def _positions(self, secrets: Indices, places: Indices, is_giant: npt.NDArray[np.bool_], all_home: int) -> Indices:
        """Positions on the line of all rings; for a giant one of the set that it shows."""
        tables = self.tables
        rings = np.cumsum(tables.lengths)
        position = np.empty(len(secrets), dtype=np.int64)
        phase = places[is_giant] - all_home
        ring = np.searchsorted(rings, phase, side="right")
        position[is_giant] = tables.bases[ring] + phase - (rings - tables.lengths)[ring]
        own = ~is_giant
        along = self._begin[secrets[own]] + places[own] - self._at_home[secrets[own]]
        at = np.searchsorted(self._cumulated, along, side="right") - 1
        position[own] = tables.starts[self._order[at]] + along - self._cumulated[at]
        return position

    def _giants_at_home(self, rows: Indices, home: Indices, giants: tuple[Array, Array], *, by_tree: bool) -> None:
        """The stretches of a giant's numbers that lead to the homes."""
        low, high = giants
        sums, tail = np.concatenate([[0], self.tables.home_ends]), float(self.plan.tail)
        last = len(sums) - 1
        if not by_tree:
            low[rows, GIANT], high[rows, GIANT] = sums[home] / tail, sums[home + 1] / tail
            return
        high[rows, GIANT] = sums[-1] / tail
        for level in range(self.numbers - LEVEL):
            node = home >> (level + 1) << (level + 1)
            middle, end = np.minimum(node + (1 << level), last), np.minimum(node + (2 << level), last)
            split = (sums[middle] - sums[node]) / (sums[end] - sums[node])
            right = home >= middle
            low[rows, LEVEL + level] = np.where(right, split, 0.0)
            high[rows, LEVEL + level] = np.where(right, 1.0, split)
