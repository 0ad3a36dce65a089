"""From a solver's numbers to a channel: rows that sum to one, nothing outside the mask, budgets kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from minleak.channel import Channel
from minleak.design.constrained.grouped import Array
from minleak.design.constrained.infeasible import least_excess
from minleak.design.constrained.problem import Problem
from minleak.errors import SolverFailed

# An expected cost may pass its budget by this much of the larger of one and the budget: rounding of sums.
BUDGET_TOLERANCE = 1e-12
# Shares of a row below these are tried as zero, the largest first.
_CUTS = (1e-6, 1e-8, 1e-10)
# What cutting may cost at most, in the objective.
_WORTH = 1e-11


def cleaned(problem: Problem, z: Array, budgets: Sequence[float], objective: Callable[[Array], float]) -> Array:
    """Feasible entries near z: clipped, rows scaled to their sums, a hair over a budget mixed with a cheap channel.

    Tiny entries are noise of an interior-point solver; they are cut where the objective does not miss them.
    """
    z = _within(problem, _scaled(problem, np.maximum(z, 0.0)), budgets)
    value = objective(z)
    for cut in _CUTS:
        sparse = _within(problem, _scaled(problem, np.where(z >= cut * problem.left[problem.rows], z, 0.0)), budgets)
        if objective(sparse) >= value - _WORTH:
            return sparse
    return z


def _scaled(problem: Problem, z: Array) -> Array:
    sums = problem.row_sums(z)
    if not (sums[problem.left > 0] > 0).all():
        raise SolverFailed("the solver left a secret without an observable")
    return np.asarray(z * np.divide(problem.left, sums, out=np.zeros_like(sums), where=sums > 0)[problem.rows])


def _within(problem: Problem, z: Array, budgets: Sequence[float]) -> Array:
    over = [(cost @ z - budget) for cost, budget in zip(problem.costs, budgets, strict=True) if np.isfinite(budget)]
    if not over or max(over) <= 0:
        return z
    _, cheap = least_excess(problem.with_budgets([b + s for b, s in zip(budgets, problem.settled_costs, strict=True)]))
    share = 0.0
    for cost, budget in zip(problem.costs, budgets, strict=True):
        excess, saved = float(cost @ z) - budget, float(cost @ (z - cheap))
        if np.isfinite(budget) and excess > 0:
            share = max(share, excess / saved if saved > excess else 1.0)
    return np.asarray((1 - share) * z + share * cheap)


def as_channel_of(problem: Problem, z: Array) -> Channel:
    """The channel of the free entries z and the settled ones; impossible secrets go where most others go."""
    n, m = problem.shape
    p = problem.prior.p
    matrix = np.zeros((n, m)) if problem.partial is None else np.nan_to_num(problem.partial)
    matrix[problem.rows, problem.columns] = z / p[problem.rows]
    free = problem.allowed if problem.partial is None else problem.allowed & np.isnan(problem.partial)
    popular = p @ matrix
    for x in np.flatnonzero(p == 0):
        if free[x].any():
            y = int(np.argmax(np.where(free[x], popular, -1.0)))
            matrix[x, y] = max(1 - float(matrix[x].sum()), 0.0)
    return Channel(matrix, inputs=problem.prior.labels, outputs=problem.outputs)
