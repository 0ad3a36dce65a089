"""The private channel of least cost, by an interior-point method that works observable by observable.

Rows of privacy are within an observable, and only the row sums couple them: a step solves one system of n unknowns for
each observable and one of n unknowns for what couples them, O(m n^3). HiGHS does not see that, and takes many times as
long along the edges of a spanner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._optimise.problem import Problem
from minleak._optimise.programme import Programme, Solution
from minleak.errors import SolverFailed

# Steps at most, how much of the way to the boundary one may go, and the gap at which to stop, of the cost.
_STEPS, _SHARE, _CLOSE = 300, 0.995, 1e-11
# After a shorter step the next one keeps to the middle, and corrections of second order are cut at so many means.
_SHORT, _CUT = 0.1, 10.0
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
    if problem.privacy is None or programme.terms or programme.expense is None or np.isfinite(problem.budgets).any():
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


@dataclass(frozen=True)
class _Point:
    """Entries z (observables x secrets) and slacks s of their pairs; multipliers u, nu of these and lam of row sums."""

    z: Array
    s: Array
    u: Array
    nu: Array
    lam: Array


def solve_private_cost(programme: Programme) -> Solution:
    """The least expense over private channels, with the prices of the pairs that are not implied."""
    problem = programme.problem
    cost = np.asarray(programme.expense, dtype=np.float64).reshape(problem.shape[::-1])  # column by column
    scale = float(np.abs(cost).max()) or 1.0
    lp = _LeastCost(problem, cost / scale)
    at = lp.solved()
    return Solution(
        at.z.ravel(), np.zeros(len(problem.budgets)), (), (), "interior point", lp.pairs_t(at.nu).ravel() * scale
    )


class _LeastCost:
    """min <cost, z> with sums over observables one, z_j - f z_i = s for each pair, z, s >= 0."""

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

    def start(self) -> _Point:
        """All rows the same, all prices alike."""
        m, n = self.cost.shape
        z = np.full((m, n), 1 / m)
        s = self.pairs(z)
        nu = np.full(s.shape, 1.0 / n)
        reduced = self.cost + self.pairs_t(nu)
        lam = reduced.min(axis=0) - 1.0
        return _Point(z, s, reduced - lam, nu, lam)

    def solved(self) -> _Point:
        at = self.start()
        size = at.z.size + at.s.size
        for _ in range(_STEPS):
            gap = float((at.z * at.u).sum() + (at.s * at.nu).sum())
            if not np.isfinite(gap):
                raise SolverFailed("the interior-point method lost its way")
            if gap <= _CLOSE:
                break
            try:
                system = _System(self, at)
            except np.linalg.LinAlgError:
                break
            ahead = system.direction(-at.z * at.u, -at.s * at.nu)
            primal, dual = _lengths(at, ahead)
            after = float(((at.z + primal * ahead.z) * (at.u + dual * ahead.u)).sum()) + float(
                ((at.s + primal * ahead.s) * (at.nu + dual * ahead.nu)).sum()
            )
            mean = gap / size
            aim = mean * ((after / gap) ** 3 if min(primal, dual) > _SHORT else 0.5)
            limit = _CUT * mean
            ahead = system.direction(
                aim - at.z * at.u - np.clip(ahead.z * ahead.u, -limit, limit),
                aim - at.s * at.nu - np.clip(ahead.s * ahead.nu, -limit, limit),
            )
            primal, dual = (min(1.0, _SHARE * length) for length in _lengths(at, ahead))
            if max(primal, dual) < 1e-8:
                break
            at = _Point(
                at.z + primal * ahead.z,
                at.s + primal * ahead.s,
                at.u + dual * ahead.u,
                at.nu + dual * ahead.nu,
                at.lam + dual * ahead.lam,
            )
        return at


class _System:
    """Newton's equations at a point: an inverse for each observable, and their sum."""

    def __init__(self, lp: _LeastCost, at: _Point) -> None:
        from scipy.linalg import cho_factor

        self.lp, self.at = lp, at
        m, n = at.z.shape
        blocks = np.asarray((lp.squares.T @ (at.nu / at.s).T).T).reshape(m, n, n)
        blocks[:, np.arange(n), np.arange(n)] += at.u / at.z
        scale = 1 / np.sqrt(blocks[:, np.arange(n), np.arange(n)])
        blocks *= scale[:, :, None] * scale[:, None, :]
        blocks[:, np.arange(n), np.arange(n)] += _MORE
        half = np.linalg.inv(np.linalg.cholesky(blocks)) * scale[:, None, :]
        self.inverse = half.transpose(0, 2, 1) @ half
        self.both = cho_factor(self.inverse.sum(axis=0), check_finite=True)

    def _solve(self, right: Array, short: Array) -> tuple[Array, Array]:
        """dz and lam with M dz - lam = right in each observable, and sums of dz that are short."""
        from scipy.linalg import cho_solve

        alone = (self.inverse @ right[:, :, None])[:, :, 0]
        lam = cho_solve(self.both, short - alone.sum(axis=0))
        return alone + self.inverse @ lam, lam

    def direction(self, zu: Array, sn: Array) -> _Point:
        """The step that adds these to z u and s nu, and holds the equations."""
        at, lp = self.at, self.lp
        short = 1 - at.z.sum(axis=0)
        off = lp.pairs(at.z) - at.s  # what rounding has left of the pairs' equations
        stationary = at.lam + at.u - lp.cost - lp.pairs_t(at.nu)
        # u = (zu - u dz)/z and nu = (sn - nu ds)/s with ds = pairs dz + off, in the equation of each entry
        right = stationary + zu / at.z - lp.pairs_t((sn - at.nu * off) / at.s)
        dz, lam = self._solve(right, short)
        for _ in range(_REFINED):
            more = right + lam + lp.pairs_t(at.nu / at.s * lp.pairs(dz)) - at.u / at.z * dz
            less_z, less_lam = self._solve(more, short - dz.sum(axis=0))
            dz, lam = dz + less_z, lam + less_lam
        ds = lp.pairs(dz) + off
        return _Point(dz, ds, (zu - at.u * dz) / at.z, (sn - at.nu * ds) / at.s, lam)


def _lengths(at: _Point, ahead: _Point) -> tuple[float, float]:
    """How far z and s, and u and nu, stay positive; at most 1 / share."""
    primal = max(float((-ahead.z / at.z).max()), float((-ahead.s / at.s).max()), 0.5)
    dual = max(float((-ahead.u / at.u).max()), float((-ahead.nu / at.nu).max()), 0.5)
    return min(1.0, 1 / primal), min(1.0, 1 / dual)
