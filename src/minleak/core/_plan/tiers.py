"""Tiers: secrets outside the giants that share a density, on homes and rings of their own; and several of them at once.

A plan has one tier, unless it has groups of which some outweigh their caps. Several are shown at the same phase: L is
the least common multiple of their weights P_i, and at phase T of [0, L) tier i stands at its own phase T // (L / P_i).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._plan.rings import Homes, Ring


@dataclass(frozen=True)
class Tier:
    """Homes and rings of one tier. Its phases are those of the homes, one after the other, and then those of the rings:
    as many as its members weigh.
    """

    homes: Homes
    rings: tuple[Ring, ...]

    @property
    def rank(self) -> int:
        """How many members of every set are of this tier."""
        return self.rings[0].u if self.rings else self.homes.members.shape[1]

    @cached_property
    def ends(self) -> Indices:
        """Where the phases of each home and ring end."""
        sizes = [self.rank * self.homes.weights, np.array([ring.length for ring in self.rings], dtype=np.int64)]
        return np.cumsum(np.concatenate(sizes))

    @property
    def weight(self) -> int:
        """How many phases there are: the weight of the members."""
        return int(self.ends[-1]) if len(self.ends) else 0

    def members(self) -> Indices:
        """All its members, some of them more than once."""
        return np.concatenate([self.homes.members.ravel(), *(ring.list_members() for ring in self.rings)])

    def starts(self) -> Indices:
        """The phases at which the set changes, 0 first, in order."""
        homes = len(self.homes.weights)
        begins = np.concatenate([[0], self.ends[:-1]])
        cut = [ring.starts % ring.length + begins[homes + i] for i, ring in enumerate(self.rings)]
        return np.unique(np.concatenate([begins, *cut]))

    def at(self, phases: Indices) -> tuple[Indices, Indices]:
        """The members at each phase, a row each; and where on the line of all rings each stands, -1 at home."""
        homes = len(self.homes.weights)
        which = np.searchsorted(self.ends, phases, side="right")
        sets = np.empty((len(phases), self.rank), dtype=np.int64)
        along = np.full(sets.shape, -1, dtype=np.int64)
        at_home = which < homes
        sets[at_home] = self.homes.members[which[at_home]]
        base = 0
        for number, ring in enumerate(self.rings):
            here = which == homes + number
            own = phases[here] - (self.ends[homes + number] - ring.length)
            line = own[:, None] + ring.length * np.arange(self.rank)
            sets[here], along[here] = ring.member(line), base + line
            base += self.rank * ring.length
        return sets, along


class CommonPhases:
    """Several tiers at the same phase. Phases are integers of any size, in arrays of Python's."""

    def __init__(self, tiers: Sequence[Tier], n: int) -> None:
        self.tiers, self._n = tuple(tiers), n
        #: How many phases there are, and how many of them each phase of a tier stands for.
        self.count = math.lcm(*(tier.weight for tier in tiers))
        self.scales = [self.count // tier.weight for tier in tiers]

    def at(self, phases: Indices) -> tuple[Indices, Indices]:
        """The members of all tiers at each phase, a row each; and where each stands on the line of its tier's rings."""
        own = [(phases // scale).astype(np.int64) for scale in self.scales]
        found = [tier.at(at) for tier, at in zip(self.tiers, own, strict=True)]
        return np.hstack([sets for sets, _ in found]), np.hstack([along for _, along in found])

    @cached_property
    def starts(self) -> Indices:
        """The phases at which the set changes, in order."""
        return np.unique(
            np.concatenate(
                [tier.starts().astype(object) * scale for tier, scale in zip(self.tiers, self.scales, strict=True)]
            )
        )

    def cells(self, width: int) -> Iterator[tuple[Indices, Indices, Indices]]:
        """(sets, lengths, where each member stands) of the phases between two changes, in order."""
        ends = np.append(self.starts[1:], self.count)
        for begin in range(0, len(ends), width):
            some = slice(begin, begin + width)
            sets, along = self.at(self.starts[some])
            yield sets, ends[some] - self.starts[some], along

    @cached_property
    def tier_of(self) -> Indices:
        """The number of each secret's tier, -1 for those that are in none."""
        tiers = np.full(self._n, -1, dtype=np.int64)
        for number, tier in enumerate(self.tiers):
            tiers[tier.members()] = number
        return tiers


class TierLine:
    """Where the places of the members of a tier are: home first, then segment after segment along the rings."""

    def __init__(self, tier: Tier, n: int) -> None:
        self._tier = tier
        self._home_of = np.full(n, -1, dtype=np.int64)
        self._home_of[tier.homes.members] = np.arange(len(tier.homes.weights))[:, None]
        none = [np.empty(0, dtype=np.int64)]
        members = np.concatenate(none + [ring.list_members() for ring in tier.rings])
        order = np.argsort(members, kind="stable")
        self._segments = order
        self._first = np.searchsorted(members[order], np.arange(n + 1))
        lengths = np.concatenate(none + [ring.ends() - ring.starts for ring in tier.rings])[order]
        self._after = np.cumsum(lengths)  # of all segments in this order
        self._before = self._after - lengths
        homes, begins = len(tier.homes.weights), tier.ends
        phases = [ring.starts % ring.length for ring in tier.rings]
        self._phases = np.concatenate(none + phases)
        self._ring = np.repeat(np.arange(len(tier.rings)), [len(ring.starts) for ring in tier.rings])
        self._lengths = np.array([ring.length for ring in tier.rings], dtype=np.int64)
        self._begins = begins[homes:] - self._lengths
        self._home_begins = begins[:homes] - tier.rank * tier.homes.weights

    def phases(self, secrets: Indices, places: Indices) -> Indices:
        """The phase at a place of each secret; -1 where it owns no such place."""
        tier, home = self._tier, self._home_of[secrets]
        weights = np.append(tier.homes.weights, 0)
        at_home = places < tier.rank * weights[home]
        phases = np.full(len(secrets), -1, dtype=np.int64)
        phases[at_home] = self._home_begins[home[at_home]] + places[at_home]
        away = np.flatnonzero(~at_home & (self._first[secrets + 1] > self._first[secrets]))
        first = self._first[secrets[away]]
        along = self._before[first] + places[away] - tier.rank * weights[home[away]]
        found = np.searchsorted(self._before, along, side="right") - 1
        owned = (found < self._first[secrets[away] + 1]) & (along < self._after[found])
        away, found, along = away[owned], found[owned], along[owned]
        segment = self._segments[found]
        ring = self._ring[segment]
        phase = (self._phases[segment] + along - self._before[found]) % self._lengths[ring]
        phases[away] = self._begins[ring] + phase
        return phases


def as_integers(numbers: Any) -> Indices:
    """Python's integers in an array."""
    held = np.empty(len(numbers), dtype=object)
    held[:] = [int(number) for number in numbers]
    return held
