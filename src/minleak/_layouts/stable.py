"""The stable layout: homes and a lazy residue, so that repeated draws of a secret show nearly the same set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak._data.arrays import Indices
from minleak._layouts.base import RingLayout
from minleak._layouts.giants import LayoutInput, LayoutResult
from minleak._layouts.homes import lay_homes
from minleak._plan.rings import Homes, Ring


@dataclass(frozen=True)
class Stable(RingLayout):
    """The default: repeated draws of a secret show nearly the same set.

    Every u consecutive secrets by weight are a home: a ring of one set, in which each has the weight of the lightest.
    What is left of their weights goes on one more ring, laid by time in the same order, so that its sets change one
    member at a time. O(n log n), of which sorting is most.

    >>> import minleak as ml
    >>> ml.design([36, 30, 20, 14], k=3, layout=ml.Stable())
    Plan(n=4, k=3, giants=1, layout='stable', homes=1, segments=3)
    """

    name = "stable"
    homes_in_engine = True

    def lay(self, ground: LayoutInput) -> LayoutResult:
        """Homes by weight, and a ring of their residues."""
        if not ground.giants.rest_weight:
            return LayoutResult.nothing(ground)
        if ground.tier is not None:
            return LayoutResult(*lay_homes(*_descending(ground), ground.tier))
        return LayoutResult(*at_home(ground.weights, len(ground.giants.members), ground.u))


def _descending(ground: LayoutInput) -> tuple[Indices, Indices]:
    """The loose secrets from the heaviest down, and their weights."""
    from minleak._kernels import sorting

    index = np.int32 if len(ground.weights) < 2**31 else np.int64
    if ground.tier is not None and ground.tier.members is not None:
        secrets = ground.tier.members
        weights, order = sorting.sort_descending(ground.weights[secrets], index)
        return secrets[order].astype(index, copy=False), weights
    weights, order = sorting.sort_descending(ground.weights, index)
    possible = int(np.count_nonzero(weights))
    weights, order = weights[:possible], order[:possible]
    if not len(ground.giants.members):
        return order, weights
    loose = np.isin(order, ground.giants.members, invert=True)
    return order[loose], weights[loose]


def at_home(weights: Indices, n_giants: int, u: int) -> tuple[Homes, tuple[Ring, ...]]:
    """Homes and the ring of residues for all weights but zeros and the largest few.

    The residues can form a ring if u times the largest is at most their sum. Where it is not, homes give weight back,
    as little as possible.
    """
    from minleak._kernels import sorting

    residues, order = sorting.sort_descending(weights, np.int32 if len(weights) < 2**31 else np.int64)
    loose = slice(n_giants, int(np.count_nonzero(weights)))  # giants are heavier than all others, so they come first
    residues, order = residues[loose], order[loose]  # weights as yet
    home, rings = on_rings(residues, order, u)
    kept, members = home > 0, order[: len(home) * u].reshape(-1, u)
    return Homes(members if kept.all() else members[kept], home[kept]), rings


def on_rings(weights: Indices, order: Indices, u: int) -> tuple[Indices, tuple[Ring, ...]]:
    """The weights of homes that are every u consecutive secrets of `order`, and the ring of what is left of all
    `weights`, which are in that order and become residues. In a home the lightest comes last.
    """
    from minleak._kernels import scheduling

    residues, groups = weights, len(order) // u
    home = residues[u - 1 : groups * u : u].copy()
    home -= _given_back(home, residues[: groups * u : u] - home, residues[groups * u :], int(residues.sum()), u)
    residues[: groups * u].reshape(groups, u)[:] -= home[:, None]
    length = int(residues.sum())
    if length == 0:
        return home, ()
    tracks, owners, times = scheduling.lazy_schedule(residues, order, u, length)
    line, starts = scheduling.join_tracks(tracks, owners, times, u, length)
    return home, (Ring(line, starts, length, u),)


def _given_back(home: Indices, spread: Indices, rest: Indices, total: int, u: int) -> Indices:
    """How much each home gives back, so that u times the largest residue is at most the sum of the residues.

    spread[j] is the largest residue of home j. Raising the level M of the largest residue, home j can give
    min(home[j], M - spread[j]). Take the least M that suffices, and at that level what is needed from the heaviest
    homes first: few secrets are then moved much, rather than many a little.
    """
    base = total - u * int(home.sum())
    level = max(int(spread.max(initial=0)), int(rest.max(initial=0)))

    def can_give(level: int) -> Indices:
        return np.minimum(home, level - spread)

    if u * level <= base:
        return np.zeros_like(home)
    low, high = level, int((home + spread).max())  # there every home has given all, and u w <= total for all w
    while low < high:
        middle = (low + high) // 2
        if u * middle <= base + u * int(can_give(middle).sum()):
            high = middle
        else:
            low = middle + 1
    give = can_give(low)
    needed = -(-(u * low - base) // u)
    before = np.cumsum(give) - give
    return np.asarray(np.clip(needed - before, 0, give))
