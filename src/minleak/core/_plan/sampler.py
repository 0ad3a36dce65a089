"""RingSampler: maps secrets and random places to the sets of a plan of rings, in integers; by a compiled loop or, for a
few draws, without it.
"""

from __future__ import annotations

import os
import sys
from bisect import bisect_right
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Indices, find_run
from minleak.core._plan.base import ListedSampler
from minleak.core._plan.tiers import TierLine, as_integers
from minleak.errors import InvalidCloak

if TYPE_CHECKING:
    from minleak.core._plan.plan import Plan

Vector = npt.NDArray[Any]

# With fewer draws than this a thread costs more than it saves.
_FEW = 4096
# Up to this many draws run without the compiled loop, because loading it takes as long as tens of thousands of draws,
# and 130 MB (`python -m benchmarks running`). The limit is far lower, because a service may ask again and again.
PLAIN = 256
_LOOP = "minleak.core._plan.drawing"
# This many searches scan the array before an index is built.
_SCANS = 16
_SHORT = "a secret owns less than its weight says: certify tells what is wrong with the plan"


class Line:
    """All rings of a plan on one line, one after the other: ring r from `bases[r]` on with tracks of `lengths[r]`.
    `starts` and `members` are the segments on it (`members` is empty if segment i belongs to secret i), `end` is where
    the line ends.
    """

    def __init__(self, plan: Plan) -> None:
        rings = plan.rings
        self.lengths = np.array([ring.length for ring in rings], dtype=np.int64)
        ends = np.cumsum(plan.u * self.lengths)
        self.bases, self.end = ends - plan.u * self.lengths, int(ends[-1]) if len(ends) else 0
        self.starts, self.members = np.empty(0, dtype=np.int64), np.empty(0, dtype=index_type(plan))
        if len(rings) == 1:
            self.starts = rings[0].starts
        elif rings:
            self.starts = np.concatenate([ring.starts + base for ring, base in zip(rings, self.bases, strict=True)])
        in_order = len(rings) == 1 and isinstance(rings[0].members, range)
        if rings and not (in_order and rings[0].members == range(len(plan.weights))):
            joined = (
                rings[0].list_members() if len(rings) == 1 else np.concatenate([ring.list_members() for ring in rings])
            )
            self.members = joined.astype(self.members.dtype, copy=False)


class Tables:
    """Look-up tables of the compiled loop.

    `guide[p >> shift]` is the segment at the first position of that stretch of the line. `first[x]` is a segment of
    secret x (empty if it is segment x), `following[s]` the next segment of the same secret, -1 if there is none.
    `home_of[x]` is the home of x, -1 without one.
    """

    def __init__(self, plan: Plan, line: Line) -> None:
        from minleak.core._plan import drawing

        none = np.empty(0, dtype=index_type(plan))
        n, segments, homes = len(plan.weights), len(line.starts), plan.homes.members
        self.shift = max(0, line.end.bit_length() - max(segments, 1).bit_length())  # about one segment in each stretch
        self.guide = self.first = self.following = self.home_of = none
        if segments:
            self.guide = drawing.guide_table(line.starts, self.shift, (line.end >> self.shift) + 1, none)
        if len(line.members):
            self.first, self.following = drawing.link_segments(line.members, np.full(n, -1, dtype=none.dtype))
        if len(homes):
            self.home_of = drawing.place_homes(homes, np.full(n, -1, dtype=none.dtype))


def index_type(plan: Plan) -> type[np.int32] | type[np.int64]:
    """The integer type for numbers of secrets, segments and homes."""
    most = max(len(plan.weights), sum(len(ring.starts) for ring in plan.rings))
    return np.int32 if most < 2**31 else np.int64


