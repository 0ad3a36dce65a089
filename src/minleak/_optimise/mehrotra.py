"""Mehrotra's interior-point method, for linear programmes whose Newton equations have a structure of their own.

Positive numbers x with multipliers s, all products x s driven to zero together. A step predicts how far they would get,
and aims there with a correction of second order, cut off where it would throw iterates off the central path. What comes
of it is made feasible and certified as every solver's answer is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from minleak._data.arrays import Array

# Steps at most, and how much of the way to the boundary one may go.
_STEPS, _SHARE = 300, 0.995
# After a shorter step the next one keeps to the middle, and corrections are cut at so many mean products.
_SHORT, _CUT = 0.1, 5.0
# Steps shorter than this lead nowhere.
_STUCK = 1e-8


@dataclass(frozen=True, eq=False)
class InteriorPoint:
    """Positive x and their multipliers s, in one order; other unknowns t; and the multipliers lam of the equations."""

    x: Array
    s: Array
    t: Array
    lam: Array


# For wanted products x s: the changes of x, t and lam after which, to first order, these and all equations hold.
Direction = Callable[[Array], tuple[Array, Array, Array]]


class InteriorProgramme(ABC):
    """A linear programme with its own way to solve Newton's equations."""

    @abstractmethod
    def start(self) -> InteriorPoint:
        """A point inside."""

    @abstractmethod
    def direction(self, at: InteriorPoint) -> Direction:
        """Newton's equations at a point, factored once; LinAlgError where they have lost their digits."""

    @abstractmethod
    def enough(self, at: InteriorPoint) -> float:
        """The sum of the products that is small enough."""

    def solve(self) -> InteriorPoint:
        """The best point found."""
        best = at = self.start()
        least = np.inf
        for _ in range(_STEPS):
            gap = float(at.x @ at.s)
            if not gap < np.inf:
                break
            if gap < least:
                best, least = at, gap
            if gap <= self.enough(at):
                break
            try:
                at, length = self._step(at, gap)
            except np.linalg.LinAlgError:
                break
            if length < _STUCK:
                break
        return best

    def _step(self, at: InteriorPoint, gap: float) -> tuple[InteriorPoint, float]:
        direction, mean = self.direction(at), gap / len(at.x)

        def towards(products: Array) -> InteriorPoint:
            dx, dt, dlam = direction(products)
            return InteriorPoint(dx, products / at.x - at.s - at.s / at.x * dx, dt, dlam)

        ahead = towards(np.zeros_like(at.x))
        primal, dual = _lengths(at, ahead)
        left = float((at.x + primal * ahead.x) @ (at.s + dual * ahead.s))
        aim = mean * ((left / gap) ** 3 if min(primal, dual) > _SHORT else 0.5)
        ahead = towards(aim - np.clip(ahead.x * ahead.s, -_CUT * mean, _CUT * mean))
        primal, dual = (1.0 if length >= 1 else _SHARE * length for length in _lengths(at, ahead))
        moved = InteriorPoint(
            at.x + primal * ahead.x, at.s + dual * ahead.s, at.t + primal * ahead.t, at.lam + dual * ahead.lam
        )
        return moved, max(primal, dual)


def _lengths(at: InteriorPoint, ahead: InteriorPoint) -> tuple[float, float]:
    """The longest steps up to 1 that keep x and s from crossing zero."""
    primal, dual = float((-ahead.x / at.x).max()), float((-ahead.s / at.s).max())
    return 1 / max(primal, 1.0), 1 / max(dual, 1.0)
