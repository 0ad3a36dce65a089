"""Rings: the one shape of every optimal plan we build, and the cells into which its phases fall."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]


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
            members=np.asarray(self.members)[order].astype(np.int64, copy=False),
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
