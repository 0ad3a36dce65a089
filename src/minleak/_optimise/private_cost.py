"""The private channel of least cost, by an interior-point method that works observable by observable.

Rows of privacy are within an observable, and only the row sums couple them: a step solves one system of n unknowns for
each observable and one of n unknowns for what couples them, O(m n^3). HiGHS does not see that, and takes many times as
long along the edges of a spanner.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._optimise.mehrotra import Direction, InteriorPoint, InteriorProgramme
from minleak._optimise.problem import Problem
from minleak._optimise.programme import Programme, Solution

# The gap at which to stop, of the cost.
_CLOSE = 1e-11
# How often the answer of a system is put into it, and what is missing solved for.
_REFINED = 8
# What is added to the diagonals, all one, of systems that are singular but for rounding.
_MORE = 1e-14
# With more pairs than these for each secret there are so many optima that steps become short.
_PAIRS = 100
# The fewest entries for which HiGHS is not as quick; the most slacks, and entries of systems, that are kept in memory.
_LEAST, _MOST = 1_000, 20_000_000


def is_private_cost(programme: Programme) -> bool:
    """Whether the programme is the least cost of private channels, with all entries free and no secrets at one place:
    then the channel with all entries alike is inside. And whether it is large enough, and has few enough pairs.
    """
    problem = programme.problem
    if (
        problem.privacy is None
        or problem.delta
        or programme.terms
        or programme.expense is None
        or np.isfinite(problem.budgets).any()
    ):
        return False
    n, m = problem.shape
    pairs = len(problem.privacy.pairs[0])
    return bool(
        len(problem.rows) == n * m >= _LEAST
        and 0 < pairs <= _PAIRS * n
        and problem.privacy.pairs[2].max(initial=0.0) < 1
        and m * max(n * n, pairs) <= _MOST
        and (problem.left == 1).all()
    )


def solve_private_cost(programme: Programme) -> Solution:
    """The least expense over private channels, with the prices of the pairs that are not implied."""
    problem = programme.problem
    cost = np.asarray(programme.expense, dtype=np.float64).reshape(problem.shape[::-1])  # column by column
    scale = float(np.abs(cost).max()) or 1.0
    lp = _LeastCost(problem, cost / scale)
    at = lp.solve()
    z, (_, nu) = lp.split(at.x)[0], lp.split(at.s)
    return Solution(z.ravel(), np.zeros(len(problem.budgets)), (), (), "interior point", lp.pairs_t(nu).ravel() * scale)


class _LeastCost(InteriorProgramme):
    """min <cost, z> with sums over observables one, z_j - f z_i = d for each pair, z, d >= 0.

    x are the entries z (observables x secrets) and the differences d of their pairs; s the multipliers u and nu of
    these, and lam those of the row sums.
    """

    def __init__(self, problem: Problem, cost: Array) -> None:
        import scipy.sparse as sp

        privacy: Any = problem.privacy
        self.first, self.second, self.factor = privacy.pairs
        self.cost = cost
        n = cost.shape[1]
        count = np.arange(len(self.first))
        ones = np.ones(len(count))
        self.pair_matrix = sp.csr_array(
            (
                np.concatenate([ones, -self.factor]),
                (np.tile(count, 2), np.concatenate([self.second, self.first])),
            ),
            shape=(len(count), n),
        )
        i, j, f = self.first, self.second, self.factor
        # What a pair of weight one adds to the system of an observable, entries in rows of n^2.
        self.squares = sp.csr_array(
            (
                np.concatenate([f * f, ones, -f, -f]),
                (np.tile(count, 4), np.concatenate([i * n + i, j * n + j, i * n + j, j * n + i])),
            ),
            shape=(len(count), n * n),
        )

    def pairs(self, z: Array) -> Array:
        return np.asarray((self.pair_matrix @ z.T).T)

    def pairs_t(self, nu: Array) -> Array:
        """What the prices of pairs take from each entry."""
        return np.asarray(-(self.pair_matrix.T @ nu.T).T)

    def split(self, x: Array) -> tuple[Array, Array]:
        """The numbers of entries, and of pairs, as matrices with a row for each observable."""
        m, n = self.cost.shape
        return x[: m * n].reshape(m, n), x[m * n :].reshape(m, -1)

    def start(self) -> InteriorPoint:
        """All rows the same, all prices alike."""
        m, n = self.cost.shape
        z = np.full((m, n), 1 / m)
        d = self.pairs(z)
        nu = np.full(d.shape, 1.0 / n)
        reduced = self.cost + self.pairs_t(nu)
        lam = reduced.min(axis=0) - 1.0
        return InteriorPoint(_join(z, d), _join(reduced - lam, nu), np.zeros(0), lam)

    def enough(self, at: InteriorPoint) -> float:  # noqa: ARG002
        return _CLOSE

    def direction(self, at: InteriorPoint) -> Direction:
        """An inverse for each observable, and their sum for what couples them."""
        from scipy.linalg import cho_factor, cho_solve

        (z, d), (u, nu) = self.split(at.x), self.split(at.s)
        m, n = z.shape
        diagonal = np.arange(n)
        blocks = np.asarray((self.squares.T @ (nu / d).T).T).reshape(m, n, n)
        blocks[:, diagonal, diagonal] += u / z
        scale = 1 / np.sqrt(blocks[:, diagonal, diagonal])
        blocks *= scale[:, :, None] * scale[:, None, :]
        blocks[:, diagonal, diagonal] += _MORE
        half = np.linalg.inv(np.linalg.cholesky(blocks)) * scale[:, None, :]
        inverse = half.transpose(0, 2, 1) @ half
        both = cho_factor(inverse.sum(axis=0), check_finite=True)
        short = 1 - z.sum(axis=0)
        off = self.pairs(z) - d  # what rounding has left of the pairs' equations
        stationary = at.lam - self.cost - self.pairs_t(nu)

        def solve(right: Array, short: Array) -> tuple[Array, Array]:
            """dz and lam with M dz - lam = right in each observable, and sums of dz that are short."""
            alone = (inverse @ right[:, :, None])[:, :, 0]
            lam = cho_solve(both, short - alone.sum(axis=0))
            return alone + inverse @ lam, lam

        def towards(products: Array) -> tuple[Array, Array, Array]:
            zu, dn = self.split(products)
            # du = zu/z - u - u/z dz and dnu = dn/d - nu - nu/d dd with dd = pairs dz + off, in each entry's equation
            right = stationary + zu / z - self.pairs_t((dn - nu * off) / d - nu)
            dz, lam = solve(right, short)
            for _ in range(_REFINED):
                more = right + lam + self.pairs_t(nu / d * self.pairs(dz)) - u / z * dz
                less_z, less_lam = solve(more, short - dz.sum(axis=0))
                dz, lam = dz + less_z, lam + less_lam
            return _join(dz, self.pairs(dz) + off), np.zeros(0), lam

        return towards


def _join(entries: Array, pairs: Array) -> Array:
    return np.concatenate([entries.ravel(), pairs.ravel()])
