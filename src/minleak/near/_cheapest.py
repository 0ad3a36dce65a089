"""Cheapest: the optimal plan whose sets cost least, by costs that the caller gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from minleak.core._layouts.base import Laid, Layout, LayoutInput
from minleak.core._plan.distances import Distances, from_costs
from minleak.near._pricing.cheapest import lay_cheapest


@dataclass(frozen=True, eq=False)
class Cheapest(Layout):
    """Like `Near`, with the distances d themselves in place of coordinates.

    Parameters
    ----------
    cost
        A matrix d(z,i), its rows centres and its columns secrets, by label where it is a frame; or a callable d(z, i)
        of index arrays. Takes n^2 numbers of memory.

    >>> import minleak as ml
    >>> ml.design([3, 3, 3, 3], k=2, layout=ml.Cheapest(lambda z, i: abs(z % 2 - i % 2))).cost
    0.0
    """

    cost: Any = field(repr=False)

    name = "cheapest"

    def distances(self, problem: LayoutInput) -> Distances:
        """The costs as a matrix."""
        return from_costs(self.cost, problem.prior.labels)

    def lay(self, problem: LayoutInput) -> Laid:
        """With the rows of the matrix as centres."""
        return lay_cheapest(problem, self.distances(problem))
