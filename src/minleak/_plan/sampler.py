"""Drawing for secrets that have numbers, and from a plan of rings: the tables that a draw looks up in a few memory
accesses, and the Sampler that goes by them from secrets and random places to sets, in integers throughout, by the
compiled loop or without it.
"""

from __future__ import annotations

import os
import sys
from bisect import bisect_right
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Indices
from minleak._data.labels import Labels
from minleak._plan.kinds import Running
from minleak._plan.rings import Arrangement
from minleak.errors import InvalidCloak

Vector = npt.NDArray[Any]

# With fewer draws than this a thread costs more than it saves.
_FEW = 4096
# Up to so many draws do not load the compiled loop: that takes as long as tens of thousands of them, and 130 MB of
# memory (`python -m benchmarks running`). Far fewer than that, since a service may ask so again and again.
PLAIN = 256
_LOOP = "minleak._kernels.drawing"
# The tables that a file holds; the others follow from the plan at once.
STORED = ("lengths", "starts", "members", "first", "following", "guide", "home_of")
_SHORT = "a secret owns less than its weight says: certify tells what is wrong with the plan"


@dataclass(frozen=True, eq=False)
class Tables:
    """Look-up arrays beside a plan's own.

    All rings lie on one line, one after the other, ring r from `bases[r]` on with tracks of `lengths[r]`; `starts` and
    `members` are the segments on it (`members` is empty if segment i belongs to secret i). `guide[p >> shift]` is the
    segment at the first position of that stretch. `first[x]` is a segment of secret x (empty if it is segment x),
    `following[s]` the next segment of the same secret, -1 if there is none. `home_of[x]` is the home of x, -1 without
    one; `home_ends` are the ends of the homes' phases one after the other, for the giants, and `giants` are sorted.
    """

    lengths: Vector
    starts: Vector
    members: Vector
    first: Vector
    following: Vector
    guide: Vector
    home_of: Vector
    bases: Vector
    shift: int
    end: int
    home_ends: Vector
    giants: Vector


def on_one_line(lengths: Vector, u: int) -> tuple[Vector, int]:
    """Where each ring begins on the line, and where the line ends."""
    ends = np.cumsum(u * lengths)
    return ends - u * lengths, int(ends[-1]) if len(ends) else 0


def shift_of(end: int, segments: int) -> int:
    """The power of two that a stretch of the guide is long: about one segment in each."""
    return max(0, end.bit_length() - max(segments, 1).bit_length())


