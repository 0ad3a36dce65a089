"""Homes under caps: the stable layout where secrets are in groups."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._layouts.base import Laid
from minleak.core._plan.groups import GroupTree
from minleak.groups._tiers import TierCaps


def lay_along_tree(secrets: Indices, weights: Indices, tree: GroupTree, u: int) -> tuple[Indices, Indices]:
    """One ring of the secrets that have weight, one group of the tree after the other: its members and their starts.

    All that lies in a group is in one piece of the ring, so a group of weight W has u W / (all weight) members at each
    phase, rounded down or up.
    """
    from minleak.groups import _grouping as grouping

    members, starts = grouping.lay_by_group(secrets, weights, tree.group_of[secrets], tree.places)
    return members, u * starts[:-1]


def lay_homes(secrets: Indices, weights: Indices, tier: TierCaps) -> Laid:
    """Homes and the ring of residues for the secrets of a tier, from the heaviest down; their `weights` become the
    residues.

    A home is a set of `tier.rank` members that keeps the caps, found by first fit; each member has the weight of the
    lightest there. The residues w' can form a ring along the tree if r w'(A) <= c_A w'(all) for every group A, and for
    every secret with c = 1. Where they cannot, homes give weight back.
    """
    from minleak.groups import _fitting as fitting
    from minleak.groups import _grouping as grouping

    tree, rank = tier.tree, tier.rank
    groups = tree.group_of[secrets]
    home_of, sizes = fitting.first_fit(groups, tree.parents, tier.caps, rank)
    full = sizes == rank
    number = np.where(full, np.cumsum(full, dtype=np.int32) - 1, -1)
    members, home = grouping.fill_homes(secrets, weights, home_of, number, rank)
    residues = weights
    given = _give_back(home, members, _Bounds(residues, secrets, groups, tier))
    if given is not None:
        home -= given
        residues += np.append(given, 0)[home_of]
    del groups, home_of, sizes, full, number  # some bytes a secret, before the ring takes more
    kept = home > 0
    ring = lay_along_tree(secrets, residues, tree, rank)
    return Laid(members if kept.all() else members[kept], home[kept], *ring)


def _give_back(home: Indices, members: Indices, bounds: _Bounds) -> Indices | None:
    """How much each home gives back; None if nothing has to be given.

    A unit from a home with b members of A adds r units to the ring, b of them to A, and so frees c_A - b places of A.
    Homes with the fewest members of a binding group give first, the heaviest before the others, so that a few secrets
    move much rather than many a little. No group is ever worse off: only groups that bind at first ever bind.
    """
    given = None
    while (worst := bounds.worst()) is not None:
        given = np.zeros_like(home) if given is None else given
        need, inside, cap = worst
        many = inside(members)
        for unit in range(cap, 0, -1):
            able = np.flatnonzero((many == cap - unit) & (home > given))
            able = able[np.argsort(given[able] - home[able], kind="stable")]
            left = home[able] - given[able]
            give = np.clip(-(-need // unit) - (np.cumsum(left) - left), 0, left)
            given[able] += give
            bounds.add(members[able[give > 0]], give[give > 0])
            need -= unit * int(give.sum())
            if need <= 0:
                break
    return given


class _Bounds:
    """The weights w' of groups on a ring while homes give weight back to it. A group binds if r w'(A) > c_A w'(all)."""

    def __init__(self, residues: Indices, secrets: Indices, groups: Indices, tier: TierCaps) -> None:
        from minleak.groups import _grouping as grouping

        self._tree, self._rank, self._caps = tier.tree, tier.rank, tier.caps
        self._total = int(residues.sum())
        many = len(self._caps) + 1
        self._sums = grouping.sum_some(residues, groups, many)
        self._carry(self._sums)
        heavy = np.flatnonzero(residues > self._total // self._rank)  # fewer than the rank
        self._alone = dict(zip(secrets[heavy].tolist(), residues[heavy].tolist(), strict=True))

    def _carry(self, sums: Indices) -> None:
        """Add the sums of groups to those of the groups that hold them; the last place is the whole."""
        for level in range(int(self._tree.levels.max()) + 1):
            here = np.flatnonzero(self._tree.levels == level)
            np.add.at(sums, self._tree.parents[here], sums[here])

    def add(self, members: Indices, given: Indices) -> None:
        """Count what homes with these members have given."""
        more = np.zeros_like(self._sums)
        np.add.at(more, self._tree.group_of[members], given[:, None])
        self._carry(more)
        self._sums += more
        self._total += self._rank * int(given.sum())
        for x in self._alone:
            self._alone[x] += int(given[(members == x).any(axis=1)].sum())

    def worst(self) -> tuple[int, Callable[[Indices], Indices], int] | None:
        """Of the group or secret that binds most: the units it needs, a function that counts its members in each home,
        and its cap; None if nothing binds.
        """
        over = -((self._caps * self._total - self._rank * self._sums[:-1]) // self._rank)
        group = int(np.argmax(over / np.maximum(self._caps, 1)))
        x = max(self._alone, key=self._alone.__getitem__, default=-1)
        alone = -((self._total - self._rank * self._alone.get(x, 0)) // self._rank)
        if alone > 0 and alone * self._caps[group] >= over[group]:
            return alone, lambda members: np.asarray((members == x).any(axis=1).astype(np.int64)), 1
        if over[group] <= 0:
            return None

        def inside(members: Indices) -> Indices:
            groups = self._tree.up(self._tree.group_of[members])
            return np.asarray(sum((some == group).sum(axis=1) for some in groups))

        return int(over[group]), inside, int(self._caps[group])
