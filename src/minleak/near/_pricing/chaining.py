"""Chaining: sets one after the other on the phases of a single ring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minleak.core._arrays import Indices
from minleak.near._pricing.peeling import Sets

#: The owners of segments, where each starts, and the length of a lane.
Ring = tuple[Indices, Indices, int]


def chain_sets(sets: Sets, centres: Indices) -> Ring:
    """The ring whose phases are the sets, each as long as its length, in the order of their centres.

    Any order is valid. Members that stay from one set to the next keep their lane, so that neighbouring sets, which
    share members, need few segments. O(sets * u).
    """
    u = sets.members.shape[1]
    keys = [sets.members[:, j] for j in reversed(range(u))]
    order = np.lexsort((*keys, centres))
    rows, lengths = sets.members[order].tolist(), sets.lengths[order]
    lanes = rows[:1]
    for row in rows[1:]:
        staying = set(lanes[-1]) & set(row)
        coming = (member for member in row if member not in staying)
        lanes.append([member if member in staying else next(coming) for member in lanes[-1]])
    phases = np.cumsum(lengths) - lengths
    return join_lanes(np.array(lanes, dtype=np.int64).T, phases, int(lengths.sum()))


def join_lanes(owners: Indices, phases: Indices, length: int) -> Ring:
    """The ring whose lanes have these owners from these phases on, a row for each lane.

    An owner may end one lane and begin the next: its segment then goes on, as on a wrap-around ring.
    """
    line = owners.ravel()
    starts = (np.arange(len(owners))[:, None] * length + phases).ravel()
    new = np.append(True, line[1:] != line[:-1])
    return line[new], starts[new], length


def ring_sets(members: Indices, starts: Indices, length: int, u: int) -> Sets:
    """The sets of a ring, one for each phase at which it changes."""
    phases = np.unique(np.append(starts % length, 0)) if length else starts
    line = phases[:, None] + length * np.arange(u)
    return Sets(members[np.searchsorted(starts, line, side="right") - 1], np.diff(np.append(phases, length)))


def splice_rings(rings: Sequence[Ring], u: int) -> Ring:
    """Rings of u lanes as one: their phases one after the other."""
    if not rings:
        none = np.empty(0, dtype=np.int64)
        return none, none, 0
    owners, phases, before = [], [], 0
    for members, starts, length in rings:
        sets = ring_sets(members, starts, length, u)
        owners.append(sets.members.T)
        phases.append(before + np.cumsum(sets.lengths) - sets.lengths)
        before += length
    return join_lanes(np.concatenate(owners, axis=1), np.concatenate(phases), before)
