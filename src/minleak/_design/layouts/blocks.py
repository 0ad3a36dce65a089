"""Blocks as a layout: the secrets sorted and cut, instead of laid on rings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from minleak._data.prior import Prior
from minleak._data.progress import Progress
from minleak._design.blocks.partition import cut
from minleak._design.blocks.plan import BlockPlan
from minleak._design.layouts.base import Layout
from minleak._design.stored.kinds import BLOCKS
from minleak.errors import InvalidParameter


@dataclass(frozen=True)
class Blocks(Layout):
    """The layout without randomness: a secret is always in the same set, and there is no key. It leaks a little more
    than the others, which draw their sets, and makes a plan of its own kind, `results.BlockPlan`.

    >>> import minleak as ml
    >>> ml.design([36, 30, 20, 14], k=2, layout=ml.Blocks())
    BlockPlan(n=4, k=2, blocks=2)
    """

    name = kind = BLOCKS

    def plan(self, prior: Prior, k: int, gains: Iterable[Any] | None, progress: Progress) -> BlockPlan:
        """The best blocks for a prior and a cap. O(n log n)."""
        del progress
        if gains is not None:
            raise InvalidParameter("gains= goes with plans that draw their sets: blocks are made for the prior")
        return BlockPlan(prior, k, cut(prior, k))
