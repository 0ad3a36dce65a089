"""From a solver's numbers to a channel: rows that sum to one, nothing outside the mask, budgets kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from minleak.channel import Channel
from minleak.design.constrained.infeasible import least_excess
from minleak.design.constrained.problem import Problem
from minleak.entropy.cores.grouped import Array
from minleak.errors import SolverFailed

# An expected cost may pass its budget by this much of the larger of it and the least positive cost: rounding of sums.
BUDGET_TOLERANCE = 1e-12
# Where a cheap channel is at hand and mixing it in is next to nothing, only this much is left over.
_LEFT_OVER = 1e-14
# A channel that still passes its budget by this share of it is refused.
_FAR = 1e-6
# More than this share of a cheap channel is not mixed in.
_MIXED = 1e-3
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
    empty = (problem.left > 0) & ~(sums > 0)
    if empty.any():  # too unlikely for the solver to see: where it is cheapest, and the bound tells what that is worth
        z = np.where(empty[problem.rows], problem.cheapest(0), z)
        sums = problem.row_sums(z)
    return np.asarray(z * np.divide(problem.left, sums, out=np.zeros_like(sums), where=sums > 0)[problem.rows])


def _within(problem: Problem, z: Array, budgets: Sequence[float]) -> Array:
    finite = [i for i, budget in enumerate(budgets) if np.isfinite(budget)]
    capped = [(problem.costs[i], budgets[i]) for i in finite]
    hairs = [BUDGET_TOLERANCE * max(problem.grain(i), abs(budgets[i])) for i in finite]
    over = [(cost, float(cost @ z) - budget) for cost, budget in capped]
    broken = any(excess > hair for (_, excess), hair in zip(over, hairs, strict=True))
    least = _LEFT_OVER / BUDGET_TOLERANCE if len(finite) == 1 else 1.0  # of several budgets it is a linear programme
    over = [(cost, excess) for (cost, excess), hair in zip(over, hairs, strict=True) if excess > least * hair]
    if not over:
        return z
    whole = [budget + settled for budget, settled in zip(budgets, problem.settled_costs, strict=True)]
    _, cheap = least_excess(problem.with_budgets(whole))
    saved = [float(cost @ (z - cheap)) for cost, _ in over]
    share = max(excess / saves if saves > 0 else 1.0 for (_, excess), saves in zip(over, saved, strict=True))
    if share <= _MIXED:
        return np.asarray((1 - share) * z + share * cheap)
    if not broken:
        return z
    z = _nearest(problem, z, capped)
    for (cost, budget), hair in zip(capped, hairs, strict=True):
        if float(cost @ z) - budget > max(_FAR * abs(budget), hair):
            raise SolverFailed("the solver's channel breaks a budget: costs or budgets differ by too much in magnitude")
    return z


def _nearest(problem: Problem, z: Array, capped: list[tuple[Array, float]]) -> Array:
    """The feasible entries with the least sum of distances to z, for budgets that leave no room to mix: by HiGHS."""
    import scipy.sparse as sp
    from scipy.optimize import linprog

    pairs = len(z)
    eye, none = sp.eye_array(pairs), sp.csr_array((len(capped), pairs))
    costs = sp.csr_array(np.array([cost for cost, _ in capped]))
    sums = sp.csr_array((np.ones(pairs), (problem.rows, np.arange(pairs))), shape=(len(problem.left), 2 * pairs))
    result = linprog(
        np.concatenate([np.zeros(pairs), np.ones(pairs)]),
        A_ub=sp.block_array([[eye, -eye], [-eye, -eye], [costs, none]]),
        b_ub=np.concatenate([z, -z, [budget for _, budget in capped]]),
        A_eq=sums,
        b_eq=problem.left,
        method="highs",
    )
    if result.status != 0:
        raise SolverFailed(f"the solver's channel could not be brought within the budgets: {result.message}")
    return np.maximum(np.asarray(result.x[:pairs], dtype=np.float64), 0.0)


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
