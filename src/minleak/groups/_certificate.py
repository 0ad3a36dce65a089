"""The certificate of groups: the tiers of a plan are the principal partition, and every set keeps the caps.

Let F_i be the giants and members of the densest tiers, down to one after which the density falls. At most r(F_i) of
them are in any allowed set, so for every channel the sum of the r(F_i) largest of each column is at least w(F_i) in
all. If r(F_i) is the number of places that the plan gives them, that is what the plan has: none has less at these
points, nor between them, where the plan's sums are linear and all others concave. So every channel majorizes pi.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Indices
from minleak.core._plan.groups import GroupTree

if TYPE_CHECKING:
    from minleak.core._plan.plan import Plan


def is_principal(plan: Plan, tree: GroupTree) -> bool:
    """Whether no set may have more members of the densest tiers than the plan's sets have, at every fall of density."""
    blocks: list[Any] = [(Fraction(int(plan.weights[x])), 1, x) for x in plan.giants.tolist()]
    blocks += [(Fraction(tier.weight, tier.rank), tier.rank, tier.members()) for tier in plan.tiers]
    blocks.sort(key=lambda block: -block[0])
    inside, places = np.zeros(len(plan.weights), dtype=bool), 0
    for _, some in groupby(blocks, key=lambda block: block[0]):
        for _, rank, members in some:
            inside[members] = True
            places += rank
        if _most_members(tree, inside, plan.k) != places:
            return False
    return True


def _most_members(tree: GroupTree, inside: npt.NDArray[np.bool_], k: int) -> int:
    """r(F): how many of these secrets an allowed set may have, one group after the other."""
    counts = np.bincount(tree.group_of[inside], minlength=len(tree.caps))
    if (tree.parents < 0).all():
        return min(k, int(np.minimum(counts, tree.caps).sum()))
    left, whole = counts.tolist(), 0
    for group, (cap, parent) in enumerate(zip(tree.caps.tolist(), tree.parents.tolist(), strict=True)):
        most = min(left[group], cap)
        if parent < 0:
            whole += most
        else:
            left[parent] += most
    return min(k, whole)


def keeps_caps(plan: Plan, tree: GroupTree) -> bool:
    """Whether no set of the plan has more members of a group than its cap."""
    return all(within_caps(sets, tree) for sets in _all_sets(plan))


def _all_sets(plan: Plan) -> Iterator[Indices]:
    """Every set, a row each, in blocks of one width."""
    for sets, _ in plan.cells():
        yield np.hstack([np.broadcast_to(plan.giants, (len(sets), plan.n_giants)), sets])
    for members in plan.zero_weight_sets():
        yield members[None, :]


def within_caps(sets: Indices, tree: GroupTree) -> bool:
    """A group has more than c members in a row, sorted by group, if one of them stands c places before another."""
    groups = np.where(sets >= 0, tree.group_of[sets], -1).astype(np.int64)
    while (groups >= 0).any():
        groups = np.sort(groups, axis=1)
        for apart in range(1, groups.shape[1]):
            same = (groups[:, apart:] == groups[:, :-apart]) & (groups[:, apart:] >= 0)
            if not same.any():
                break
            if (tree.caps[groups[:, apart:][same]] <= apart).any():
                return False
        groups = np.where(groups >= 0, tree.parents[groups], -1)
    return True
