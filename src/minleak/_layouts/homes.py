"""Homes under caps: the stable layout where secrets are in groups."""

from __future__ import annotations

import numpy as np

from minleak._data.arrays import Indices
from minleak._layouts.tiers import TierCaps
from minleak._plan.groups import GroupTree
from minleak._plan.rings import Homes, Ring


def along_the_tree(secrets: Indices, tree: GroupTree) -> Indices:
    """The secrets group after group, those of groups inside a group in one piece; as they come within a group."""
    from minleak._kernels import grouping

    return np.asarray(grouping.order_by_group(secrets, tree.group_of, tree.places))


def at_home_under_caps(weights: Indices, secrets: Indices, tier: TierCaps) -> tuple[Homes, tuple[Ring, ...]]:
    """Homes and the ring of residues for the secrets of a tier, which come from the heaviest down, with their weights.

    A home is a set of `tier.rank` members that keeps the caps, found by first fit, in which each has the weight of the
    lightest. The residues w' can form a ring along the tree if r w'(A) <= c_A w'(all) for every group A, and for every
    secret with c = 1. Where they cannot, homes give weight back: a unit from a home with b members of A frees c_A - b,
    so those with the fewest members of a group that binds give first, the heaviest among them before the others.
    """
    from minleak._kernels import fitting, grouping

    tree, rank = tier.tree, tier.rank
    numbers, sizes = fitting.first_fit(secrets, tree.group_of, tree.parents, tier.caps, rank)
    full = sizes == rank
    homes = np.where(full, np.cumsum(full) - 1, -1)
    members, last = grouping.fill_homes(secrets, numbers, homes, rank)
    home = weights[last].copy()
    number_of = homes[numbers]
    residues = weights - np.append(home, 0)[number_of]
    _give_back(home, members, residues, number_of, secrets, tier)
    kept = home > 0
    left = residues > 0
    found = Homes(members if kept.all() else members[kept], home[kept])
    return found, _residue_ring(secrets[left], residues[left], tier)


def _residue_ring(secrets: Indices, residues: Indices, tier: TierCaps) -> tuple[Ring, ...]:
    if not len(secrets):
        return ()
    from minleak._kernels import grouping

    order = grouping.order_by_group(np.arange(len(secrets)), tier.tree.group_of[secrets], tier.tree.places)
    own = residues[order]
    ends = np.cumsum(own)
    return (Ring(secrets[order], tier.rank * (ends - own), int(ends[-1]), tier.rank),)


def _give_back(
    home: Indices, members: Indices, residues: Indices, number_of: Indices, secrets: Indices, tier: TierCaps
) -> None:
    """Take from the homes what the residues need, in place. What is given never hurts a group, so that those that bind
    at first are all that ever do: fewer than the rank of the tier at each level, and as many secrets.
    """
    tree, rank = tier.tree, tier.rank
    while True:
        total = int(residues.sum())
        need, freed = _most_needed(residues, secrets, members, total, tier)
        if need <= 0:
            return
        for units in range(int(freed.max()), 0, -1):
            able = np.flatnonzero((freed == units) & (home > 0))
            able = able[np.argsort(-home[able], kind="stable")]
            give = np.minimum(home[able], np.maximum(-(-need // units) - (np.cumsum(home[able]) - home[able]), 0))
            home[able] -= give
            back = np.zeros(len(home) + 1, dtype=np.int64)
            back[able] = give
            residues += back[number_of]
            need -= units * int(give.sum())
            if need <= 0:
                break
    del tree, rank


def _most_needed(
    residues: Indices, secrets: Indices, members: Indices, total: int, tier: TierCaps
) -> tuple[int, Indices]:
    """What the group or secret that binds most needs, in units that homes free, and how many a unit of each home
    frees.
    """
    tree, rank = tier.tree, tier.rank
    sums = np.zeros(len(tree.parents) + 1, dtype=np.int64)
    np.add.at(sums, tree.group_of[secrets], residues)
    for level in range(int(tree.levels.max()) + 1):
        here = np.flatnonzero(tree.levels == level)
        np.add.at(sums, tree.parents[here], sums[here])
    over = -(-(rank * sums[:-1] - tier.caps * total) // rank)  # r w'(A) - c_A w'(all), over the r of a home
    group = int(np.argmax(over / np.maximum(tier.caps, 1)))
    heaviest = int(np.argmax(residues))
    alone = -(-(rank * int(residues[heaviest]) - total) // rank)
    if alone > over[group] / max(int(tier.caps[group]), 1):
        return alone, 1 - (members == secrets[heaviest]).any(axis=1).astype(np.int64)
    inside = np.zeros(members.shape, dtype=bool)
    for groups in tree.up(tree.group_of[members]):
        inside |= groups == group
    return int(over[group]), int(tier.caps[group]) - inside.sum(axis=1)
