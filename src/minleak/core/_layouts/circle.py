"""The circle: one ring, every secret one segment, end to end in input order. O(n)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._layouts.base import RingLayout
from minleak.core._layouts.giants import LayoutInput, LayoutResult
from minleak.core._plan.rings import Homes, Ring
from minleak.groups._homes import lay_along_tree


@dataclass(frozen=True)
class Circle(RingLayout):
    """The fastest layout to make, for secrets that are drawn once: McNaughton's wrap-around rule.

    No segment is longer than a track, since u * w_x <= the total, so no secret meets itself. There are at most as many
    distinct sets as secrets. Repeated draws soon identify a secret: use `Stable` for those. O(n).

    >>> import minleak as ml
    >>> ml.design([36, 30, 20, 14], k=3, layout=ml.Circle())
    Plan(n=4, k=3, giants=1, layout='circle', homes=0, segments=3)
    """

    name = "circle"
    homes_in_engine = False

    def lay(self, problem: LayoutInput) -> LayoutResult:
        """One ring in input order, or along the tree of groups if there are any."""
        if not problem.giants.rest_weight:
            return LayoutResult.nothing(problem)
        weights, u = problem.weights, problem.u
        members: Any = range(len(weights))
        if problem.tier is not None or len(problem.giants.members) or weights.min() == 0:
            members = problem.loose()
            weights = weights[members]
        if problem.tier is not None:
            return LayoutResult(Homes.none(u), lay_along_tree(members, weights, problem.tier.tree, u))
        starts = np.empty(len(weights), dtype=np.int64)
        starts[0] = 0
        np.cumsum(weights[:-1], out=starts[1:])
        length = int(starts[-1]) + int(weights[-1])
        starts *= u
        return LayoutResult(Homes.none(u), (Ring(members, starts, length, u),))
