"""Blocks as a layout: the secrets sorted and cut, instead of laid on rings."""

from __future__ import annotations

from dataclasses import dataclass

from minleak._layouts.base import Layout
from minleak._plan.base import BLOCKS


@dataclass(frozen=True)
class Blocks(Layout):
    """The layout without randomness: a secret is always in the same set, and there is no key. It leaks a little more
    than the others, which draw their sets, and makes a plan of its own kind, `results.BlockPlan`.

    >>> import minleak as ml
    >>> ml.design([36, 30, 20, 14], k=2, layout=ml.Blocks())
    BlockPlan(n=4, k=2, blocks=2)
    """

    name = kind = BLOCKS
