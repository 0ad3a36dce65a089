"""Cheapest: among all plans, which leak the same, the one whose sets cost least, by costs that the caller gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from minleak._layouts.base import RingLayout
from minleak._layouts.giants import LayoutInput, LayoutResult
from minleak._layouts.pricing.cheapest import cheapest
from minleak._plan.distances import Distances, from_costs


@dataclass(frozen=True, eq=False)
class Cheapest(RingLayout):
    """As `Near`, with d itself in place of coordinates.

    Parameters
    ----------
    cost
        A matrix d(z,i), its rows centres and its columns secrets, or a callable d(z, i) of index arrays. Only memory
        limits it, n^2 numbers.

    >>> import minleak as ml
    >>> ml.design([3, 3, 3, 3], k=2, layout=ml.Cheapest(lambda z, i: abs(z % 2 - i % 2))).cost
    0.0
    """

    cost: Any = field(repr=False)

    name = "cheapest"

    def distances(self, ground: LayoutInput) -> Distances:
        """Those that were given."""
        return from_costs(self.cost, len(ground.weights))

    def lay(self, ground: LayoutInput) -> LayoutResult:
        """With centres as the matrix has them."""
        distances = self.distances(ground)
        return cheapest(ground, distances)
