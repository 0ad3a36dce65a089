"""Keeping sets: where sets are what a plan was made for, near or cheap ones, they stay as far as the weights allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from minleak._data.arrays import Indices
from minleak._design.cost import Cost
from minleak._design.giants import Giants, Ground, Laid
from minleak._design.layouts.base import RingLayout
from minleak._design.pricing.chaining import spliced
from minleak._design.pricing.peeling import Sets, joined
from minleak._design.pricing.regions import with_costs
from minleak._design.rings import Arrangement, Cells, Ring

# Less than what a float may be above the product that it stands for.
_BELOW = 1 - 2.0**-48
# In so many steps kept sets are given up, until what is left can be laid; and the most rings that they are kept on.
_SHARES, _RINGS = 8, 8


def with_kept_sets(old: Arrangement, ground: Ground, moved: Indices, layout: RingLayout) -> tuple[Laid, int, int]:
    """Old sets at the weight that their members still have for them, all others laid anew; and how many of how many
    were kept.

    A set of length v keeps v times the least of w'_x / w_x over its members, so that nobody is asked for more than it
    has. What is left is laid by the layout, as weights of their own. The kept sets stay on their rings, on the tracks
    that they had, and come after the new ones on every line, so that streams near 1 find what they found before. Units
    are made as fine as the old plan's.
    """
    u = ground.u
    factor = max(1, min(ground.finest, old.total // max(int(ground.weights.sum()), 1)))
    weights = ground.weights * factor
    distances = layout.distances(ground)
    loose = np.zeros(len(weights) + 1, dtype=np.int64)  # the last stands for those that are gone
    loose[ground.loose()] = weights[ground.loose()]
    parts = [_Part.of(old, cells, loose, moved) for cells in _rings(old)]
    count = sum(len(part.lengths) for part in parts)
    if distances is None or u != old.u or not ground.giants.tail:
        return layout.lay(ground), 0, count
    for share in range(_SHARES, 0, -1):
        kept = [part.cut(u, share) for part in parts]
        owned = sum((part.sets().owned(len(loose))[:-1] for part in kept), np.zeros(len(weights), dtype=np.int64))
        left = loose[:-1] - owned // u
        if u * int(left.max()) <= int(left.sum()):
            break
    else:
        return layout.lay(ground), 0, count
    laid = Laid.nothing(ground, Cost(0.0, None, None, distances.name, 0.0, distances.coordinates))
    if left.any():
        giants = Giants(ground.giants.members, u, int(left.sum()))
        left[giants.members] = weights[giants.members]
        laid = layout.lay(replace(ground, weights=left, giants=giants, finest=ground.finest // factor))
    rings = [part.ring(laid.factor) for part in kept if part.lengths.any()]
    rings = [*rings[: _RINGS - 1], spliced(rings[_RINGS - 1 :])] if len(rings) > _RINGS else rings
    sets = joined([part.sets() for part in kept], u)
    cost = _cost(laid, with_costs(sets, distances).total, float(u * loose.sum()), u)
    return replace(laid, rings=(*laid.rings, *rings), cost=cost, factor=laid.factor * factor), len(sets.lengths), count


def _rings(plan: Arrangement) -> Iterator[Cells]:
    """The plan's sets ring by ring, its homes as one that changes all members at once."""
    homes = plan.homes
    if len(homes.weights):
        ends, u = np.cumsum(plan.u * homes.weights), plan.u
        yield Cells(
            first=homes.members[0],
            phases=np.repeat(ends[:-1], u),
            tracks=np.tile(np.arange(u), len(ends) - 1),
            members=homes.members[1:].ravel(),
            length=int(ends[-1]),
        )
    for ring in plan.rings:
        yield ring.cells()


@dataclass(frozen=True)
class _Part:
    """The sets of one ring and the length that each may have; `changes` are where the tracks change, by set."""

    members: Indices
    lengths: Indices
    changes: tuple[Indices, Indices, Indices]

    @classmethod
    def of(cls, old: Arrangement, cells: Cells, loose: Indices, moved: Indices) -> _Part:
        """Those of an old plan. Sets with somebody who is not loose any more have length zero."""
        blocks = list(cells.blocks())
        members, lengths = (np.concatenate(one) for one in zip(*blocks, strict=True))
        now = np.where(moved[members] >= 0, moved[members], len(loose) - 1)
        shares = (loose[now] / np.maximum(old.weights[members], 1)).min(axis=1)
        begins = np.cumsum(lengths) - lengths
        which = np.searchsorted(begins, np.append(np.zeros(len(cells.first), dtype=np.int64), cells.phases))
        tracks = np.append(np.arange(len(cells.first)), cells.tracks)
        names = moved[np.append(cells.first, cells.members)]
        return cls(now, np.floor(lengths * shares * _BELOW).astype(np.int64), (which, tracks, names))

    def cut(self, u: int, share: int) -> _Part:
        """With so many eighths of the lengths, as multiples of u."""
        return replace(self, lengths=self.lengths // u * share // _SHARES * u)

    def sets(self) -> Sets:
        """The sets that have a length."""
        return Sets(self.members[self.lengths > 0], self.lengths[self.lengths > 0])

    def ring(self, factor: int) -> Ring:
        """The sets on the tracks that they had, those without a length left out."""
        which, tracks, names = self.changes
        ends = np.cumsum(factor * self.lengths)
        length, u = int(ends[-1]), self.members.shape[1]
        order = np.argsort(tracks, kind="stable")
        starts = tracks[order] * length + (ends - factor * self.lengths)[which[order]]
        last = np.append(starts[1:] > starts[:-1], starts[-1] < u * length)  # others end where they begin
        starts, names = starts[last], names[order][last]
        new = np.append(True, names[1:] != names[:-1])
        return Ring(names[new], starts[new], length, u)


def _cost(laid: Laid, kept: float, scale: float, u: int) -> Cost | None:
    """The cost of new and kept sets together, which is of no proven distance from the least."""
    paid = laid.cost
    if paid is None:
        return None
    new = sum(one.length for one in laid.rings) + u * int(laid.homes.weights.sum())
    return Cost(
        (kept + paid.value * new / laid.factor * u) / scale, None, None, paid.metric, paid.stability, paid.coordinates
    )
