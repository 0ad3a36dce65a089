"""Partition: secrets in blocks, and what showing the block of a secret leaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._columns import Block, blocks_of
from minleak.core._entropy.base import ConditionalEntropy, evaluate
from minleak.core._entropy.names import as_entropies
from minleak.core._leakage import difference
from minleak.core._plan.groups import GroupTree
from minleak.core._prior import Prior
from minleak.errors import InvalidParameter

Indices = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Partition:
    """Block b has `members[begins[b]:begins[b + 1]]`: every secret stands once, and no block is empty."""

    members: Indices
    begins: Indices

    @classmethod
    def by_codes(cls, codes: Indices) -> Partition:
        """Secrets of equal codes together: whole numbers from 0 on, of which some may be nobody's."""
        import scipy.sparse as sp

        n = len(codes)
        rows = sp.csr_array((np.ones(n, dtype=bool), (codes, np.arange(n))))  # sorted by counting
        begins = rows.indptr.astype(np.int64)
        return cls(rows.indices, begins[np.append(True, begins[1:] > begins[:-1])])

    def wrong_with(self, n: int, k: int) -> str | None:
        """The problem with blocks of at most k of n secrets; None if they are valid."""
        members, begins = self.members, self.begins
        if not all(isinstance(a, np.ndarray) and a.ndim == 1 and a.dtype.kind == "i" for a in (members, begins)):
            return "members and begins are not integers"
        if not (len(members) == n and members.min() >= 0 and members.max() < n):
            return "the members are not the secrets"
        found = np.zeros(n, dtype=bool)
        found[members] = True
        if not found.all():
            return "a secret is in no block"
        if not (len(begins) > 1 and begins[0] == 0 and begins[-1] == n and bool((begins[1:] > begins[:-1]).all())):
            return "the blocks do not follow each other"
        return None if self.sizes.max() <= k else f"a block has more than k = {k} members"

    @property
    def sizes(self) -> Indices:
        """How many members each block has."""
        return np.diff(self.begins)

    def block_of(self) -> Indices:
        """The block of each secret."""
        blocks = np.empty(len(self.members), dtype=self.members.dtype)
        blocks[self.members] = np.repeat(np.arange(len(self.begins) - 1, dtype=blocks.dtype), self.sizes)
        return blocks

    def rows(self, blocks: Indices, width: int) -> npt.NDArray[np.int64]:
        """The members of these blocks, a row each, filled up by -1."""
        begins, places = self.begins[blocks], np.arange(width)
        there = places < (self.begins[blocks + 1] - begins)[:, None]
        return np.where(there, self.members[np.where(there, begins[:, None] + places, 0)], -1).astype(np.int64)

    def success(self, prior: Prior) -> float:
        """How often the likeliest member of the block is the secret: the sum of the blocks' largest weights."""
        return float(np.maximum.reduceat(prior.p[self.members], self.begins[:-1]).sum())

    def entropies(self, prior: Prior, measures: Sequence[ConditionalEntropy]) -> list[float]:
        """H(X|Y) in each entropy, by one pass over the blocks. O(n)."""
        if not all(H.symmetric for H in measures):
            raise InvalidParameter("blocks are measured in plain entropies, which do not ask whose a probability is")
        return evaluate(measures, blocks_of(self.columns(prior.p[self.members])))

    def columns(self, p: Array) -> Block:
        """A column for each block; where all but the last are of one size, without an index."""
        import scipy.sparse as sp

        n, sizes = len(p), self.sizes
        size = int(sizes[0])
        if (sizes[:-1] == size).all() and sizes[-1] <= size:
            return np.concatenate([p, np.zeros(-n % size)]).reshape(-1, size).T
        index = np.int32 if n < 2**31 else np.int64
        entries = (p, np.arange(n, dtype=index), self.begins.astype(index))
        return sp.csc_array(entries, shape=(n, len(sizes)))

    def leakages(self, prior: Prior, entropies: Sequence[ConditionalEntropy | str]) -> dict[str, float]:
        """H(X) - H(X|Y) by the names of the entropies."""
        measures = as_entropies(entropies)
        after = self.entropies(prior, measures)
        return {H.name: difference(H, H(prior), value) for H, value in zip(measures, after, strict=True)}


def cut(weights: npt.NDArray[Any], k: int) -> Partition:
    """The secrets from the heaviest down, ties in their order, cut into blocks of k: the last one takes what is left.

    In a block they stand in the prior's order, so that it tells nothing more. O(n log n).
    """
    order = sort_by_weight(weights)
    n = len(order)
    whole = n - n % k
    members = np.concatenate([np.sort(order[:whole].reshape(-1, k), axis=1).ravel(), np.sort(order[whole:])])
    return Partition(members, np.append(np.arange(0, n, k), n))


def fit(weights: npt.NDArray[Any], k: int, tree: GroupTree) -> Partition:
    """The secrets from the heaviest down, each in the first block that has fewer than k members and room for its
    group: sorted and cut, where the caps allow it. About O(n log n).
    """
    from minleak.groups._fitting import first_fit

    order = sort_by_weight(weights)
    numbers, sizes = first_fit(tree.group_of[order], tree.parents, tree.caps, k)
    members = order[np.lexsort((order, numbers))]
    return Partition(members, np.concatenate([[0], np.cumsum(sizes)]))


def sort_by_weight(weights: npt.NDArray[Any]) -> Indices:
    """The positions of the weights from the largest down, ties in order."""
    n = len(weights)
    if weights.dtype == np.int64 and n >= _MANY:
        from minleak.core import _sorting as sorting

        return np.asarray(sorting.sort_descending(weights, np.int32 if n < 2**31 else np.int64)[1])
    return np.argsort(-weights, kind="stable").astype(np.int32 if n < 2**31 else np.int64)


# From so many secrets on the compiled sort is worth loading.
_MANY = 1 << 18
