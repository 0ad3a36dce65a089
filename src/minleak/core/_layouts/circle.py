"""The circle: one ring, every secret one segment, end to end in input order. O(n)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak.core._layouts.base import Laid, Layout, LayoutInput
from minleak.groups._homes import lay_along_tree


@dataclass(frozen=True)
class Circle(Layout):
    """The fastest layout to make, for secrets that are drawn once: McNaughton's wrap-around rule.

    No segment is longer than a lane, since u * w_x <= the total, so no secret meets itself. There are at most as many
    distinct sets as secrets. Repeated draws soon identify a secret: use `Stable` for those. O(n).

    >>> import minleak as ml
    >>> ml.design([36, 30, 20, 14], k=3, layout=ml.Circle())
    Plan(n=4, k=3, giants=1, layout='circle', homes=0, segments=3)
    """

    name = "circle"
    homes_in_engine = False

    def lay(self, problem: LayoutInput) -> Laid:
        """One ring in input order, or along the tree of groups if there are any."""
        u, members = problem.u, problem.loose()
        weights = problem.weights[members]
        if problem.tier is not None:
            return Laid.ring(*lay_along_tree(members, weights, problem.tier.tree, u), u)
        index = np.int32 if len(problem.weights) < 2**31 else np.int64
        return Laid.ring(members.astype(index), u * (np.cumsum(weights) - weights), u)
