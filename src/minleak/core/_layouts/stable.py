"""The stable layout: homes and a lazy residue, so that repeated draws of a secret show nearly the same set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._layouts.base import Laid, Layout, LayoutInput
from minleak.groups._homes import lay_homes


@dataclass(frozen=True)
class Stable(Layout):
    """The default: repeated draws of a secret show nearly the same set.

    Every u consecutive secrets by weight are a home: a ring of one set, in which each has the weight of the lightest.
    What is left of their weights goes on one more ring, laid by time in the same order, so that its sets change one
    member at a time. O(n log n), most of it sorting.

    >>> import minleak as ml
    >>> ml.design([36, 30, 20, 14], k=3, layout=ml.Stable())
    Plan(n=4, k=3, giants=1, layout='stable', homes=1, segments=3)
    """

    name = "stable"
    homes_in_engine = True

    def lay(self, problem: LayoutInput) -> Laid:
        """Homes by weight, and a ring of their residues."""
        problem.progress(0, 2, "sorting secrets by weight")
        secrets, weights = _sort_loose(problem)
        problem.progress(1, 2, "homes and a ring of residues")
        return lay_stable(secrets, weights, problem)


def _sort_loose(problem: LayoutInput) -> tuple[Indices, Indices]:
    """The loose secrets from the heaviest down, and their weights."""
    from minleak.core import _sorting as sorting

    index = np.int32 if len(problem.weights) < 2**31 else np.int64
    tier, giants = problem.tier, problem.giants.members
    if tier is not None and tier.members is not None:
        weights, order = sorting.sort_descending(problem.weights[tier.members], index)
        return tier.members[order].astype(index, copy=False), weights
    weights, order = sorting.sort_descending(problem.weights, index)
    # without caps giants are heavier than all other secrets, so they come first
    positive = slice(len(giants) if tier is None else 0, int(np.count_nonzero(weights)))
    weights, order = weights[positive], order[positive]
    if tier is None or not len(giants):
        return order, weights
    loose = np.isin(order, giants, invert=True)
    return order[loose], weights[loose]


def lay_stable(secrets: Indices, weights: Indices, problem: LayoutInput) -> Laid:
    """Homes and the ring of residues for some secrets, from the heaviest down; their `weights` become the residues.

    A home is u consecutive secrets, each with the weight of the last one. The residues can form a ring if u times the
    largest is at most their sum. If it is not, homes give weight back, as little as possible.
    """
    from minleak.core._layouts import scheduling

    if problem.tier is not None:
        return lay_homes(secrets, weights, problem.tier)
    u, residues = problem.u, weights
    groups = len(secrets) // u
    home = residues[u - 1 : groups * u : u].copy()
    home -= _give_back(home, residues[: groups * u : u] - home, residues[groups * u :], int(residues.sum()), u)
    residues[: groups * u].reshape(groups, u)[:] -= home[:, None]
    kept, members = home > 0, secrets[: groups * u].reshape(-1, u)
    homes = members if kept.all() else members[kept], home[kept]
    length = int(residues.sum())
    if length == 0:
        return Laid(*homes)
    tracks, owners, times = scheduling.lazy_schedule(residues, secrets, u, length)
    return Laid(*homes, *scheduling.join_tracks(tracks, owners, times, u, length))


def _give_back(home: Indices, spread: Indices, rest: Indices, total: int, u: int) -> Indices:
    """How much each home gives back, so that u times the largest residue is at most the sum of the residues.

    spread[j] is the largest residue of home j. Raising the level M of the largest residue, home j can give
    min(home[j], M - spread[j]). Take the least M that suffices, and at that level what is needed from the heaviest
    homes first: this moves a few secrets much, rather than many a little.
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
