"""Approximate privacy: for all x, x', sum over y of max(C[x,y] - exp(epsilon d(x,x')) C[x',y], 0) <= delta.

With a slack for each positive part these rows are linear. They do not imply each other through a third secret, as those
of exact privacy do, so all pairs are required. The left-hand side is convex: a channel that exceeds delta by a little
is mixed with one that has room.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._labels import Labels
from minleak.core._parameters import real
from minleak.errors import InvalidParameter, SolverFailed, quote
from minleak.lab._measures.metrics import distances_between, shortest_paths
from minleak.lab._optimise.private import Privacy, as_epsilon

# The largest epsilon d of a finite distance: beyond it the probabilities concerned are below the solvers' tolerances.
_FAR = 20.0
# Part of delta reserved for rounding.
_SPARE = 1e-15


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
    far = np.isfinite(distances) & (epsilon * np.where(np.isfinite(distances), distances, 0.0) > _FAR)
    if far.any():
        x, y = (int(place) for place in np.argwhere(far)[0])
        raise InvalidParameter(
            f"epsilon times the distance from {x} to {y} is {epsilon * distances[x, y]:.6g}: with delta it is at most "
            f"{_FAR:g}; put infinity between secrets that may be told apart"
        )
    if epsilon == 0:
        return ApproximatePrivacy(1.0, np.where(np.isfinite(distances), 0.0, math.inf), delta=delta)
    return ApproximatePrivacy(epsilon, distances, delta=delta)
