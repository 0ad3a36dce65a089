"""Chaining: sets one after the other on the phases of a single ring."""

from __future__ import annotations

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._plan.rings import Ring
from minleak.near._pricing.peeling import Sets


def chain_sets(sets: Sets, centres: Indices) -> Ring:
    """The ring whose phases are the sets, each as long as its length, in the order of their centres.

    Any order is valid. Members that stay from one set to the next keep their track, so that neighbouring sets, which
    share members, need few segments. O(sets * u).
    """
    u = sets.members.shape[1]
    keys = [sets.members[:, j] for j in reversed(range(u))]
    order = np.lexsort((*keys, centres))
    rows, lengths = sets.members[order].tolist(), sets.lengths[order]
    tracks = rows[:1]
    for row in rows[1:]:
        staying = set(tracks[-1]) & set(row)
        coming = (member for member in row if member not in staying)
        tracks.append([member if member in staying else next(coming) for member in tracks[-1]])
    length = int(lengths.sum())
    phases = np.cumsum(lengths) - lengths
    line = np.array(tracks, dtype=np.int64).T.ravel()  # track after track
    starts = (np.arange(u)[:, None] * length + phases).ravel()
    new = np.append(True, line[1:] != line[:-1])
    # a member may end one track and begin the next: its segment then goes on, as on a wrap-around ring
    return Ring(line[new], starts[new], length, u)


def splice_rings(rings: list[Ring]) -> Ring:
    """The rings, all of the same u, as one: their phases one after the other."""
    if len(rings) == 1:
        return rings[0]
    u, length = rings[0].u, sum(ring.length for ring in rings)
    tracks, phases, members = [], [], []
    before = 0
    for ring in rings:
        cuts = np.unique(np.concatenate([ring.starts, np.arange(u, dtype=np.int64) * ring.length]))
        tracks.append(cuts // ring.length)
        phases.append(cuts % ring.length + before)
        members.append(ring.member(cuts))
        before += ring.length
    starts = np.concatenate(tracks) * length + np.concatenate(phases)
    order = np.argsort(starts)
    line, starts = np.concatenate(members)[order], starts[order]
    new = np.append(True, line[1:] != line[:-1])
    return Ring(line[new], starts[new], length, u)
