"""The principal partition under caps on nested groups: the giants, and the tiers of the other secrets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices
from minleak.core._plan.groups import GroupTree
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak.core._layouts.base import Laid


@dataclass(frozen=True)
class TierCaps:
    """A tier to be laid: `rank` members of every set are of it, and at most `caps[g]` of these are of group g. Its
    `members` are all secrets that have weight and are no giants, where that is None.
    """

    tree: GroupTree
    rank: int
    weight: int
    caps: Indices
    members: Indices | None = None


@dataclass(frozen=True)
class TierPartition:
    """The blocks of the principal partition: `giants` are those of one member, the heaviest first, and `tiers` the
    others, the densest first.
    """

    giants: Indices
    tiers: tuple[TierCaps, ...]

    def target(self, weights: Indices) -> Array:
        """pi, largest first: the posterior of every observable of an optimal channel."""
        rest = [tier.weight / tier.rank for tier in self.tiers for _ in range(tier.rank)]
        pi = np.concatenate([weights[self.giants], rest])
        return np.asarray(np.sort(pi)[::-1] / pi.sum())


def on_common_grid(weights: Indices, tiers: Sequence[TierCaps], room: int) -> tuple[Indices, int, float]:
    """The weights of several tiers on grids of one total, which is at most `room`; that total; and how far that moves
    the prior, in total variation.

    If the least common multiple of the tiers' weights fits, nothing moves. Else the weights along the tree are rounded
    by their running sum, so that every secret and every group, which is one piece of the line, moves by less than one
    unit: since the total is a multiple of all ranks, r w(A) <= c_A (total) still holds for each group A.
    """
    total = math.lcm(*(tier.weight for tier in tiers))
    exact = total <= room
    if not exact:
        unit = math.lcm(*(tier.rank for tier in tiers))
        total = room // unit * unit
        if total < max(tier.weight for tier in tiers):
            raise InvalidParameter(
                "the caps on groups must leave tiers whose ranks have a small common multiple; got "
                f"{', '.join(str(tier.rank) for tier in tiers)}. Use fewer different caps."
            )
    out, apart, whole = np.zeros_like(weights), 0.0, sum(tier.weight for tier in tiers) + 0.0
    for tier in tiers:
        members = np.flatnonzero(weights) if tier.members is None else tier.members
        along = members[np.argsort(tier.tree.places[tier.tree.group_of[members]], kind="stable")]
        if exact:
            out[along] = weights[along] * (total // tier.weight)
            continue
        ends = [running * total // tier.weight for running in np.cumsum(weights[along]).tolist()]
        out[along] = np.diff(np.array(ends, dtype=np.int64), prepend=0)
        moved = float(np.abs(out[along] / total - weights[along] / tier.weight).sum())
        apart += 0.5 * moved * tier.weight / whole
    return out, total, apart


def lanes_of(laid: Laid, rank: int, phases: int) -> tuple[Indices, Indices]:
    """What was laid, homes and ring, on lanes of so many phases alone: the owners of segments and where each starts."""
    lengths = rank * laid.home_weights
    at_homes = int(lengths.sum())
    length = phases - at_homes
    starts = [np.add.outer(np.arange(rank) * phases, np.cumsum(lengths) - lengths).ravel()]
    owners = [laid.home_members.T.ravel()]
    if length:
        # a segment that goes on over the end of a lane is cut where the homes lie between
        edges = np.arange(rank) * length
        cut = np.unique(np.concatenate([laid.starts, edges]))
        owners.append(laid.members[np.searchsorted(laid.starts, cut, side="right") - 1])
        starts.append(cut // length * phases + at_homes + cut % length)
    line, begins = np.concatenate(owners), np.concatenate(starts)
    order = np.argsort(begins, kind="stable")
    return line[order], begins[order]


def find_partition(weights: Indices, k: int, tree: GroupTree) -> TierPartition:
    """The principal partition of the secrets under a cap k on the size of a set and caps on nested groups.

    F_0 = {}, and F_i is a set that maximises (w(F) - w(F_{i-1})) / (r(F) - r(F_{i-1})), r(F) the most members of F that
    a set may have: the blocks are F_i without F_{i-1}, of that density and rank. From the inside out: the blocks of a
    group are those of what lies in it, if their ranks add up to at most its cap. Else those denser than the weight of
    the rest over the places left stay by themselves, and all others become one block of the rank that is left. All in
    integers: k times the total weight is at most 2^62. O(n), and O(groups) for each level.
    """
    search = _PartitionSearch(weights, k, tree)
    for level in range(1, int(search.levels[-1]) + 1):
        search.climb(level)
    return search.to_partition()


class _PartitionSearch:
    """All blocks found on the way up the tree. Block b has weight `weights[b]` and rank `ranks[b]`; it is the single
    secret `singles[b]`, or -1 if it has several, and became part of the block `into[b]`, itself if of none. The
    `active` blocks lie in the groups `groups`; the last group is the whole set.
    """

    def __init__(self, weights: Indices, k: int, tree: GroupTree) -> None:
        """Start with the blocks of the groups that hold secrets."""
        from minleak.groups import _grouping as grouping

        self._of_secrets, self._tree = weights, tree
        root = len(tree.parents)
        self._parents = np.append(np.where(tree.parents < 0, root, tree.parents), root)
        self._caps = np.append(np.minimum(tree.caps, k), k)
        self.levels = np.append(tree.levels, tree.levels.max() + 1)
        left, counts = grouping.sum_groups(weights, tree.group_of, root)
        room, over = self._caps[:-1].copy(), counts > self._caps[:-1]
        begins = np.concatenate([[0], np.cumsum(np.minimum(counts, room))])
        top = grouping.find_heaviest(weights, tree.group_of, begins)
        of = np.repeat(np.arange(root), np.diff(begins))
        apart = ~over[of] | _separate(weights[top], np.ones_like(top), of, left, room, over[of])
        singles, full = top[apart], np.flatnonzero(over)
        self.weights = np.concatenate([weights[singles], left[full]])
        self.ranks = np.concatenate([np.ones_like(singles), room[full]])
        self.singles = np.concatenate([singles, np.full(len(full), -1)])
        self.into = self.active = np.arange(len(self.weights))
        self.groups = np.concatenate([of[apart], full])
        self._block_of = np.full(root, -1)  # of a group that holds secrets, where it became one
        self._block_of[full] = len(singles) + np.arange(len(full))
        self._seen = [(self.active, self.groups)]
        self.groups = self._parents[self.groups]

    def climb(self, level: int) -> None:
        """Merge the blocks inside each group of a level into the blocks of that group."""
        here = self.levels[self.groups] == level
        met, groups = self.active[here], self.groups[here]
        ranks, left = np.zeros_like(self._caps), np.zeros_like(self._caps)
        np.add.at(ranks, groups, self.ranks[met])
        np.add.at(left, groups, self.weights[met])
        room, over = self._caps.copy(), ranks > self._caps
        apart = _separate(self.weights[met], self.ranks[met], groups, left, room, over[groups]) | ~over[groups]
        full = np.flatnonzero(over)
        made = len(self.weights) + np.arange(len(full))
        number = np.full(len(self._caps), -1)
        number[full] = made
        self.into = np.concatenate([self.into, made])
        self.into[met[~apart]] = number[groups[~apart]]
        self.weights = np.concatenate([self.weights, left[full]])
        self.ranks = np.concatenate([self.ranks, room[full]])
        self.singles = np.concatenate([self.singles, np.full(len(full), -1)])
        found, of = np.concatenate([met[apart], made]), np.concatenate([groups[apart], full])
        self._seen.append((found, of))
        self.active = np.concatenate([self.active[~here], found])
        self.groups = np.concatenate([self.groups[~here], self._parents[of]])

    def to_partition(self) -> TierPartition:
        """Giants and tiers, from the blocks of the whole set."""
        final = self.into
        while not np.array_equal(final, self.into[final]):
            final = self.into[final]
        alone = self.singles[self.active] >= 0
        giants = self.singles[self.active[alone]]
        giants = giants[np.lexsort((giants, -self._of_secrets[giants]))]
        rest = sorted(self.active[~alone].tolist(), key=lambda b: -Fraction(int(self.weights[b]), int(self.ranks[b])))
        tiers = np.full(len(final), -1)
        tiers[rest] = np.arange(len(rest))
        of_block = tiers[final]
        members = self._members(of_block, len(rest)) if len(rest) > 1 else [None] * len(rest)
        caps = np.zeros((len(rest), len(self._caps)), dtype=np.int64)
        for found, groups in self._seen:
            inside = of_block[found] >= 0
            np.add.at(caps, (of_block[found[inside]], groups[inside]), self.ranks[found[inside]])
        return TierPartition(
            giants,
            tuple(
                TierCaps(self._tree, int(self.ranks[b]), int(self.weights[b]), own[:-1], some)
                for b, own, some in zip(rest, caps, members, strict=True)
            ),
        )

    def _members(self, of_block: Indices, count: int) -> list[Indices | None]:
        """The secrets of each tier."""
        of_group = np.where(self._block_of >= 0, of_block[self._block_of], -1)
        tiers = of_group[self._tree.group_of]
        single = self.singles >= 0
        tiers[self.singles[single]] = of_block[single]
        tiers[self._of_secrets == 0] = -1
        return [np.flatnonzero(tiers == tier) for tier in range(count)]


def _separate(
    weights: Indices, ranks: Indices, groups: Indices, left: Indices, room: Indices, open_: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Which of the open blocks stay by themselves in their groups, of which `left` is the weight and `room` the cap;
    they are taken off both. Taking off blocks denser than the mean of a group only lowers the mean.
    """
    apart = np.zeros(len(weights), dtype=bool)
    while True:
        dense = open_ & ~apart & (weights * room[groups] > left[groups] * ranks)
        if not dense.any():
            return apart
        apart |= dense
        np.subtract.at(left, groups[dense], weights[dense])
        np.subtract.at(room, groups[dense], ranks[dense])
