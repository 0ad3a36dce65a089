"""One guess under one budget by an interior-point method made for it: some hundredths of a second for each step.

Maximise |J| - sum of t over 0 <= J_xy <= t_y, row sums left_x, <cost, J> + b = budget. Newton's equations have a
diagonal for J and one number for each t_y; what remains is dense in the row sums and the budget only, of size n + 1.
Predictor and corrector as Mehrotra's, the correction cut off where it would throw iterates off the central path. What
comes of it is made feasible and certified as every solver's answer is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._optimise.linear import highs_with, run_highs
from minleak._optimise.one_guess import cheap_pairs, is_one_guess
from minleak._optimise.programme import Programme, Solution, duals_of_prices
from minleak.errors import SolverFailed

# More pairs than these for each secret within reach of the budget are a crowd: of 50 to 300 secrets this method is as
# fast as the simplex method at 25 to 33.
_CROWD = 30
# Steps at most, and the gap, relative to the objective, after which no more is to be had.
_STEPS, _CLOSE = 120, 1e-9
# Row sums off by more than this share of the largest say that the equations have lost their digits.
_LOST = 1e-7
# The correction is kept within so many times the mean complementarity.
_CUT = 5.0
# An entry is plainly at an end where its price is so many times its distance from it; tried one after the other.
_PLAIN = (1e3, 1e6)
# More open entries than these are not for the simplex method.
_OPEN = 4000
# Below this step the predictor tells nothing of how far to aim.
_SHORT = 0.1


@dataclass
class _Point:
    """Primal J, t, r = t - J, b; dual u of J >= 0, q of J <= t, lam of row sums, mu of the budget; ones where dead."""

    J: Array
    t: Array
    r: Array
    b: float
    u: Array
    q: Array
    lam: Array
    mu: float


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
    point = game.solved()

    def solution(J: Array, prices: Array, price: float) -> Solution:
        lam = np.zeros(len(problem.left))
        lam[rows] = 1.0 - prices
        mu = np.array([price])
        return Solution(J[x, y], mu, (1.0,), (duals_of_prices(problem, lam, mu),), "interior point")

    return solution(game.on * point.J, point.lam, point.mu), solution(*game.sharpened(point))


class _Game:
    def __init__(self, left: Array, cost: Array, live: Any, budget: float) -> None:
        self.left, self.cost, self.live, self.budget = left, cost, live, budget
        self.on = live.astype(np.float64)
        self.pairs = 2 * int(live.sum()) + 1

    def start(self) -> _Point:
        """Between the cheapest channel and the uniform one, half of the budget spent, all complementarities equal."""
        live, left = self.live, self.left
        even = self.on * (left / live.sum(axis=1))[:, None]
        cheap = np.zeros(live.shape)
        cheap[np.arange(len(left)), np.where(live, self.cost, np.inf).argmin(axis=1)] = left
        least, most = float((self.cost * cheap).sum()), float((self.cost * even).sum())
        if not self.budget > least:
            raise SolverFailed("the budget leaves no room inside")
        share = min(1.0, 0.5 * (self.budget - least) / max(most - least, 1e-300))
        J = np.where(live, share * even + (1 - share) * cheap, 1.0)
        t = 1.5 * (J * self.on).max(axis=0)
        r = np.where(live, t - J, 1.0)
        b = self.budget - float((self.cost * J).sum())
        level = float(t.sum()) / self.pairs
        return _Point(J, t, r, b, level / J, level / r, np.zeros(len(left)), level / b)

    def solved(self) -> _Point:
        at = self.start()
        best, least = at, np.inf
        for _ in range(_STEPS):
            gap = float((self.on * (at.J * at.u + at.r * at.q)).sum()) + at.b * at.mu
            off = np.abs(self.left - (self.on * at.J).sum(axis=1)).max()
            if not (gap < np.inf and off <= _LOST * self.left.max()):
                break
            if gap < least:
                best, least = at, gap
            if gap <= _CLOSE * float(at.t.sum()):
                break
            try:
                at = self.step(at, gap)
            except np.linalg.LinAlgError:
                break
        return best

    def step(self, at: _Point, gap: float) -> _Point:
        """One step of the predictor and the corrector."""
        newton = _Newton(self, at)
        mean = gap / self.pairs
        none = np.zeros_like(at.J)
        ahead = newton.towards(none, none, 0.0)
        primal, dual = self.lengths(at, ahead)
        there = _moved(at, ahead, primal, dual)
        left = float((self.on * (there.J * there.u + there.r * there.q)).sum()) + there.b * there.mu
        aim = mean * ((left / gap) ** 3 if min(primal, dual) > _SHORT else 0.5)

        def corrected(product: Any) -> Any:
            return aim - np.clip(product, -_CUT * mean, _CUT * mean)

        ahead = newton.towards(
            corrected(ahead.J * ahead.u), corrected(ahead.r * ahead.q), float(corrected(ahead.b * ahead.mu))
        )
        inside = min(max(0.9, 1 - gap), 0.999)
        primal, dual = (1.0 if length >= 1 else inside * length for length in self.lengths(at, ahead))
        return _moved(at, ahead, primal, dual)

    def sharpened(self, at: _Point) -> tuple[Array, Array, float]:
        """J and the prices after HiGHS has solved what the iterates leave open, or as they are if it cannot."""
        for plain in _PLAIN:
            try:
                return self._on_the_open(at, plain)
            except SolverFailed:  # something stayed that should not have
                continue
        return self.on * at.J, at.lam, at.mu

    def _on_the_open(self, at: _Point, plain: float) -> tuple[Array, Array, float]:
        """Entries that are plainly none, or plainly as large as they may be, stay so; the few others and the t_y are
        the unknowns of a linear programme.
        """
        import scipy.sparse as sp

        n, m = self.live.shape
        full = self.live & (at.q > plain * at.r)
        x, y = np.nonzero(self.live & ~full & (at.J * plain >= at.u))
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

    def lengths(self, at: _Point, ahead: _Point) -> tuple[float, float]:
        """The longest steps up to 1 that keep the primal and the dual numbers from crossing zero."""
        primal = max(float((-ahead.J / at.J).max()), float((-ahead.r / at.r).max()), -ahead.b / at.b)
        dual = max(float((-ahead.u / at.u).max()), float((-ahead.q / at.q).max()), -ahead.mu / at.mu)
        return 1 / max(primal, 1.0), 1 / max(dual, 1.0)


def _moved(at: _Point, by: _Point, primal: float, dual: float) -> _Point:
    return _Point(
        at.J + primal * by.J,
        at.t + primal * by.t,
        at.r + primal * by.r,
        at.b + primal * by.b,
        at.u + dual * by.u,
        at.q + dual * by.q,
        at.lam + dual * by.lam,
        at.mu + dual * by.mu,
    )


class _Newton:
    """Newton's equations at a point, factored once and solved for several right-hand sides."""

    def __init__(self, game: _Game, at: _Point) -> None:
        from scipy.linalg import cho_factor

        self.game, self.at = game, at
        on, cost, n = game.on, game.cost, len(game.left)
        self.a, self.e = on * at.q / at.r, at.u / at.J
        self.h = on / (self.a + self.e)
        self.ah = self.a * self.h
        self.k = (self.ah * self.e).sum(axis=0)
        spent = (self.ah * cost).sum(axis=0)
        M = np.empty((n + 1, n + 1))
        M[:n, :n] = (self.ah / self.k) @ self.ah.T
        M[np.arange(n), np.arange(n)] += self.h.sum(axis=1)
        M[:n, n] = M[n, :n] = (self.h * cost).sum(axis=1) + self.ah @ (spent / self.k)
        M[n, n] = (self.h * cost * cost).sum() + (spent**2 / self.k).sum() + at.b / at.mu
        self.M, self.scale = M, 1 / np.sqrt(M.diagonal())
        scaled = M * self.scale * self.scale[:, None]
        scaled[np.arange(n + 1), np.arange(n + 1)] += 1e-14
        if not np.isfinite(scaled).all():
            raise np.linalg.LinAlgError
        self.factor = cho_factor(scaled)

    def _solve(self, right: Array) -> Array:
        from scipy.linalg import cho_solve

        w = self.scale * cho_solve(self.factor, self.scale * right)
        return np.asarray(w + self.scale * cho_solve(self.factor, self.scale * (right - self.M @ w)))

    def towards(self, ju: Array, rq: Array, bm: float) -> _Point:
        """The step to where J u = ju, r q = rq, b mu = bm, and everything else holds."""
        at, game = self.at, self.game
        on, cost, n = game.on, game.cost, len(game.left)
        f, g = on * (ju / at.J - rq / at.r), (on * rq / at.r).sum(axis=0) - 1

        def moved(e: Array) -> tuple[Array, Array]:
            dt = (g + (self.ah * e).sum(axis=0)) / self.k
            return self.h * e + self.ah * dt, dt

        still, _ = moved(f)
        short = game.left - (on * at.J).sum(axis=1)
        spare = game.budget - float((cost * at.J).sum()) - at.b
        w = self._solve(np.append(short - still.sum(axis=1), spare - float((cost * still).sum()) - bm / at.mu))
        dJ, dt = moved(w[:n, None] + w[n] * cost + f)
        dr = on * (dt - dJ)
        return _Point(
            dJ,
            dt,
            dr,
            bm / at.mu + at.b / at.mu * w[n],
            on * (ju / at.J - at.u - self.e * dJ),
            on * (rq / at.r - at.q - self.a * dr),
            w[:n] - at.lam,
            -w[n] - at.mu,
        )
