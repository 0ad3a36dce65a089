"""Rings, the one shape of every optimal plan, and the arrangement of giants, homes and rings that is a plan's data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._data.prior import Prior
from minleak._plan.cost import Cost
from minleak.errors import InvalidParameter, shown

# k times the total weight is at most this, so that every position on a ring is a 64-bit integer.
LIMIT = 2**62


def cap(k: object) -> int:
    """k as an int, if it is a cap on the size of a set."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InvalidParameter(f"the cap k on the size of a set is a whole number from 1 on, not {shown(k)}")
    return int(k)


@dataclass(frozen=True)
class Ring:
    """A line of segments, cut into u tracks of equal `length` and stacked.

    Segment i belongs to `members[i]` and starts at `starts[i]` on the line [0, u * length); it ends where the next one
    starts. At each phase t in [0, length) the members at t, t + length, ..., t + (u-1) length are all different: they
    are the set of that phase. `members` may be a range where the line is in input order.
    """

    members: Any
    starts: Indices
    length: int
    u: int

    def listed(self) -> Indices:
        """The members as an array; numpy takes seconds to read a long range as it is."""
        line = self.members
        return np.arange(line.start, line.stop, line.step) if isinstance(line, range) else np.asarray(line)

    def ends(self) -> Indices:
        """Where each segment ends on the line."""
        return np.append(self.starts[1:], self.u * self.length)

    def member(self, positions: Indices) -> Indices:
        """The members at the given positions of the line."""
        segments = np.searchsorted(self.starts, positions, side="right") - 1
        if isinstance(self.members, range):  # not to be listed for a few of them
            return np.asarray(self.members.start + self.members.step * segments)
        return np.asarray(self.members)[segments]

    def cells(self) -> Cells:
        """The phases at which the set changes, in order, and what changes. O(n log n)."""
        phases, tracks = self.starts % self.length, self.starts // self.length
        order = np.argsort(phases, kind="stable")
        order = order[phases[order] > 0]
        first = self.member(np.arange(self.u, dtype=np.int64) * self.length)
        return Cells(
            first=first,
            phases=phases[order],
            tracks=tracks[order],
            members=self.listed()[order].astype(np.int64, copy=False),
            length=self.length,
        )


@dataclass(frozen=True)
class Cells:
    """A ring by phase: the set `first` at phase 0; at `phases[i]` track `tracks[i]` changes to `members[i]`."""

    first: Indices
    phases: Indices
    tracks: Indices
    members: Indices
    length: int

    def blocks(self, width: int = 4096) -> Iterator[tuple[Indices, Indices]]:
        """(sets, lengths) of cells of positive length: sets of shape (m, u), at most `width` changes at a time."""
        current = self.first.copy()
        ends = np.append(self.phases, self.length)
        at = 0
        for begin in range(0, len(ends), width):
            stop = min(begin + width, len(ends))
            inside = np.arange(begin, min(stop, len(self.phases)))
            # row i is the set before change begin + i; each track keeps its member until its next change
            last = np.zeros((stop - begin + 1, len(current)), dtype=np.int64)
            last[inside - begin + 1, self.tracks[inside]] = inside - begin + 1
            np.maximum.accumulate(last, axis=0, out=last)
            changed = np.concatenate([[0], self.members[inside]])
            sets = np.where(last > 0, changed[last], current)
            current = sets[-1]
            lengths = np.diff(ends[begin:stop], prepend=at)
            at = int(ends[stop - 1])
            yield sets[:-1][lengths > 0], lengths[lengths > 0]


@dataclass(frozen=True)
class Homes:
    """Rings of a single set each: the u members in a row of `members` all have weight `weights[i]` in it."""

    members: Indices
    weights: Indices

    @classmethod
    def none(cls, u: int) -> Homes:
        """No homes at all."""
        return cls(np.empty((0, u), dtype=np.int64), np.empty(0, dtype=np.int64))


