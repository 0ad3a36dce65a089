"""Privacy: C[x,y] <= exp(epsilon d(x,x')) C[x',y] as linear rows, and matrices that keep it exactly.

For many secrets, privacy is required along a spanner only. A graph on the secrets whose paths are at most t times as
long as the distances is a spanner of dilation t. Privacy with epsilon/t along its edges implies epsilon in the metric
(Bordenabe, Chatzikokolakis, Palamidessi 2014): a valid channel, somewhat dearer than the best. Privacy with epsilon
along the edges is a relaxation, whose optimum is a lower bound.

Approximate privacy asks, for all x, x', for sum over y of max(C[x,y] - exp(epsilon d(x,x')) C[x',y], 0) <= delta. With
a slack for each positive part these rows are linear. They do not imply each other through a third secret, so all pairs
are required. The left-hand side is convex: a channel that exceeds delta by a little is mixed with one that has room.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minleak import Channel
from minleak.core._arrays import Array, Indices
from minleak.core._labels import Labels
from minleak.core._parameters import real
from minleak.errors import InvalidParameter, SolverFailed, quote
from minleak.lab._measures.privacy import d_privacy, distances_between, shortest_paths

# Relative tolerance in comparisons of path lengths.
_ROUNDING = 1e-9
# Pairs with a larger epsilon d are left out of a solver's rows: exp(-this) is below its tolerance. The matrix that is
# returned is private for them too.
_FAR = 25.0
# The largest epsilon d of a finite distance: beyond it the probabilities concerned are below the solvers' tolerances.
_FARTHEST = 20.0
# Part of delta reserved for rounding.
_SPARE = 1e-15


@dataclass(frozen=True, eq=False)
class Spanner:
    """A spanner for epsilon and the metric `distances`: the lengths of its paths, and the number of its edges.

    `dilation` is the largest ratio of a path to its distance, at most the one that was asked for.
    """

    epsilon: float
    distances: Array
    ways: Array
    edges: int
    dilation: float

    def status(self, channel: Channel) -> str:
        """The status of a channel, with its epsilon in the metric computed from its entries."""
        found = d_privacy(channel, self.distances)
        if not found <= self.epsilon * (1 + _ROUNDING):
            raise SolverFailed(f"the channel has epsilon {found:.9g} in the metric, where {self.epsilon:.9g} was asked")
        return (
            f"an upper bound, along {self.edges:,} pairs of dilation {self.dilation:.6g}; epsilon {found:.9g} in the "
            "metric is certified"
        )


@dataclass(frozen=True, eq=False)
class Privacy:
    """epsilon, and shortest-path distances in the metric; infinite ones require nothing.

    The solver's rows are v[second] >= factor v[first] for the columns v of C, only for pairs that do not follow from
    others through a third secret: on a grid, cells that see each other. With a `spanner` they are its edges.
    """

    epsilon: float
    distances: Array
    spanner: Spanner | None = None
    delta: float = 0.0

    @cached_property
    def least(self) -> Array:
        """exp(-epsilon d): how much of row x' row x must have at least, entry by entry."""
        return np.asarray(np.exp(-self.epsilon * self.distances))

    @cached_property
    def pairs(self) -> tuple[Indices, Indices, Array]:
        """first, second and factor of the pairs that no others imply, the nearest first."""
        d = self.distances
        n = len(d)
        needed = (self.epsilon * d <= _FAR) & ~np.eye(n, dtype=bool)
        for between in range(n):
            round_about = d[:, between, None] + d[None, between]
            implied = round_about <= d * (1 + _ROUNDING)
            implied[between] = implied[:, between] = False
            # Of secrets at distance 0 none counts as between two others, else all three pairs would be left out.
            implied &= (d[:, between] > 0)[:, None] & (d[between] > 0)[None]
            needed &= ~implied
        first, second = np.nonzero(needed)
        order = np.argsort(d[first, second], kind="stable")
        first, second = first[order], second[order]
        return first, second, self.least[first, second]

    @property
    def coefficients(self) -> tuple[Array, Array]:
        """The factors of the entries of first and second in the row of a pair."""
        factor = self.pairs[2]
        return factor, -np.ones(len(factor))

    @property
    def classes(self) -> Indices:
        """The class of each secret: all of a class show an observable, or none does."""
        return self.components

    @cached_property
    def components(self) -> Indices:
        """The connected component of each secret, at finite distances."""
        from scipy.sparse.csgraph import connected_components

        return np.asarray(connected_components(np.isfinite(self.distances) * 1.0, directed=False)[1])

    def make_private(self, matrix: Array) -> Array:
        """A private matrix near one that is nearly private: entries are raised as far as other rows require, then all
        rows of a class get the same sum by adding shares of their mean row.

        Adding T - S_x times one row q to row x is private if T is so large that (T - S_x) <= exp(epsilon d) (T - S_x').
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
        raise InvalidParameter(f"d_privacy is (epsilon, metric), or (epsilon, metric, dilation), not {quote(given)}")
    epsilon = as_epsilon(given[0])
    distances = shortest_paths(distances_between(given[1], secrets))
    spanner = None if len(given) == 2 else spanner_of(epsilon, distances, given[2])
    if epsilon == 0:  # then all secrets at finite distances are alike
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
    """Path lengths in the greedy spanner, and the number of its edges: the nearest pairs first, each added unless a
    path of at most `dilation` times its distance exists. O(n^2) for each edge.

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


