"""Shannon leakage under one budget as a rate-distortion function, also for costs of different magnitude.

For a price lambda on the expected cost let K_xy = exp(-lambda c_xy), and for a distribution q of the observables
Z = K q. Then in nats, for every budget B and every q,

    least I(X;Y) >= -lambda B - sum p_x log Z_x - log max over y of sum over x of p_x K_xy / Z_x

(Blahut 1972, Csiszar 1974), with equality for the q that minimises -sum p_x log Z_x. The Blahut-Arimoto iteration is
slow where many observables end up unused; an interior-point method needs some thirty Newton steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.errors import SolverFailed
from minleak.lab._optimise.programme import Programme, Solution, duals_of_prices

# The most observables (cost grows with their third power) and entries of the dense matrix.
_OBSERVABLES, _ENTRIES = 600, 250_000
# Most prices, how close two of them end the search, and most Newton steps at each, O(n m^2).
_PRICES, _CLOSE, _STEPS = 60, 1e-11, 80
# Stop when the products of q and its multipliers sum to less.
_SMALL = 1e-15


def is_rate_distortion(programme: Programme) -> bool:
    """True for Shannon alone, without gains, fixed entries or privacy, at most one budget, and not too large."""
    problem, core = programme.problem, programme.plain_core
    observables, secrets = len(np.unique(problem.columns)), len(np.unique(problem.rows))
    small = observables <= _OBSERVABLES and secrets * observables <= _ENTRIES
    return core is not None and core.shannon and len(problem.budgets) <= 1 and small


def solve_rate_distortion(programme: Programme) -> Solution:
    """At the optimum log(1 / p(x given y)) = mu c_xy + log(Z_x / p_x), which gives the dual variables.

    At the least budget there is no finite price: SolverFailed.
    """
    problem = programme.problem
    present, x = np.unique(problem.rows, return_inverse=True)
    shown, y = np.unique(problem.columns, return_inverse=True)
    cost, allowed = np.zeros((len(present), len(shown))), np.zeros((len(present), len(shown)), dtype=bool)
    allowed[x, y] = True
    cost[x, y] = problem.costs[0] if problem.costs else 0.0
    mass = problem.left[present]
    p = mass / mass.sum()
    least = float(p @ np.where(allowed, cost, math.inf).min(axis=1))
    budget = problem.budgets[0] / float(mass.sum()) if problem.budgets else math.inf
    if not budget > least + 1e-12 * max(problem.grain(0) if problem.costs else 1.0, abs(least)):
        raise SolverFailed("at the least budget the price of a budget is infinite")
    try:
        rate = shannon_rate(p, cost, allowed, budget)
    except np.linalg.LinAlgError:
        raise SolverFailed("a Newton step of the rate-distortion problem has no solution") from None
    lam, mu = np.zeros(len(problem.left)), np.full(len(problem.budgets), rate.price)
    lam[present] = rate.log_z - np.log(p)
    z = (mass[:, None] * rate.rows)[x, y]
    return Solution(z, mu, (1.0,), (duals_of_prices(problem, lam, mu),), "rate-distortion")


@dataclass(frozen=True, eq=False)
class Rate:
    """Rows C[x,y] within the budget, its price lambda, the log Z_x, and a bound on all rows in nats."""

    rows: Array
    price: float
    log_z: Array
    bound: float


def shannon_rate(p: Array, cost: Array, allowed: npt.NDArray[np.bool_], budget: float) -> Rate:
    """The least I(X;Y) over rows that are zero where not `allowed`, with expected cost at most `budget`: above the
    least feasible one, or infinite.

    >>> allowed = np.array([[True, True], [False, True]])
    >>> rate = shannon_rate(np.array([0.8, 0.2]), np.array([[0.0, 10.0], [0.0, 0.0]]), allowed, 7.0)
    >>> rate.rows.round(3), round(rate.bound / math.log(2), 4)
    (array([[0.125, 0.875],
           [0.   , 1.   ]]), 0.0341)
    """
    least = np.where(allowed, cost, math.inf).min(axis=1)
    cost = np.where(allowed, cost - least[:, None], 0.0)  # the least cost of a row only shifts the budget
    left = budget - float(p @ least)
    scale = float(cost.max())
    free = _at_price(0.0, p, cost, allowed)
    if free.mean <= left:
        return Rate(free.rows, 0.0, free.log_z, max(free.bound(p, left), 0.0))
    low, high = 1e-9 / scale, 100 * len(p) / max(float(cost[cost > 0].min()), 1e-12 * scale)
    dear, cheap = (_at_price(price, p, cost, allowed) for price in (low, high))
    for turn in range(_PRICES):
        if high <= low * (1 + _CLOSE) or dear.mean <= left or cheap.mean >= left:
            break
        # The mean cost falls with the price: interpolate in its logarithm, and bisect every third time.
        share = (dear.mean - left) / (dear.mean - cheap.mean) if turn % 3 else 0.5
        price = low ** (1 - share) * high**share
        found = _at_price(price if low < price < high else math.sqrt(low * high), p, cost, allowed)
        if found.mean > left:
            low, dear = found.price, found
        else:
            high, cheap = found.price, found
    part = min(max((left - cheap.mean) / (dear.mean - cheap.mean), 0.0), 1.0) if dear.mean > cheap.mean else 0.0
    best = max(dear, cheap, key=lambda found: found.bound(p, left))
    rows = part * dear.rows + (1 - part) * cheap.rows
    return Rate(rows, best.price, best.log_z - best.price * least, max(best.bound(p, left), 0.0))


@dataclass(frozen=True, eq=False)
class _AtPrice:
    """The rows that minimise I(X;Y) + price * cost, their mean cost, log Z_x, and the largest sum of p K / Z."""

    price: float
    rows: Array
    mean: float
    log_z: Array
    largest: float

    def bound(self, p: Array, budget: float) -> float:
        paid = self.price * budget if self.price else 0.0  # an infinite budget
        return float(-paid - p @ self.log_z - math.log(self.largest))


def _at_price(price: float, p: Array, cost: Array, allowed: npt.NDArray[np.bool_]) -> _AtPrice:
    kernel = np.where(allowed, np.exp(-np.minimum(price * cost, 700.0)), 0.0)
    q = _mixture(kernel, p)
    z = kernel @ q
    rows = q * kernel / z[:, None]
    return _AtPrice(price, rows, float(p @ (rows * cost).sum(axis=1)), np.log(z), float(((p / z) @ kernel).max()))


def _mixture(kernel: Array, p: Array) -> Array:
    """The distribution q that minimises -sum p_x log (K q)_x, by primal-dual Newton steps.

    The optimum of -sum p log(K q) + sum q has sum q = 1 by itself. There 1 - K^T(p / K q) = s with s >= 0 and q s = 0;
    the steps solve this with q s = tau for falling tau.
    """
    m = kernel.shape[1]
    q, s = np.full(m, 1.0 / m), np.full(m, 1.0 / m)
    for _ in range(_STEPS):
        z = kernel @ q
        gradient = 1.0 - (p / z) @ kernel
        together = float(q @ s)
        if together < _SMALL and np.abs(gradient - s).max() < 1e-12:
            break
        tau = 0.1 * together / m
        hessian = (kernel * (p / z**2)[:, None]).T @ kernel
        hessian[np.diag_indices(m)] += s / q
        step = np.linalg.solve(hessian, tau / q - gradient)
        back = tau / q - s - s / q * step
        ratio = max(float((-step / q).max()), float((-back / s).max()), 0.0)
        size = min(1.0, 0.99 / ratio) if ratio > 0 else 1.0
        q, s = q + size * step, s + size * back
    return np.asarray(q / q.sum())
