"""Feasibility: why a problem has no solution, and how to turn a solver's numbers into feasible entries."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minleak.core._arrays import Array
from minleak.errors import Infeasible, SolverFailed
from minleak.lab._optimise.problem import Problem

# An expected cost may exceed its budget by this share of the larger of the budget and the least positive cost, for
# rounding of sums. A budget so little below the least cost counts as the least cost.
_ROUNDING = 1e-12
# The same for private channels, which a solver makes cheapest to this share.
PRIVATE_ROUNDING = 1e-9
# Where mixing in a cheap channel costs next to nothing, only this share of that tolerance is used.
_LEFT_OVER = 1e-2
# A channel that still exceeds its budget by this share is refused.
_FAR = 1e-6
# The largest share of a cheap channel to mix in.
_MIXED = 1e-3
# Entries below these shares of their row are set to zero if the objective loses at most _WORTH; tried in turn.
_CUTS, _WORTH = (1e-6, 1e-8, 1e-10), 1e-11


def check_feasible(problem: Problem) -> None:
    """Raise Infeasible, naming the least feasible budget, if no channel is within the budgets."""
    for i, (least, given, fixed, scale) in enumerate(
        zip(problem.least_costs(), problem.budgets, problem.fixed_costs, problem.scales, strict=True)
    ):
        if given + fixed < least - _ROUNDING * max(problem.grain(i), abs(least)):
            which = "the budget" if len(problem.budgets) == 1 else f"budget {i}"
            raise Infeasible(
                f"{which} is {(given + fixed) * scale:.12g}, below {least * scale:.12g}, the least expected "
                "cost of any channel on the allowed pairs: raise it at least to that, or allow cheaper pairs"
            )
    if len(problem.budgets) > 1:
        excess, _ = _least_excess(problem)
        if excess > 1e-9 * max(1.0, *map(abs, problem.budgets)):
            more = list(dict.fromkeys(f"{excess * scale:.9g}" for scale in problem.scales))
            by = f"each were raised by {more[0]}" if len(more) == 1 else f"they were raised by {', '.join(more)}"
            raise Infeasible(
                f"no channel keeps to all {len(problem.budgets)} budgets at once, though each alone can be kept: "
                f"they would be feasible if {by}"
            )


def check_delta(problem: Problem) -> None:
    """Raise Infeasible, naming the least delta, if no channel on the allowed pairs has such a small one."""
    if problem.delta:
        least = problem.safest[0]
        if not least <= problem.delta:
            raise Infeasible(
                f"delta is {problem.delta:.9g}, and every channel on the allowed pairs needs at least {least:.9g} at "
                "this epsilon: raise one of them, or allow more pairs"
            )


def make_feasible(problem: Problem, z: Array, objective: Callable[[Array], float]) -> Array:
    """Feasible entries near z: clipped, rows scaled to their sums, and a cheap channel mixed in where a budget is
    exceeded. Tiny entries are noise of an interior-point solver and are cut where that costs nothing.
    """
    if problem.privacy is not None:
        return _private_within(problem, z)
    z = _within_budgets(problem, _with_row_sums(problem, np.maximum(z, 0.0)))
    value = objective(z)
    for cut in _CUTS:
        large = z >= cut * problem.left[problem.rows]
        sparse = _within_budgets(problem, _with_row_sums(problem, np.where(large, z, 0.0)))
        if objective(sparse) >= value - _WORTH:
            return sparse
    return z


def _private_within(problem: Problem, z: Array) -> Array:
    """Entries that are exactly private, mixed with the cheapest private ones by as much as a budget asks."""
    z = problem.make_private(np.maximum(z, 0.0))
    for i, (cost, budget) in enumerate(zip(problem.costs, problem.budgets, strict=True)):
        excess = float(cost @ z) - budget
        if excess > 0 and problem.cheapest_private is not None:
            saved = float(cost @ (z - problem.cheapest_private))
            share = min(excess / saved, 1.0) if saved > 0 else 1.0
            if share <= _MIXED or excess > PRIVATE_ROUNDING * max(problem.grain(i), abs(budget)):
                z = (1 - share) * z + share * problem.cheapest_private
    return z


def _with_row_sums(problem: Problem, z: Array) -> Array:
    empty = (problem.left > 0) & ~(problem.row_sums(z) > 0)
    if empty.any():  # too unlikely for the solver to see: use the cheapest pair, and let the bound tell the loss
        z = np.where(empty[problem.rows], problem.cheapest(0), z)
    return problem.scale_rows(z)


def _within_budgets(problem: Problem, z: Array) -> Array:
    capped = [i for i, budget in enumerate(problem.budgets) if np.isfinite(budget)]
    tolerances = {i: _ROUNDING * max(problem.grain(i), abs(problem.budgets[i])) for i in capped}
    excess = {i: float(problem.costs[i] @ z) - problem.budgets[i] for i in capped}
    least = _LEFT_OVER if len(capped) == 1 else 1.0  # with several budgets the cheap channel needs a linear programme
    over = [i for i in capped if excess[i] > least * tolerances[i]]
    if not over:
        return z
    _, cheap = _least_excess(problem)
    saved = {i: float(problem.costs[i] @ (z - cheap)) for i in over}
    share = max(excess[i] / saved[i] if saved[i] > 0 else 1.0 for i in over)
    if share <= _MIXED:
        return np.asarray((1 - share) * z + share * cheap)
    if all(excess[i] <= tolerances[i] for i in capped):
        return z
    z = _nearest(problem, z, capped)
    for i in capped:
        budget = problem.budgets[i]
        if float(problem.costs[i] @ z) - budget > max(_FAR * abs(budget), tolerances[i]):
            raise SolverFailed("the solver's channel breaks a budget: costs or budgets differ by too much in magnitude")
    return z


def _least_excess(problem: Problem) -> tuple[float, Array]:
    """The least e such that some channel costs at most budget_i + e for every i (scaled), and its free entries."""
    import scipy.sparse as sp
    from scipy.optimize import linprog

    pairs = len(problem.rows)
    capped = [i for i, budget in enumerate(problem.budgets) if np.isfinite(budget)]
    if len(capped) == 1:
        z = problem.cheapest(capped[0])
        return float(problem.costs[capped[0]] @ z) - problem.budgets[capped[0]], z
    result = linprog(
        [*np.zeros(pairs), 1.0],
        A_ub=np.array([[*problem.costs[i], -1.0] for i in capped]),
        b_ub=[problem.budgets[i] for i in capped],
        A_eq=sp.hstack([problem.summing, sp.csr_array((len(problem.left), 1))]),
        b_eq=problem.left,
        bounds=[(0, None)] * pairs + [(None, None)],
        method="highs",
    )
    if result.status != 0:
        raise SolverFailed(f"HiGHS could not tell whether the budgets can be kept together: {result.message}")
    return float(result.fun), np.maximum(result.x[:pairs], 0.0)


def _nearest(problem: Problem, z: Array, capped: list[int]) -> Array:
    """The feasible entries nearest to z in the sum of distances, for budgets that leave no room to mix."""
    import scipy.sparse as sp
    from scipy.optimize import linprog

    pairs = len(z)
    eye = sp.eye_array(pairs)
    costs = sp.csr_array(np.array([problem.costs[i] for i in capped]))
    result = linprog(
        np.concatenate([np.zeros(pairs), np.ones(pairs)]),
        A_ub=sp.block_array([[eye, -eye], [-eye, -eye], [costs, None]]),
        b_ub=np.concatenate([z, -z, [problem.budgets[i] for i in capped]]),
        A_eq=sp.hstack([problem.summing, sp.csr_array((len(problem.left), pairs))]),
        b_eq=problem.left,
        method="highs",
    )
    if result.status != 0:
        raise SolverFailed(f"the solver's channel could not be brought within the budgets: {result.message}")
    return np.maximum(np.asarray(result.x[:pairs], dtype=np.float64), 0.0)