class Sampler:
    """Draws sets of a plan. p(set given secret) is that of the plan's channel, exactly."""

    def __init__(self, plan: Arrangement, tables: Tables) -> None:
        self.plan, self.tables = plan, tables
        self._fixed = len(plan.idle) > 0 or not plan.tail
        if self._fixed:  # sets one after the other: where each begins and ends, and the order to search them in
            self._members, begins = plan.idle_line()
            self._begins, self._ends = begins, np.append(begins[1:], len(self._members))
            self._order = np.argsort(self._members, kind="stable")

    def owned(self, secrets: Indices) -> Indices:
        """How many places each secret has to choose from: u w_x on rings, s for a giant, none for a fixed set."""
        plan = self.plan
        places = plan.u * plan.weights[secrets]
        giants = self.tables.giants
        if len(giants):
            at = np.minimum(np.searchsorted(giants, secrets), len(giants) - 1)
            places = np.where(giants[at] == secrets, plan.tail, places)
        return places

    def sets(self, secrets: Indices, places: Indices) -> Indices:
        """The set at each secret's place, members in increasing order, of shape (len(secrets), k); -1 fills up sets of
        idle secrets that are smaller.
        """
        out = np.full((len(secrets), self.plan.k), -1, dtype=np.int64)
        if self.plan.tail and len(secrets) <= PLAIN and _LOOP not in sys.modules:
            for row, (x, place) in enumerate(zip(secrets.tolist(), places.tolist(), strict=True)):
                members = set_at(self.plan, self.tables, x, place)
                out[row, : len(members)] = members
        elif self.plan.tail:
            threads = min(os.cpu_count() or 1, len(secrets) // _FEW)
            if threads < 2:
                self._fill(secrets, places, out)
            else:
                parts = (np.array_split(array, threads) for array in (secrets, places, out))
                with ThreadPoolExecutor(threads) as pool:  # made for this call, so that a fork finds none
                    list(pool.map(self._fill, *parts))
        if self._fixed:
            self._fill_fixed(secrets, out)
        return out

    def _fill_fixed(self, secrets: Indices, out: Indices) -> None:
        """The rows of secrets that are always in the same set."""
        rows = np.flatnonzero(self.plan.weights[secrets] == 0) if self.plan.tail else np.arange(len(secrets))
        found = np.searchsorted(self._members, secrets[rows], sorter=self._order)
        at = self._order[np.minimum(found, len(self._order) - 1)]
        known = self._members[at] == secrets[rows]  # of a plan that is none they may be in no set
        rows, at = rows[known], at[known]
        sets = np.searchsorted(self._begins, at, side="right") - 1
        for row, begin, end in zip(rows.tolist(), self._begins[sets].tolist(), self._ends[sets].tolist(), strict=True):
            out[row, : end - begin] = self._members[begin:end]

    def _fill(self, secrets: Indices, places: Indices, out: Indices) -> None:
        from minleak._kernels import drawing

        plan, t = self.plan, self.tables
        done = drawing.draw_sets(
            secrets,
            places,
            out,
            plan.weights,
            t.giants,
            plan.u,
            plan.homes.members,
            plan.homes.weights,
            t.home_of,
            t.home_ends,
            t.bases,
            t.lengths,
            t.starts,
            t.members,
            t.first,
            t.following,
            t.guide,
            t.shift,
            t.end,
        )
        if not done:
            raise InvalidCloak(_SHORT)


@dataclass(frozen=True, eq=False)
class Drawable(Running):
    """A plan of secrets that have numbers, by which they are drawn for."""

    secrets: Labels = field(repr=False)
    #: The labels of what is shown, where these are no sets of secrets.
    outputs: Labels | None = field(default=None, kw_only=True, repr=False)

    listed = True
    advice = "refuse it, or choose a stand_in for all such secrets"

    def extent(self) -> str:
        """Their number."""
        return f"n={len(self.secrets)}"

    def numbered(self) -> Labels:
        """The labels of the secrets, indexed."""
        return self.secrets

    def find(self, secret: Hashable) -> int | None:
        """The number of a secret."""
        return self.secrets.position(secret)

    def in_bytes(self, secrets: Indices) -> list[bytes]:
        """The label of each secret, as it was given."""
        names: Labels = self.plan.prior.labels
        return names.bytes_at(secrets)

    def show(self, located: Indices) -> list[tuple[Any, ...]]:
        """The labels of each row."""
        names: Labels = self.plan.prior.labels if self.outputs is None else self.outputs
        return [tuple(names.at(row[row >= 0])) for row in located]

    def find_shown(self, label: Hashable) -> int | None:
        """The number of what is shown."""
        return (self.secrets if self.outputs is None else self.outputs).position(label)

    def set_in_bytes(self, found: set[int]) -> bytes:
        """Their numbers in order."""
        return np.array(sorted(found), dtype="<i8").tobytes()


@dataclass(frozen=True, eq=False)
class RingDrawable(Drawable):
    """A plan of rings, the index that its labels are found by, and the tables that its sets are looked up in."""

    tables: Tables

    @cached_property
    def sampler(self) -> Sampler:
        """The sampler of the plan."""
        return Sampler(self.plan, self.tables)

    def owned(self, secrets: Indices) -> Indices:
        """u w_x places on rings, s for a giant."""
        return self.sampler.owned(secrets)

    def locate(self, secrets: Indices, places: Indices) -> Indices:
        """The set at each place."""
        return self.sampler.sets(secrets, places)


def set_at(plan: Arrangement, tables: Tables, secret: int, place: int) -> list[int]:
    """The set at a place of one secret without the compiled loop, which takes longer to load than a few draws do: its
    members in increasing order, none if the secret has no weight.

    Segments are searched without the guide, in O(u log n); few pages of a mapped file are read.
    """
    if not plan.weights[secret]:
        return []
    home, ring, phase = _where(plan, tables, secret, place)
    if home is not None:
        others = plan.homes.members[home].tolist()
    else:
        base, length = int(tables.bases[ring]), int(tables.lengths[ring])
        tracks = base + phase + length * np.arange(plan.u, dtype=np.int64)
        segments = np.searchsorted(tables.starts, tracks, side="right") - 1
        others = (tables.members[segments] if len(tables.members) else segments).tolist()
    return sorted([*tables.giants.tolist(), *others])


def _where(plan: Arrangement, tables: Tables, secret: int, place: int) -> tuple[int | None, int, int]:
    """A home, or None and a ring and a phase of it."""
    if secret in tables.giants:
        at_home = int(tables.home_ends[-1]) if len(tables.home_ends) else 0
        if place < at_home:
            return bisect_right(tables.home_ends, place), 0, 0
        phase, ring = place - at_home, 0
        while ring < len(tables.lengths) and phase >= tables.lengths[ring]:
            phase -= int(tables.lengths[ring])
            ring += 1
        if ring == len(tables.lengths):
            raise InvalidCloak(_SHORT)
        return None, ring, phase
    home = int(tables.home_of[secret]) if len(tables.home_of) else -1
    if home >= 0:
        owned = plan.u * int(plan.homes.weights[home])
        if place < owned:
            return home, 0, 0
        place -= owned
    segment = int(tables.first[secret]) if len(tables.first) else secret
    while True:
        if not 0 <= segment < len(tables.starts):
            raise InvalidCloak(_SHORT)
        start = int(tables.starts[segment])
        stop = int(tables.starts[segment + 1]) if segment + 1 < len(tables.starts) else tables.end
        if place < stop - start:
            break
        place -= stop - start
        segment = int(tables.following[segment]) if len(tables.following) else -1
    ring = bisect_right(tables.bases, start + place) - 1
    return None, ring, (start + place - int(tables.bases[ring])) % int(tables.lengths[ring])
