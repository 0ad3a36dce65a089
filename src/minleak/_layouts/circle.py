"""The circle: one ring, every secret one segment, end to end in input order. O(n)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._layouts.base import RingLayout
from minleak._layouts.giants import LayoutInput, LayoutResult
from minleak._layouts.homes import lay_along_tree
from minleak._plan.rings import Homes, Ring


@dataclass(frozen=True)
class Circle(RingLayout):
    """The quickest layout to make, for secrets that are drawn once: McNaughton's wrap-around rule.

    No segment is longer than a track, since u * w_x <= the total, so none meets itself. At most as many distinct sets
    as secrets. Repeated draws of one secret are soon told apart: use `Stable` there. O(n).

    >>> import minleak as ml
    >>> ml.design([36, 30, 20, 14], k=3, layout=ml.Circle())
    Plan(n=4, k=3, giants=1, layout='circle', homes=0, segments=3)
    """

    name = "circle"
    homes_in_engine = False

    def lay(self, ground: LayoutInput) -> LayoutResult:
        """One ring in input order, or along the tree of groups where there are some."""
        if not ground.giants.rest_weight:
            return LayoutResult.nothing(ground)
        weights, u = ground.weights, ground.u
        members: Any = range(len(weights))
        if ground.tier is not None:
            loose = ground.loose()
            tree = ground.tier.tree
            return LayoutResult(Homes.none(u), lay_along_tree(loose, weights[loose], tree.group_of[loose], tree, u))
        if len(ground.giants.members) or weights.min() == 0:
            members = ground.loose()
            weights = weights[members]
        starts = np.empty(len(weights), dtype=np.int64)
        starts[0] = 0
        np.cumsum(weights[:-1], out=starts[1:])
        length = int(starts[-1]) + int(weights[-1])
        starts *= u
        return LayoutResult(Homes.none(u), (Ring(members, starts, length, u),))
