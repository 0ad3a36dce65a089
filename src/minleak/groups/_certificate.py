"""The certificate of groups: the tiers of a plan are the principal partition, and every set keeps the caps.

Let F_i be the giants and members of the densest tiers, down to one after which the density falls. At most r(F_i) of
them are in any allowed set, so for every channel the sum of the r(F_i) largest of each column is at least w(F_i) in
all. If r(F_i) is the number of places that the plan gives them, that is what the plan has: none has less at these
points, nor between them, where the plan's sums are linear and all others concave. So every channel majorizes pi.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Indices
from minleak.core._plan.groups import GroupTree

if TYPE_CHECKING:
    from minleak.core._plan.plan import Plan


class Tier(NamedTuple):
    """So many members of every set are of the tier, whose members have this weight."""

    rank: int
    weight: int
    members: Indices


def find_tiers(plan: Plan, left: int) -> list[Tier]:
    """The tiers that a plan says it has, with the secrets that it shows on their lanes; one tier has all that `left` of
    the giants.
    """
    if not plan.tiers:
        loose = plan.weights > 0
        loose[plan.giants] = False
        members = np.flatnonzero(loose)
        return [Tier(plan.k - len(plan.giants), left, members)] if left else []
    found, lane = [], 0
    for rank, weight in plan.tiers:
        begin, end = np.searchsorted(plan.starts, [lane * plan.length, (lane + rank) * plan.length])
        members = np.unique(plan.members[begin:end]).astype(np.int64)
        right = begin < len(plan.starts) and plan.starts[begin] == lane * plan.length
        whole = int(plan.weights[members].sum()) == weight
        found.append(Tier(rank, weight if right and whole else 0, members))
        lane += rank
    return found


def most_members(tree: GroupTree, inside: npt.NDArray[np.bool_], k: int) -> int:
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
