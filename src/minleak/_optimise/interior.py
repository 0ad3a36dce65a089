"""One guess under one budget by an interior-point method made for it: some hundredths of a second for each step.

Maximise |J| - sum of t over 0 <= J_xy <= t_y, row sums left_x, <cost, J> + b = budget. Newton's equations have a
diagonal for J and one number for each t_y; what remains is dense in the row sums and the budget only, of size n + 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._optimise.linear import highs_with, run_highs
from minleak._optimise.mehrotra import Direction, InteriorPoint, InteriorProgramme
from minleak._optimise.one_guess import cheap_pairs, is_one_guess
from minleak._optimise.programme import Programme, Solution, duals_of_prices
from minleak.errors import SolverFailed

# More pairs than these for each secret within reach of the budget are a crowd: of 50 to 300 secrets this method is as
# fast as the simplex method at 25 to 33.
_CROWD = 30
# The gap, relative to the objective, after which no more is to be had.
_CLOSE = 1e-9
# Row sums off by more than this share of the largest say that the equations have lost their digits.
_LOST = 1e-7
# An entry is plainly at an end where its price is so many times its distance from it; tried one after the other.
_PLAIN = (1e3, 1e6)
# More open entries than these are not for the simplex method.
_OPEN = 4000


def is_crowded(programme: Programme) -> bool:
    """One guess with so many pairs within reach of the budget that the simplex method would take longer."""
    problem = programme.problem
    if not is_one_guess(programme):
        return False
    return int(cheap_pairs(problem).sum()) > _CROWD * int((problem.left > 0).sum())


def solve_interior(programme: Programme) -> tuple[Solution, Solution]:
    """The optimum of one guess under its only budget, as it was found and as HiGHS sharpened it; the prices of the
    first may be better. SolverFailed if it gets nowhere.
    """
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


class _Game(InteriorProgramme):
    """x are the entries J of live pairs, r = t_y - J and b; s the multipliers u of J >= 0, q of J <= t, mu of the
    budget; lam those of the row sums.
    """

    def __init__(self, left: Array, cost: Array, live: Any, budget: float) -> None:
        self.left, self.cost, self.live, self.budget = left, cost, live, budget
        self.on = live.astype(np.float64)
        self.places = np.flatnonzero(live)

    def join(self, J: Array, r: Array, b: float) -> Array:
        """The numbers of live pairs, and that of the budget, as one vector."""
        every = len(self.places) == self.live.size
        parts = (J.ravel(), r.ravel()) if every else (J.ravel()[self.places], r.ravel()[self.places])
        return np.concatenate([*parts, [b]])

    def split(self, x: Array) -> tuple[Array, Array, float]:
        """The same as matrices, ones for pairs that are not live."""
        both = x[:-1].reshape(2, -1)
        if len(self.places) < self.live.size:
            both, live = np.ones((2, self.live.size)), both
            both[:, self.places] = live
        J, r = both.reshape(2, *self.live.shape)
        return J, r, float(x[-1])

    def start(self) -> InteriorPoint:
        """Between the cheapest channel and the uniform one, half of the budget spent, all complementarities equal."""
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
        return InteriorPoint(x, float(t.sum()) / len(x) / x, t, np.zeros(len(left)))

    def enough(self, at: InteriorPoint) -> float:
        return _CLOSE * float(at.t.sum())

    def direction(self, at: InteriorPoint) -> Direction:
        """Eliminating J and t leaves the multipliers of the row sums and of the budget: dense, of size n + 1."""
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

        def towards(products: Array) -> tuple[Array, Array, Array]:
            ju, rq, bm = self.split(products)
            f, g = on * (ju / J - rq / r), (on * rq / r).sum(axis=0) - 1

            def moved(e: Array) -> tuple[Array, Array]:
                dt = (g + (ah * e).sum(axis=0)) / k
                return h * e + ah * dt, dt

            still, _ = moved(f)
            w = solve(np.append(short - still.sum(axis=1), spare - float((cost * still).sum()) - bm / mu))
            dJ, dt = moved(w[:n, None] + w[n] * cost + f)
            return self.join(dJ, dt - dJ, bm / mu + b / mu * w[n]), dt, w[:n] - at.lam

        return towards

    def sharpen(self, at: InteriorPoint) -> tuple[Array, Array, float]:
        """J and the prices after HiGHS has solved what the iterates leave open, or as they are if it cannot."""
        for plain in _PLAIN:
            try:
                return self._on_the_open(at, plain)
            except SolverFailed:  # something stayed that should not have
                continue
        return self.on * self.split(at.x)[0], at.lam, float(at.s[-1])

    def _on_the_open(self, at: InteriorPoint, plain: float) -> tuple[Array, Array, float]:
        """Entries that are plainly none, or plainly as large as they may be, stay so; the few others and the t_y are
        the unknowns of a linear programme.
        """
        import scipy.sparse as sp

        n, m = self.live.shape
        (J, r, _), (u, q, _) = self.split(at.x), self.split(at.s)
        full = self.live & (q > plain * r)
        x, y = np.nonzero(self.live & ~full & (J * plain >= u))
        if len(x) > _OPEN:  # many optima, in the middle of which the iterates are
            raise SolverFailed("too much is open")
        between = np.arange(len(x))
        sums = sp.hstack([sp.csr_array(full * 1.0), sp.csr_array((np.ones(len(x)), (x, between)), shape=(n, len(x)))])
        spent = sp.csr_array(np.append((full * self.cost).sum(axis=0), self.cost[x, y])[None])
        caps = sp.hstack([-sp.csr_array((np.ones(len(x)), (between, y)), shape=(len(x), m)), sp.eye_array(len(x))])
        upper = np.concatenate([self.left, [self.budget], np.zeros(len(x))])
        lower = np.concatenate([self.left, np.full(len(x) + 1, -np.inf)])
        highs = highs_with(
            np.append(np.ones(m), np.zeros(len(x))), lower, upper, sp.vstack([sums, spent, caps]).tocsc()
        )
        run_highs(highs, n, [self.budget])
        found = highs.getSolution()
        values, duals = np.array(found.col_value), np.array(found.row_dual)
        J = full * values[:m]
        J[x, y] = values[m:]
        return J, duals[:n], max(-float(duals[n]), 0.0)
