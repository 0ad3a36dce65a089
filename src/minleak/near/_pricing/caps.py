"""Caps: how many members of nested groups a set may have, for some of the secrets, as pricing and peeling need it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak.core._arrays import Indices
from minleak.groups._tiers import TierCaps


@dataclass(frozen=True)
class Caps:
    """Member i is in the groups `chains[:, i]`, from the inside out, -1 for none, and a set has at most `most[g]` of
    group g. Groups that no set can have too many of are left out.
    """

    chains: Indices
    most: Indices

    @classmethod
    def none(cls, n: int) -> Caps:
        """No groups."""
        return cls(np.empty((0, n), dtype=np.int64), np.empty(0, dtype=np.int64))

    @classmethod
    def of_tier(cls, tier: TierCaps | None, n: int, u: int) -> Caps:
        """Those of all n secrets."""
        if tier is None:
            return cls.none(n)
        chains = np.stack(list(tier.tree.up(tier.tree.group_of.astype(np.int64))))
        return cls(chains, tier.caps).of(np.arange(n), u)

    def of(self, some: Indices, u: int) -> Caps:
        """Those of some of the members, with numbers of their own, for sets of u."""
        chains, most, before = [], [np.empty(0, dtype=np.int64)], 0
        for level in self.chains[:, some]:
            names, at, sizes = np.unique(level, return_inverse=True, return_counts=True)
            binding = (names >= 0) & (self.most[names] < np.minimum(sizes, u))
            if not binding.any():
                continue
            number = np.where(binding, before + np.cumsum(binding) - 1, -1)
            chains.append(number[at.ravel()])
            most.append(self.most[names[binding]])
            before += int(binding.sum())
        rows = np.stack(chains) if chains else np.empty((0, len(some)), dtype=np.int64)
        return Caps(np.ascontiguousarray(rows, dtype=np.int64), np.concatenate(most))
