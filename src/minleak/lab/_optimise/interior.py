"""One guess under one budget by Mehrotra's interior-point method, where many pairs are within reach of the budget.

Maximise |J| - sum of t over 0 <= J_xy <= t_y, row sums left_x, <cost, J> + b = budget. Newton's equations are diagonal
in J and have one number for each t_y; what remains is a dense system of size n + 1 for the row sums and the budget.
The simplex method takes 13 times as long on 200 x 200 pairs with a generous budget.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.errors import SolverFailed
from minleak.lab._optimise.linear import make_highs, run_highs
from minleak.lab._optimise.one_guess import cheap_pairs, is_one_guess
from minleak.lab._optimise.programme import Programme, Solution, duals_of_prices

# With more pairs than this per secret within reach of the budget, this method beats the simplex method: measured for
# 50 to 300 secrets, they break even at 25 to 33.
_CROWD = 30
# Stop at this gap, relative to the objective.
_CLOSE = 1e-9
# Most steps; the share of the way to the boundary that a step may go; shorter steps than _STUCK lead nowhere.
_STEPS, _SHARE, _STUCK = 300, 0.995, 1e-8
# After a step shorter than _SHORT the next one aims at the middle. Corrections are cut at _CUT mean products.
_SHORT, _CUT = 0.1, 5.0
# Row sums that are off by more than this share of the largest mean that the equations have lost their digits.
_LOST = 1e-7
# An entry is at its bound if its multiplier is this many times its distance from it; tried in turn.
_AT_BOUND = (1e3, 1e6)
# The most open entries to hand to the simplex method.
_OPEN = 4000


def is_crowded(programme: Programme) -> bool:
    """True for one guess with so many pairs within reach of the budget that the simplex method would be slower."""
    if not is_one_guess(programme):
        return False
    problem = programme.problem
    return int(cheap_pairs(problem).sum()) > _CROWD * int((problem.left > 0).sum())


def solve_interior(programme: Programme) -> tuple[Solution, Solution]:
    """The optimum as the iteration found it, and as HiGHS sharpened it. The prices of the first may be better."""
    problem = programme.problem
    rows, x = np.unique(problem.rows, return_inverse=True)
    columns, y = np.unique(problem.columns, return_inverse=True)
    live = np.zeros((len(rows), len(columns)), dtype=bool)
    live[x, y] = True
    cost = np.zeros(live.shape)
    cost[x, y] = problem.costs[0]
    game = _Game(problem.left[rows], cost, live, problem.budgets[0])
    at = game.solve()

    def solution(J: Array, prices: Array, price: float) -> Solution:
        lam = np.zeros(len(problem.left))
        lam[rows] = 1.0 - prices
        mu = np.array([price])
        return Solution(J[x, y], mu, (1.0,), (duals_of_prices(problem, lam, mu),), "interior point")

    return solution(game.on * game.split(at.x)[0], at.lam, float(at.s[-1])), solution(*game.sharpen(at))


@dataclass(frozen=True, eq=False)
class _Point:
    """Positive x and their multipliers s in the same order, the free t, and the multipliers lam of the row sums."""

    x: Array
    s: Array
    t: Array
    lam: Array


# For wanted products x s: the changes of x, t and lam after which, to first order, these and all equations hold.
_Direction = Callable[[Array], tuple[Array, Array, Array]]


class _Game:
    """x are the entries J of live pairs, r = t_y - J and b; s the multipliers u of J >= 0, q of J <= t, mu of the
    budget.
    """

    def __init__(self, left: Array, cost: Array, live: Any, budget: float) -> None:
        self.left, self.cost, self.live, self.budget = left, cost, live, budget
        self.on = live.astype(np.float64)
        self.places = np.flatnonzero(live)

    def join(self, J: Array, r: Array, b: float) -> Array:
        """The entries of live pairs and the slack of the budget as one vector."""
        return np.concatenate([J.ravel()[self.places], r.ravel()[self.places], [b]])

    def split(self, x: Array) -> tuple[Array, Array, float]:
        """The inverse of `join`: matrices with ones for pairs that are not live."""
        both = np.ones((2, self.live.size))
        both[:, self.places] = x[:-1].reshape(2, -1)
        J, r = both.reshape(2, *self.live.shape)
        return J, r, float(x[-1])

    def solve(self) -> _Point:
        """The point with the least gap that Mehrotra's iteration meets."""
        best = at = self.start()
        least = np.inf
        for _ in range(_STEPS):
            gap = float(at.x @ at.s)
            if not gap < np.inf:
                break
            if gap < least:
                best, least = at, gap
            if gap <= _CLOSE * float(at.t.sum()):
                break
            try:
                at, length = self._step(at, gap)
            except np.linalg.LinAlgError:
                break
            if length < _STUCK:
                break
        return best

    def start(self) -> _Point:
        """Between the cheapest channel and the uniform one, half of the spare budget used, all products x s equal."""
        live, left = self.live, self.left
        even = self.on * (left / live.sum(axis=1))[:, None]
        cheap = np.zeros(live.shape)
        cheap[np.arange(len(left)), np.where(live, self.cost, np.inf).argmin(axis=1)] = left
        least, most = float((self.cost * cheap).sum()), float((self.cost * even).sum())
        if not self.budget > least:
            raise SolverFailed("the budget leaves no room inside")
        share = min(1.0, 0.5 * (self.budget - least) / max(most - least, 1e-300))
        J = share * even + (1 - share) * cheap
        t = 1.5 * J.max(axis=0)
        x = self.join(J, t - J, self.budget - float((self.cost * J).sum()))
        return _Point(x, float(t.sum()) / len(x) / x, t, np.zeros(len(left)))

    def _step(self, at: _Point, gap: float) -> tuple[_Point, float]:
        """Predict how far a step to zero gets, then aim there with the second-order correction."""
        direction, mean = self._factor(at), gap / len(at.x)

        def towards(products: Array) -> _Point:
            dx, dt, dlam = direction(products)
            return _Point(dx, products / at.x - at.s - at.s / at.x * dx, dt, dlam)

        ahead = towards(np.zeros_like(at.x))
        primal, dual = _lengths(at, ahead)
        left = float((at.x + primal * ahead.x) @ (at.s + dual * ahead.s))
        aim = mean * ((left / gap) ** 3 if min(primal, dual) > _SHORT else 0.5)
        ahead = towards(aim - np.clip(ahead.x * ahead.s, -_CUT * mean, _CUT * mean))
        primal, dual = (1.0 if length >= 1 else _SHARE * length for length in _lengths(at, ahead))
        moved = _Point(
            at.x + primal * ahead.x, at.s + dual * ahead.s, at.t + primal * ahead.t, at.lam + dual * ahead.lam
        )
        return moved, max(primal, dual)

    def _factor(self, at: _Point) -> _Direction:
        """Newton's equations at a point, factored once; LinAlgError where they have lost their digits."""
        from scipy.linalg import cho_factor, cho_solve

        (J, r, b), (u, q, mu) = self.split(at.x), self.split(at.s)
        on, cost, n = self.on, self.cost, len(self.left)
        short = self.left - (on * J).sum(axis=1)
        spare = self.budget - float((on * cost * J).sum()) - b
        if not np.abs(short).max() <= _LOST * self.left.max():
            raise np.linalg.LinAlgError
        a, e = on * q / r, u / J
        h = on / (a + e)
        ah = a * h
        k = (ah * e).sum(axis=0)
        spent = (ah * cost).sum(axis=0)
        M = np.empty((n + 1, n + 1))
        M[:n, :n] = (ah / k) @ ah.T
        M[np.arange(n), np.arange(n)] += h.sum(axis=1)
        M[:n, n] = M[n, :n] = (h * cost).sum(axis=1) + ah @ (spent / k)
        M[n, n] = (h * cost * cost).sum() + (spent**2 / k).sum() + b / mu
        scale = 1 / np.sqrt(M.diagonal())
        scaled = M * scale * scale[:, None]
        scaled[np.arange(n + 1), np.arange(n + 1)] += 1e-14
        if not np.isfinite(scaled).all():
            raise np.linalg.LinAlgError
        factor = cho_factor(scaled)

        def solve(right: Array) -> Array:
            w = scale * cho_solve(factor, scale * right)
            return np.asarray(w + scale * cho_solve(factor, scale * (right - M @ w)))

        def direction(products: Array) -> tuple[Array, Array, Array]:
            ju, rq, bm = self.split(products)
            f, g = on * (ju / J - rq / r), (on * rq / r).sum(axis=0) - 1

            def move(e: Array) -> tuple[Array, Array]:
                dt = (g + (ah * e).sum(axis=0)) / k
                return h * e + ah * dt, dt

            still, _ = move(f)
            w = solve(np.append(short - still.sum(axis=1), spare - float((cost * still).sum()) - bm / mu))
            dJ, dt = move(w[:n, None] + w[n] * cost + f)
            return self.join(dJ, dt - dJ, bm / mu + b / mu * w[n]), dt, w[:n] - at.lam

        return direction

    def sharpen(self, at: _Point) -> tuple[Array, Array, float]:
        """J and its prices after HiGHS has solved for the open entries; as they are where it cannot."""
        for ratio in _AT_BOUND:
            try:
                return self._solve_open(at, ratio)
            except SolverFailed:  # an entry was wrongly taken to be at its bound
                continue
        return self.on * self.split(at.x)[0], at.lam, float(at.s[-1])

    def _solve_open(self, at: _Point, ratio: float) -> tuple[Array, Array, float]:
        """Keep entries that are clearly 0, or clearly t_y; solve a linear programme for the others and the t_y."""
        import scipy.sparse as sp

        n, m = self.live.shape
        (J, r, _), (u, q, _) = self.split(at.x), self.split(at.s)
        full = self.live & (q > ratio * r)
        x, y = np.nonzero(self.live & ~full & (J * ratio >= u))
        if len(x) > _OPEN:  # many optima, and the iterates end in the middle of them
            raise SolverFailed("too many entries are open")
        between = np.arange(len(x))
        sums = sp.hstack([sp.csr_array(full * 1.0), sp.csr_array((np.ones(len(x)), (x, between)), shape=(n, len(x)))])
        spent = sp.csr_array(np.append((full * self.cost).sum(axis=0), self.cost[x, y])[None])
        caps = sp.hstack([-sp.csr_array((np.ones(len(x)), (between, y)), shape=(len(x), m)), sp.eye_array(len(x))])
        upper = np.concatenate([self.left, [self.budget], np.zeros(len(x))])
        lower = np.concatenate([self.left, np.full(len(x) + 1, -np.inf)])
        highs = make_highs(
            np.append(np.ones(m), np.zeros(len(x))), lower, upper, sp.vstack([sums, spent, caps]).tocsc()
        )
        run_highs(highs, n, [self.budget])
        found = highs.getSolution()
        values, duals = np.array(found.col_value), np.array(found.row_dual)
        J = full * values[:m]
        J[x, y] = values[m:]
        return J, duals[:n], max(-float(duals[n]), 0.0)


def _lengths(at: _Point, ahead: _Point) -> tuple[float, float]:
    """The longest steps up to 1 that keep x and s positive."""
    primal, dual = float((-ahead.x / at.x).max()), float((-ahead.s / at.s).max())
    return 1 / max(primal, 1.0), 1 / max(dual, 1.0)