@dataclass(frozen=True, repr=False, eq=False)
class Arrangement:
    """The whole of an optimal channel in integers: its giants, homes and rings, and the sets that they make; `Plan`
    says what the fields are.
    """

    prior: Prior
    k: int
    layout: str
    gains: Array | None
    weights: Indices
    total: int
    distance: float
    giants: Indices
    u: int
    tail: int
    homes: Homes
    rings: tuple[Ring, ...]
    idle: Indices
    costs: Cost | None = field(default=None, kw_only=True)
    apart: Indices | None = field(default=None, kw_only=True)
    known_as: bytes | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse fields that are no plan's, so that whoever has one may follow its indices and add up its lengths: they
        fit each other, and the giants are those of the weights. That every secret owns its part, so that nothing more
        leaks, is for `minleak.certify` to prove. O(n), some hundredths of what a design takes.
        """
        try:
            wrong = next((what for what, holds in _claims(self) if not holds), None)
        except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
            wrong = f"a field is of another type than a plan has ({type(error).__name__})"
        if wrong is not None:
            raise InvalidParameter(f"these fields are no plan: {wrong}; minleak.design(prior, k) makes plans")

    @classmethod
    def trusted(cls, **fields: Any) -> Self:
        """A plan of fields that were just made to fit, for `design`: looking at them takes as long as laying a circle
        does. Files, copies and everybody else use the constructor.
        """
        made = object.__new__(cls)
        vars(made).update(fields)
        return made

    @property
    def n_giants(self) -> int:
        """g = j* - 1, how many secrets are in every set."""
        return len(self.giants)

    @property
    def exact_target(self) -> tuple[Fraction, ...]:
        """pi in exact fractions of the total weight, largest first, zeros left out."""
        giants = [Fraction(w, self.total) for w in self.weights[self.giants].tolist()]
        return (*giants, *([Fraction(self.tail, self.total * self.u)] * self.u if self.tail else []))

    @cached_property
    def target(self) -> Array:
        """pi, largest first: the posterior that every observable induces (with gains: of gamma_x p(x), not
        normalised).
        """
        pi = np.empty(self.n_giants + (self.u if self.tail else 0))
        pi[: self.n_giants] = self.weights[self.giants] / self.total
        if self.tail:
            pi[self.n_giants :] = self.tail / (self.u * self.total)
        return pi * self.mass

    @property
    def success(self) -> float:
        """How often one guess is right that sees a set: pi_1 (with gains: what the best guess is worth)."""
        return float(self.target.max())

    @property
    def mass(self) -> float:
        """The sum of gamma_x p(x)."""
        return 1.0 if self.gains is None else float(self.gains @ self.prior.p)

    @property
    def n_cells(self) -> int:
        """An upper bound on the number of distinct sets: one for each home, one for each segment on a ring."""
        return len(self.homes.weights) + sum(len(ring.starts) for ring in self.rings) + len(self.idle_line()[1])

    def idle_line(self) -> tuple[Indices, Indices]:
        """The sets of secrets of weight zero on one line, and where each begins: at most k in each, and of a group that
        is kept apart at most one; where nothing is on rings, the giants' set comes first.
        """
        idle, lists = self.idle, []
        if not self.tail:
            added = self._sharing(np.concatenate([self.giants, idle]))[0][self.n_giants : self.k]
            idle, lists = idle[~np.isin(idle, added)], [np.sort(np.concatenate([self.giants, added]))]
        lists += self._sharing(idle)
        before = np.cumsum([0, *map(len, lists)])
        begins = [at + np.arange(0, len(some), self.k) for at, some in zip(before.tolist(), lists, strict=False)]
        return np.concatenate(lists), np.concatenate(begins)

    def idle_sets(self) -> list[Indices]:
        """The same, one by one."""
        members, begins = self.idle_line()
        return np.split(members, begins[1:]) if len(begins) else []

    def _sharing(self, secrets: Indices) -> list[Indices]:
        """The secrets in lists, in order, of which none has two of a group that is kept apart."""
        if self.apart is None:
            return [secrets]
        groups = self.apart[secrets]
        order = np.argsort(groups, kind="stable")
        _, first, sizes = np.unique(groups[order], return_index=True, return_counts=True)
        before = np.empty(len(secrets), dtype=np.int64)  # how many of a secret's group come before it
        before[order] = np.arange(len(secrets)) - np.repeat(first, sizes)
        order = np.argsort(before, kind="stable")
        return np.split(secrets[order], np.flatnonzero(np.diff(before[order])) + 1)

    def cells(self, width: int = 4096) -> Iterator[tuple[Indices, Indices]]:
        """(sets, lengths) in blocks: sets of shape (m, u) without the giants, each of probability length / tail."""
        yield from self.home_cells(width)
        for ring in self.rings:
            yield from ring.cells().blocks(width)

    def weighted_sets(self) -> Iterator[tuple[Indices, int]]:
        """Every set with the number of places that lead each of its members to it, one where that is always so."""
        for sets, lengths in self.cells():
            for members, length in zip(sets, lengths.tolist(), strict=True):
                yield np.concatenate([self.giants, members]), length
        for members in self.idle_sets():
            yield members, 1

    def home_cells(self, width: int) -> Iterator[tuple[Indices, Indices]]:
        """The same for the homes alone, each of which is one cell."""
        for begin in range(0, len(self.homes.weights), width):
            yield self.homes.members[begin : begin + width], self.u * self.homes.weights[begin : begin + width]


# -- what the fields of a plan must be -------------------------------------------------------------------------------


def _claims(plan: Arrangement) -> Iterator[tuple[str, bool]]:
    """What is wrong where it does not hold, and whether it does; each relies on those before it."""
    n, k, u, weights, giants = len(plan.prior), plan.k, plan.u, plan.weights, plan.giants
    whole = all(isinstance(part, int | np.integer) and type(part) is not bool for part in (k, u, plan.total, plan.tail))
    yield "k, u, total and tail are whole numbers", whole and isinstance(plan.layout, str)
    yield "the weights are one 64-bit integer for each secret", _is_vector(weights, n) and weights.dtype == np.int64
    least, largest = int(weights.min()), int(weights.max())
    yield "the total is not the sum of the weights", least >= 0 and _exact_sum(weights, largest) == plan.total > 0
    yield f"k is from 1 to n, and k times the total at most 2^62, not k = {k}", 1 <= k <= n and k * plan.total <= LIMIT
    yield "the giants are not different secrets", _are_secrets(giants, n) and len(np.unique(giants)) == len(giants)
    yield "u is not k less the giants", u == k - len(giants) >= 1
    left = plan.total
    heavy = weights[giants].tolist()
    for j, weight in enumerate(heavy):
        yield "a giant is not above its share", weight * (k - j) > left
        left -= weight
    yield "the giants are not the heaviest first", heavy == sorted(heavy, reverse=True)
    yield "the tail is not what the giants leave", plan.tail == left
    yield "a secret above its share is no giant", largest * u <= left or _above(weights, left // u) == len(heavy)
    idle = np.flatnonzero(weights == 0) if least == 0 else np.empty(0, dtype=np.int64)
    yield "the idle secrets are not those of weight zero", _is_vector(plan.idle) and np.array_equal(plan.idle, idle)
    homes, members = plan.homes.weights, plan.homes.members
    positive = _is_vector(homes) and (not len(homes) or (homes.min() > 0 and homes.sum(dtype=np.float64) < 1.5 * LIMIT))
    yield "the homes' weights are not positive integers", bool(positive)
    yield (
        "a home does not have u places for secrets",
        members.shape == (len(homes), u) and _are_secrets(members.ravel(), n),
    )
    lengths = 0
    for ring in plan.rings:
        yield "a ring is not u tracks of segments of secrets, one after the other", _is_ring(ring, u, n)
        lengths += int(ring.length)
    yield "homes and rings do not add up to the tail", u * int(homes.sum()) + lengths == left
    yield "the distance is not between 0 and 1", bool(0 <= plan.distance <= 1)
    yield "the gains are not finite, or zero where a weight is not", plan.gains is None or _are_gains(plan, plan.gains)
    yield "apart is not one group for each secret", plan.apart is None or _is_vector(plan.apart, n)
    places = None if plan.costs is None else plan.costs.coordinates
    yield "the coordinates are not a finite row for each secret", places is None or _are_places(places, n)
    yield "known_as is no name", plan.known_as is None or (type(plan.known_as) is bytes and len(plan.known_as) == 32)


def _is_vector(array: Any, size: int | None = None, kind: str = "i") -> bool:
    one_line = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind == kind
    return one_line and size in (None, len(array))


def _are_secrets(places: Any, n: int) -> bool:
    return _is_vector(places) and (not len(places) or bool(places.min() >= 0 and places.max() < n))


def _exact_sum(weights: Indices, largest: int) -> int:
    if largest * len(weights) < 2**63:
        return int(weights.sum())
    return (int((weights >> 31).sum()) << 31) + int((weights & 0x7FFFFFFF).sum())


def _above(weights: Indices, share: int) -> int:
    return int(np.count_nonzero(weights > share))


def _is_ring(ring: Ring, u: int, n: int) -> bool:
    starts, members, length = ring.starts, ring.members, ring.length
    if not (isinstance(length, int | np.integer) and 0 < length <= LIMIT and ring.u == u and u * length <= LIMIT):
        return False
    if isinstance(members, range):
        known = len(members) > 0 and min(members[0], members[-1]) >= 0 and max(members[0], members[-1]) < n
    else:
        known = _are_secrets(members, n)
    lined = _is_vector(starts) and 0 < len(starts) == len(members) and starts[0] == 0 and starts[-1] < u * length
    return bool(known and lined and (starts[1:] > starts[:-1]).all())


def _are_gains(plan: Arrangement, gains: Array) -> bool:
    if not (_is_vector(gains, len(plan.weights), "f") and gains.min() >= 0 and gains.max() < math.inf):
        return False
    possible = plan.weights > 0
    return bool(gains[possible].min() > 0 and plan.prior.weights[possible].min() > 0)


def _are_places(places: Array, n: int) -> bool:
    return places.ndim == 2 and len(places) == n and places.shape[1] > 0 and bool(np.isfinite(places).all())
