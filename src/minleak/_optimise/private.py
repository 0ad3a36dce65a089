"""Privacy: C[x,y] <= exp(epsilon d(x,x')) C[x',y] as linear rows, and matrices that keep it exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._data.labels import Labels
from minleak._data.metrics import distances_between, shortest_paths
from minleak._data.parameters import real
from minleak._optimise.spanners import Spanner, spanner_of
from minleak.errors import InvalidParameter, shown

# A way round is no longer than the direct one if it is so up to rounding.
_ROUNDING = 1e-9
# Beyond this epsilon d nothing is asked of a pair in the rows of a solver: exp(-this) is below its tolerance. The
# matrix that is returned keeps to the pair all the same.
_FAR = 25.0


@dataclass(frozen=True, eq=False)
class Privacy:
    """epsilon and the distances along shortest ways, which are what the metric implies; infinite where it asks nothing.

    Rows of the solver are v[second] >= factor v[first] for the columns v of C, for those pairs only that do not follow
    from others by way of a third secret: on a grid, cells that see each other. With a `spanner` they are its edges.
    """

    epsilon: float
    distances: Array
    spanner: Spanner | None = None

    def widened(self) -> Privacy | None:
        """With a spanner, what the metric implies along its edges; every channel that keeps to the metric does so."""
        return None if self.spanner is None else Privacy(self.spanner.epsilon, self.spanner.ways)

    @cached_property
    def least(self) -> Array:
        """exp(-epsilon d): the least share of row x' in row x, entry by entry."""
        return np.asarray(np.exp(-self.epsilon * self.distances))

    @cached_property
    def pairs(self) -> tuple[Indices, Indices, Array]:
        """first, second and factor of the pairs that others do not imply, the nearest first."""
        d = self.distances
        n = len(d)
        needed = (self.epsilon * d <= _FAR) & ~np.eye(n, dtype=bool)
        for between in range(n):
            round_about = d[:, between, None] + d[None, between]
            implied = round_about <= d * (1 + _ROUNDING)
            implied[between] = implied[:, between] = False
            # Of secrets at one place none is between the other two, else all three pairs would go.
            implied &= (d[:, between] > 0)[:, None] & (d[between] > 0)[None]
            needed &= ~implied
        first, second = np.nonzero(needed)
        order = np.argsort(d[first, second], kind="stable")
        first, second = first[order], second[order]
        return first, second, self.least[first, second]

    @cached_property
    def classes(self) -> Indices:
        """The number of the class of secrets at finite distances that each is in: each observable is shown by all of a
        class or by none.
        """
        from scipy.sparse.csgraph import connected_components

        return np.asarray(connected_components(np.isfinite(self.distances) * 1.0, directed=False)[1])

    def kept(self, matrix: Array) -> Array:
        """A private matrix near one that is nearly so, rows summing to one: raised as far as the others ask, then all
        rows of a class brought to one sum by shares of their mean row.

        Shares T - S_x of the same row q stay private where T is so large that (T - S_x) <= exp(epsilon d) (T - S_x').
        """
        least = self.least
        matrix = matrix / matrix.sum(axis=1, keepdims=True)
        raised = np.empty_like(matrix)
        for x in range(len(matrix)):
            raised[x] = (least[x][:, None] * matrix).max(axis=0)
        sums = raised.sum(axis=1)
        apart = np.where(least < 1, 1 - least, np.inf)
        whole = (sums[None, :] + least * np.maximum(sums[None, :] - sums[:, None], 0) / apart).max(axis=1)
        for number in range(int(self.classes.max()) + 1):
            own = self.classes == number
            total = max(float(whole[own].max()), float(sums[own].max()))
            mean = raised[own].sum(axis=0)
            raised[own] += (total - sums[own])[:, None] * (mean / mean.sum())
            raised[own] /= raised[own].sum(axis=1, keepdims=True)
        return raised


def as_privacy(given: Any, secrets: Labels) -> Privacy:
    """(epsilon, metric), or (epsilon, metric, dilation), checked."""
    if not isinstance(given, tuple | list) or len(given) not in (2, 3):
        raise InvalidParameter(f"d_privacy is (epsilon, metric), or (epsilon, metric, dilation), not {shown(given)}")
    expected = "epsilon of d_privacy is a finite number from 0 on, in nats for a distance of 1"
    epsilon = real(given[0], expected, least=0, below=math.inf)
    distances = shortest_paths(distances_between(given[1], secrets))
    spanner = None if len(given) == 2 else spanner_of(epsilon, distances, given[2])
    if epsilon == 0:  # then all at finite distances are the same
        return Privacy(1.0, np.where(np.isfinite(distances), 0.0, np.inf))
    if spanner is None or spanner.dilation <= 1 + _ROUNDING:
        return Privacy(epsilon, distances)
    return Privacy(epsilon / spanner.dilation, spanner.ways, spanner)
