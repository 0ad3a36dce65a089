"""Rings, the one shape of every optimal plan, and the checks of the fields of a plan of rings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._prior import total_of
from minleak.errors import InvalidParameter, quote

if TYPE_CHECKING:
    from minleak.core._plan.plan import Plan

# k times the total weight is at most this, so that every position on a ring is a 64-bit integer.
LIMIT = 2**62


def cap(k: object) -> int:
    """k as an int, if it is a cap on the size of a set."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InvalidParameter(f"the cap k on the size of a set is a whole number from 1 on, not {quote(k)}")
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

    def list_members(self) -> Indices:
        """The members as an array; numpy takes seconds to read a long range as it is."""
        line = self.members
        return np.arange(line.start, line.stop, line.step) if isinstance(line, range) else np.asarray(line)

    def ends(self) -> Indices:
        """Where each segment ends on the line."""
        return np.append(self.starts[1:], self.u * self.length)

    def member(self, positions: Indices) -> Indices:
        """The members at the given positions of the line."""
        segments = np.searchsorted(self.starts, positions, side="right") - 1
        if isinstance(self.members, range):  # do not expand a long range for a few positions
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
            members=self.list_members()[order].astype(np.int64, copy=False),
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


# -- sets of secrets that cannot occur -------------------------------------------------------------------------------


def zero_weight_line(plan: Plan) -> tuple[Indices, Indices]:
    """The sets of secrets of weight zero on one line, and where each begins: at most k in each, and no more of a group
    than its cap; where nothing is on rings, the giants' set comes first.
    """
    fixed = plan.giants if not plan.rest_weight else plan.giants[:0]
    secrets, k = np.concatenate([fixed, plan.zero_weight]), plan.k
    if plan.groups is None or not len(secrets):
        begins = np.arange(0, len(secrets), k)
    else:
        from minleak.groups._fitting import first_fit

        tree = plan.groups
        numbers, sizes = first_fit(tree.group_of[secrets], tree.parents, tree.caps, k)
        secrets, begins = secrets[np.argsort(numbers, kind="stable")], np.cumsum(sizes) - sizes
    if len(fixed):
        first = slice(0, begins[1] if len(begins) > 1 else None)
        secrets[first] = np.sort(secrets[first])
    return secrets, begins


# -- checks of the fields --------------------------------------------------------------------------------------------


def check_rings(plan: Plan) -> None:
    """Refuse fields that do not fit together, or giants that are not those of the weights: other code relies on indices
    and sums of lengths. `minleak.certify` proves the rest, that every secret owns its share and no more leaks. O(n),
    some hundredths of the time of a design.
    """
    try:
        wrong = wrong_with(plan)
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        wrong = f"a field has the wrong type ({type(error).__name__})"
    if wrong is not None:
        raise InvalidParameter(f"these fields are not those of a plan: {wrong}; minleak.design(prior, k) makes plans")


def wrong_with(plan: Plan) -> str | None:
    """The first problem with the fields of a plan; None if they are valid."""
    return next((what for what, holds in _claims(plan) if not holds), None)


def _claims(plan: Plan) -> Iterator[tuple[str, bool]]:
    """(problem, whether the claim holds) for each claim; each relies on those before it."""
    n, k, weights, giants = len(plan.prior), plan.k, plan.weights, plan.giants
    yield "k is not a whole number", isinstance(k, int | np.integer) and type(k) is not bool
    yield "the layout is not a name", isinstance(plan.layout, str)
    yield "the weights are not one 64-bit integer for each secret", _is_vector(weights, n) and weights.dtype == np.int64
    largest, total = int(weights.max()), plan.total
    yield (
        "the weights are not positive or zero, some of them positive",
        int(weights.min()) >= 0 and total_of(weights) == total > 0,
    )
    yield f"k = {k} is not from 1 to n, or k times the total weight is above 2^62", 1 <= k <= n and k * total <= LIMIT
    yield "the giants are not different secrets", _are_secrets(giants, n) and len(np.unique(giants)) == len(giants)
    u, left, heavy = plan.u, total, weights[giants].tolist()
    yield "the giants leave no place in a set", u >= (1 if plan.groups is None else 0)
    for j, weight in enumerate(heavy):
        yield "a giant is not above its share", weight * (k - j) > left if plan.groups is None else weight > 0
        left -= weight
    yield "the giants are not the heaviest first", heavy == sorted(heavy, reverse=True)
    wrong = None if plan.groups is None else plan.groups.wrong_with(n)
    yield str(wrong), wrong is None
    if plan.groups is None:
        above = largest * u > left and int(np.count_nonzero(weights > left // u)) > len(heavy)
        yield "a secret above its share is no giant", not above
        yield "a plan without groups has one tier", not plan.lower
    laid, ranks = np.zeros(n if plan.lower else 0, dtype=bool), u - sum(tier.rank for tier in plan.lower)
    yield "the tiers have more members than a set", ranks >= (1 if left else 0)
    tiers: list[Any] = [plan, *plan.lower]
    for tier, rank in zip(tiers, (ranks, *(tier.rank for tier in plan.lower)), strict=True):
        yield from _tier_claims(tier.homes, tier.rings, max(rank, 1), n)
        lengths = sum(int(ring.length) for ring in tier.rings)
        weight = rank * int(tier.homes.weights.sum()) + lengths
        yield "a tier has no members", not plan.lower or weight > 0
        left -= weight
        if plan.lower:
            members = np.concatenate([tier.homes.members.ravel(), *(ring.list_members() for ring in tier.rings)])
            yield "a secret is in two tiers", not laid[members].any()
            laid[members] = True
    yield "homes and rings do not add up to what the giants leave", left == 0
    yield "the distance is not between 0 and 1", bool(0 <= plan.distance <= 1)
    yield "the gains are not finite, or zero where a weight is not", plan.gains is None or _are_gains(plan, plan.gains)
    places = None if plan.costs is None else plan.costs.coordinates
    yield "the coordinates are not a finite row for each secret", places is None or _are_places(places, n)
    yield (
        "known_as is not 32 bytes",
        plan.known_as is None or (type(plan.known_as) is bytes and len(plan.known_as) == 32),
    )


def _tier_claims(found: Homes, rings: tuple[Ring, ...], u: int, n: int) -> Iterator[tuple[str, bool]]:
    """The claims on the homes and rings of a tier that has u members in every set."""
    homes, members = found.weights, found.members
    positive = _is_vector(homes) and (not len(homes) or (homes.min() > 0 and homes.sum(dtype=np.float64) < 1.5 * LIMIT))
    yield "the homes' weights are not positive integers", bool(positive)
    filled = members.shape == (len(homes), u) and _are_secrets(members.ravel(), n)
    yield "a home does not have u places for secrets", filled
    for ring in rings:
        yield "a ring is not u tracks of segments of secrets, one after the other", _is_ring(ring, u, n)


def _is_vector(array: Any, size: int | None = None, kind: str = "i") -> bool:
    one_line = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind == kind
    return one_line and size in (None, len(array))


def _are_secrets(places: Any, n: int) -> bool:
    return _is_vector(places) and (not len(places) or bool(places.min() >= 0 and places.max() < n))


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


def _are_gains(plan: Plan, gains: Array) -> bool:
    if not (_is_vector(gains, len(plan.weights), "f") and gains.min() >= 0 and gains.max() < math.inf):
        return False
    possible = plan.weights > 0
    return bool(gains[possible].min() > 0 and plan.prior.weights[possible].min() > 0)


def _are_places(places: Array, n: int) -> bool:
    return places.ndim == 2 and len(places) == n and places.shape[1] > 0 and bool(np.isfinite(places).all())
