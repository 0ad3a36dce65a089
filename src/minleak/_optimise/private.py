"""Privacy: C[x,y] <= exp(epsilon d(x,x')) C[x',y] as linear rows, and matrices that keep it exactly.

For many secrets it is asked along a spanner: few pairs whose distances imply nearly all others. A graph on the secrets
with ways at most delta times as long as the metric's distances is a spanner of dilation delta. Privacy with
epsilon/delta along its edges gives epsilon in the metric (Bordenabe, Chatzikokolakis, Palamidessi 2014): a valid
channel, which is somewhat dearer than the best. Privacy with epsilon along the edges alone asks less than the metric
does: what is best there bounds what is best from below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._data.channel import Channel
from minleak._data.labels import Labels
from minleak._data.parameters import real
from minleak._theory.metrics import distances_between, shortest_paths
from minleak._theory.privacy import d_privacy
from minleak.errors import InvalidParameter, SolverFailed, shown

# A way round is no longer than the direct one if it is so up to rounding.
_ROUNDING = 1e-9
# Beyond this epsilon d nothing is asked of a pair in the rows of a solver: exp(-this) is below its tolerance. The
# matrix that is returned keeps to the pair all the same.
_FAR = 25.0


@dataclass(frozen=True, eq=False)
class Spanner:
    """epsilon and the metric that were asked for, the lengths of the ways along the edges, and how many these are.

    `dilation` is what the ways have, at most what was asked for: no way is longer than that times the distance.
    """

    epsilon: float
    distances: Array
    ways: Array
    edges: int
    dilation: float

    def status(self, channel: Channel) -> str:
        """What is said of a channel, whose epsilon in the metric is computed from its entries."""
        found = d_privacy(channel, self.distances)
        if not found <= self.epsilon * (1 + _ROUNDING):
            raise SolverFailed(f"the channel has epsilon {found:.9g} in the metric, where {self.epsilon:.9g} was asked")
        return (
            f"an upper bound, along {self.edges:,} pairs of dilation {self.dilation:.6g}; epsilon {found:.9g} in the "
            "metric is certified"
        )


@dataclass(frozen=True, eq=False)
class Privacy:
    """epsilon and the distances along shortest ways, which are what the metric implies; infinite where it asks nothing.

    Rows of the solver are v[second] >= factor v[first] for the columns v of C, for those pairs only that do not follow
    from others by way of a third secret: on a grid, cells that see each other. With a `spanner` they are its edges.
    """

    epsilon: float
    distances: Array
    spanner: Spanner | None = None
    delta: float = 0.0

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

    @property
    def coefficients(self) -> tuple[Array, Array]:
        """What the entries of first and of second are multiplied by in the row of a pair."""
        factor = self.pairs[2]
        return factor, -np.ones(len(factor))

    @property
    def classes(self) -> Indices:
        """The number of the class that each secret is in: each observable is shown by all of a class or by none."""
        return self.components

    @cached_property
    def components(self) -> Indices:
        """The number of the part of secrets at finite distances from each other that each is in."""
        from scipy.sparse.csgraph import connected_components

        return np.asarray(connected_components(np.isfinite(self.distances) * 1.0, directed=False)[1])

    def make_private(self, matrix: Array) -> Array:
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
    epsilon = as_epsilon(given[0])
    distances = shortest_paths(distances_between(given[1], secrets))
    spanner = None if len(given) == 2 else spanner_of(epsilon, distances, given[2])
    if epsilon == 0:  # then all at finite distances are the same
        return Privacy(1.0, np.where(np.isfinite(distances), 0.0, np.inf))
    if spanner is None or spanner.dilation <= 1 + _ROUNDING:
        return Privacy(epsilon, distances)
    return Privacy(epsilon / spanner.dilation, spanner.ways, spanner)


def as_epsilon(given: Any) -> float:
    """epsilon, checked."""
    expected = "epsilon of d_privacy is a finite number from 0 on, in nats for a distance of 1"
    return real(given, expected, least=0, below=math.inf)


def spanner_of(epsilon: float, distances: Array, asked: Any) -> Spanner:
    """The spanner of at most the dilation asked for."""
    most = real(asked, "the dilation of a spanner is a finite number from 1 on", least=1, below=np.inf)
    ways, edges = greedy_spanner(distances, most)
    apart = (distances > 0) & (distances < np.inf)
    dilation = float((ways[apart] / distances[apart]).max(initial=1.0))
    return Spanner(epsilon, distances, ways, edges, dilation)


def greedy_spanner(distances: Array, dilation: float) -> tuple[Array, int]:
    """The lengths of the ways in the greedy spanner, and how many edges it has: the nearest pairs first, each that is
    not yet joined by a way of so little more than its distance. O(n^2) a pair that is joined.

    >>> ways, edges = greedy_spanner(np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]]), 1.0)
    >>> edges, ways[0].tolist()
    (2, [0.0, 1.0, 2.0])
    """
    n = len(distances)
    ways = np.full((n, n), np.inf)
    np.fill_diagonal(ways, 0.0)
    first, second = np.triu_indices(n, 1)
    asked = np.isfinite(distances[first, second])
    first, second = first[asked], second[asked]
    edges = 0
    for at in np.argsort(distances[first, second], kind="stable"):
        x, y = first[at], second[at]
        length = distances[x, y]
        if ways[x, y] <= dilation * length * (1 + _ROUNDING):
            continue
        edges += 1
        there = ways[:, x, None] + (length + ways[y])[None]
        np.minimum(ways, there, out=ways)
        np.minimum(ways, there.T, out=ways)
    return ways, edges
