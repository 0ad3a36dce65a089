"""Opening a .cloak file that holds blocks."""

from __future__ import annotations

import numpy as np

from minleak._file.format import Contents, demand, demand_whole
from minleak._plan.partition import Partition
from minleak._plans.blocks import BlockDrawable, BlockPlan


def drawable(contents: Contents) -> BlockDrawable:
    """The blocks with their index: every secret is in one block, no block is empty or has more than k members."""
    members, begins = contents.vector("members", "i4 i8"), contents.vector("begins", "i8")
    n = len(members)
    k = demand_whole(contents.numbers["k"], 1, n)
    contents.in_range(members, 0, n)
    demand(bool((np.bincount(members, minlength=n) == 1).all()))
    demand(len(begins) > 1 and begins[0] == 0 and begins[-1] == n)
    contents.in_range(begins, 0, n + 1)
    sizes = np.diff(begins)
    demand(bool(sizes.min() >= 1 and sizes.max() <= k))
    names = contents.names(n)
    prior = contents.given_prior(names)
    demand(len(prior) == n)
    blocks = BlockPlan(prior, k, Partition(members, begins))
    return BlockDrawable(blocks, contents.index(names, prior.labels))