@dataclass(frozen=True, eq=False)
class ApproximatePrivacy(Privacy):
    """Privacy with a `delta` above 0: the solver's rows are v[first] - v[second]/factor <= slack, for every pair."""

    @cached_property
    def pairs(self) -> tuple[Indices, Indices, Array]:
        """first, second and factor of all pairs at finite distances, the nearest first."""
        first, second = np.nonzero(np.isfinite(self.distances) & ~np.eye(len(self.distances), dtype=bool))
        order = np.argsort(self.distances[first, second], kind="stable")
        first, second = first[order], second[order]
        return first, second, self.least[first, second]

    @property
    def coefficients(self) -> tuple[Array, Array]:
        factor = self.pairs[2]
        return np.ones(len(factor)), -1 / factor

    @property
    def classes(self) -> Indices:
        """One for each secret: any of them may show an observable."""
        return np.arange(len(self.distances))

    def deltas(self, matrix: Array) -> Array:
        """The delta that each pair needs."""
        first, second, factor = self.pairs
        return np.array(
            [np.maximum(matrix[x] - matrix[y] / f, 0).sum() for x, y, f in zip(first, second, factor, strict=True)]
        )

    def keep_delta(self, matrix: Array, allowed: Any, safest: Array) -> Array:
        """Mix the matrix with as much of a safe one as brings every pair within delta: an exactly private one near it
        if that is on the allowed pairs, else the safest.
        """
        matrix = matrix / matrix.sum(axis=1, keepdims=True)
        needed = self.deltas(matrix)
        beyond = needed - (self.delta - min(_SPARE, self.delta / 2))
        over = beyond > 0
        if not over.any():
            return matrix
        exact = Privacy(self.epsilon, shortest_paths(self.distances)).make_private(matrix)
        safe = safest if (exact[~allowed] > 0).any() else exact
        room = self.deltas(safe)
        share = float((beyond[over] / np.maximum(needed[over] - room[over], beyond[over])).max())
        return np.asarray((1 - share) * matrix + share * safe)

    def safest(self, allowed: Any) -> tuple[float, Array]:
        """The least delta of any channel on the allowed pairs, and such a channel."""
        common = self._same_rows(allowed)
        return (0.0, common) if common is not None else self._solve_safest(allowed)

    def _same_rows(self, allowed: Any) -> Array | None:
        """The channel that is uniform on the observables open to a whole component; None if some have none."""
        groups = self.components
        matrix = np.zeros(allowed.shape)
        for number in range(int(groups.max()) + 1):
            own = groups == number
            matrix[own] = allowed[own].all(axis=0)
        sums = matrix.sum(axis=1, keepdims=True)
        return matrix / sums if (sums > 0).all() else None

    def _solve_safest(self, allowed: Any) -> tuple[float, Array]:
        """The safest channel by a linear programme in entries, slacks of each pair and observable, and delta."""
        import scipy.sparse as sp
        from scipy.optimize import linprog

        n, m = allowed.shape
        first, second, factor = self.pairs
        count = len(first)
        places = np.arange(count)
        one = sp.csr_array((np.ones(count), (places, first)), shape=(count, n))
        other = sp.csr_array((1 / factor, (places, second)), shape=(count, n))
        eye = sp.eye_array(m)
        slacks = sp.eye_array(count * m)
        total = sp.kron(sp.eye_array(count), np.ones((1, m)))
        result = linprog(
            np.append(np.zeros(n * m + count * m), 1.0),
            A_ub=sp.block_array(
                [[sp.kron(one - other, eye), -slacks, None], [None, total, sp.csr_array(-np.ones((count, 1)))]]
            ),
            b_ub=np.zeros(count * m + count),
            A_eq=sp.hstack([sp.kron(sp.eye_array(n), np.ones((1, m))), sp.csr_array((n, count * m + 1))]),
            b_eq=np.ones(n),
            bounds=[(0, None if open_to else 0) for open_to in allowed.ravel()] + [(0, None)] * (count * m + 1),
            method="highs",
        )
        if result.status != 0:
            raise SolverFailed(f"HiGHS could not tell which delta is feasible: {result.message}")
        matrix = np.maximum(result.x[: n * m].reshape(n, m), 0.0)
        matrix /= matrix.sum(axis=1, keepdims=True)
        return float(self.deltas(matrix).max(initial=0.0)), matrix


def as_delta(given: Any) -> float:
    """Check a delta."""
    return real(given, "delta is a probability, from 0 to 1", least=0, most=1)


def as_approximate(given: Any, delta: float, secrets: Labels) -> ApproximatePrivacy:
    """Check (epsilon, metric) with a delta above 0. Distances count as given, without shortest paths."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InvalidParameter(f"with delta, d_privacy is (epsilon, metric) without a dilation, not {quote(given)}")
    epsilon, distances = as_epsilon(given[0]), distances_between(given[1], secrets)
    far = np.isfinite(distances) & (epsilon * np.where(np.isfinite(distances), distances, 0.0) > _FARTHEST)
    if far.any():
        x, y = (int(place) for place in np.argwhere(far)[0])
        raise InvalidParameter(
            f"epsilon times the distance from {x} to {y} is {epsilon * distances[x, y]:.6g}: with delta it is at most "
            f"{_FARTHEST:g}; put infinity between secrets that may be told apart"
        )
    if epsilon == 0:
        return ApproximatePrivacy(1.0, np.where(np.isfinite(distances), 0.0, math.inf), delta=delta)
    return ApproximatePrivacy(epsilon, distances, delta=delta)