class Finder:
    """Finds a number in a long array: the first times by scanning, which needs no preparation and reads a mapped file
    once; then by a sorted index.
    """

    def __init__(self, array: Vector) -> None:
        self._array, self._asked = array, 0

    @cached_property
    def _order(self) -> tuple[Vector, Vector]:
        order = np.argsort(self._array, kind="stable")
        return order, self._array[order]

    def find(self, number: int) -> list[int]:
        """All places of the number, in order."""
        self._asked += 1
        if self._asked <= _SCANS:
            found: list[int] = np.flatnonzero(self._array == number).tolist()
            return found
        order, ordered = self._order
        begin, end = find_run(ordered, number, number + 1)
        places: list[int] = order[begin:end].tolist()
        return places


@dataclass(frozen=True, eq=False)
class RingSampler(ListedSampler):
    """Draws sets of a plan of rings. p(set given secret) is that of the plan's channel, exactly."""

    plan: Plan

    @cached_property
    def line(self) -> Line:
        """The rings on one line."""
        return Line(self.plan)

    @cached_property
    def tables(self) -> Tables:
        """The look-up tables, made in O(n)."""
        return Tables(self.plan, self.line)

    @cached_property
    def _giants(self) -> Indices:
        return np.sort(self.plan.giants)

    @cached_property
    def _home_ends(self) -> Indices:
        """The ends of the homes' phases one after the other, for the giants."""
        return np.cumsum(self.plan.u * self.plan.homes.weights)

    @cached_property
    def _homes(self) -> Finder:
        return Finder(self.plan.homes.members.ravel())

    @cached_property
    def _segments(self) -> Finder:
        return Finder(self.line.members)

    @cached_property
    def _fixed(self) -> tuple[Indices, Indices, Indices, Indices] | None:
        """The sets of secrets without a choice, one after the other: members, where each set begins and ends, and the
        order to search the members in. None where there are no such sets.
        """
        if self.plan.rest_weight and not len(self.plan.zero_weight):
            return None
        members, begins = self.plan.zero_weight_line()
        return members, begins, np.append(begins[1:], len(members)), np.argsort(members, kind="stable")

    def owned(self, secrets: Indices) -> Indices:
        """How many places each secret has to choose from: u w_x on rings, s for a giant, none for a fixed set."""
        return self.plan.places(secrets)

    def locate(self, secrets: Indices, places: Indices) -> Indices:
        """The set at each secret's place, members in increasing order, of shape (len(secrets), k); sets of secrets of
        weight zero may be smaller, and are filled up by -1.
        """
        out = np.empty((len(secrets), self.plan.k), dtype=np.int64)
        out.fill(-1)
        if self.plan.rest_weight:
            self._fill_all(secrets, places, out)
        if self._fixed is not None:
            self._fill_fixed(secrets, out, *self._fixed)
        return out

    def _fill_all(self, secrets: Indices, places: Indices, out: Indices) -> None:
        """Fill the rows of secrets that have weight."""
        if len(secrets) <= PLAIN and _LOOP not in sys.modules:
            for row, (x, place) in enumerate(zip(secrets.tolist(), places.tolist(), strict=True)):
                members = self.set_at(x, place)
                out[row, : len(members)] = members
        else:
            threads = len(secrets) // _FEW
            if threads > 1:
                threads = min(os.cpu_count() or 1, threads)
            if threads < 2:
                self._fill(secrets, places, out)
            else:
                parts = (np.array_split(array, threads) for array in (secrets, places, out))
                _ = self._loop  # made once, before threads use it
                with ThreadPoolExecutor(threads) as pool:  # one pool per call: no threads to lose in a fork
                    list(pool.map(self._fill, *parts))

    def _fill_fixed(
        self, secrets: Indices, out: Indices, members: Indices, begins: Indices, ends: Indices, order: Indices
    ) -> None:
        """Fill the rows of secrets that are always in the same set."""
        rows = np.flatnonzero(self.plan.weights[secrets] == 0) if self.plan.rest_weight else np.arange(len(secrets))
        at = order[np.searchsorted(members, secrets[rows], sorter=order)]
        sets = np.searchsorted(begins, at, side="right") - 1
        for row, begin, end in zip(rows.tolist(), begins[sets].tolist(), ends[sets].tolist(), strict=True):
            out[row, : end - begin] = members[begin:end]

    @cached_property
    def _loop(self) -> tuple[Callable[..., bool], tuple[Any, ...]]:
        """The compiled loop, and its arguments beside the draws."""
        from minleak.core._plan.drawing import draw_sets

        plan, line, tables = self.plan, self.line, self.tables
        homes = (plan.homes.members, plan.homes.weights, tables.home_of, self._home_ends)
        rings = (line.bases, line.lengths, line.starts, line.members, tables.first, tables.following)
        guide = (tables.guide, tables.shift, line.end)
        return draw_sets, (plan.weights, self._giants, plan.u, *homes, *rings, *guide)

    def _fill(self, secrets: Indices, places: Indices, out: Indices) -> None:
        draw_sets, given = self._loop
        if not draw_sets(secrets, places, out, *given):
            raise InvalidCloak(_SHORT)

    def set_at(self, secret: int, place: int) -> list[int]:
        """The members of the set at a place of one secret, in increasing order, without the compiled loop; none if the
        secret has no weight.
        """
        plan, line = self.plan, self.line
        if not plan.weights[secret]:
            return []
        home, ring, phase = self._where(secret, place)
        if home is not None:
            others = plan.homes.members[home].tolist()
        else:
            tracks = int(line.bases[ring]) + phase + int(line.lengths[ring]) * np.arange(plan.u, dtype=np.int64)
            segments = np.searchsorted(line.starts, tracks, side="right") - 1
            others = (line.members[segments] if len(line.members) else segments).tolist()
        return sorted([*self._giants.tolist(), *others])

    def _where(self, secret: int, place: int) -> tuple[int | None, int, int]:
        """(home, 0, 0) if the place is at home, else (None, ring, phase)."""
        plan, line = self.plan, self.line
        if secret in self._giants:
            at_home = int(self._home_ends[-1]) if len(self._home_ends) else 0
            if place < at_home:
                return bisect_right(self._home_ends, place), 0, 0
            ends = np.cumsum(line.lengths)
            ring = bisect_right(ends, place - at_home)
            if ring == len(ends):
                raise InvalidCloak(_SHORT)
            return None, ring, place - at_home - int(ends[ring] - line.lengths[ring])
        for at in self._homes.find(secret)[-1:]:
            home = at // plan.u
            owned = plan.u * int(plan.homes.weights[home])
            if place < owned:
                return home, 0, 0
            place -= owned
        for segment in self._segments.find(secret) if len(line.members) else [secret]:
            start = int(line.starts[segment])
            stop = int(line.starts[segment + 1]) if segment + 1 < len(line.starts) else line.end
            if place < stop - start:
                ring = bisect_right(line.bases, start + place) - 1
                return None, ring, (start + place - int(line.bases[ring])) % int(line.lengths[ring])
            place -= stop - start
        raise InvalidCloak(_SHORT)


@dataclass(frozen=True, eq=False)
class TierSampler(RingSampler):
    """Draws sets of a plan of several tiers, which are shown at the same phase."""

    @cached_property
    def _lines(self) -> list[TierLine]:
        return [TierLine(tier, len(self.plan.weights)) for tier in self.plan.tiers]

    def _fill_all(self, secrets: Indices, places: Indices, out: Indices) -> None:
        """A place is a phase of the secret's own tier, and how far into it: for a giant one of all phases."""
        plan, common = self.plan, self.plan.common
        phases, tiers = as_integers(places), common.tier_of[secrets]
        for number, (line, scale) in enumerate(zip(self._lines, common.scales, strict=True)):
            here = np.flatnonzero(tiers == number)
            own = line.phases(secrets[here], (phases[here] // scale).astype(np.int64))
            if (own < 0).any():
                raise InvalidCloak(_SHORT)
            phases[here] = own.astype(object) * scale + phases[here] % scale
        rows = np.flatnonzero(plan.weights[secrets] > 0)
        giants = np.broadcast_to(plan.giants, (len(rows), plan.n_giants))
        sets = np.sort(np.hstack([giants, common.at(phases[rows])[0]]), axis=1)
        out[rows, : sets.shape[1]] = sets
