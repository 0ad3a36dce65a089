"""Why a problem has no solution: the least budget that would be feasible."""

from __future__ import annotations

import numpy as np

from minleak.design.constrained.problem import Problem
from minleak.entropy.cores.grouped import Array
from minleak.errors import Infeasible, SolverFailed

# Budgets this close below the least cost, relative to it, are taken to mean it.
_ROUNDING = 1e-12


def check_feasible(problem: Problem) -> None:
    """Raise Infeasible, with the least budget that is feasible, if no channel keeps to the budgets."""
    for i, (least, given, settled, scale) in enumerate(
        zip(problem.least_costs(), problem.budgets, problem.settled_costs, problem.scales, strict=True)
    ):
        if given + settled < least - _ROUNDING * max(problem.grain(i), abs(least)):
            which = "the budget" if len(problem.budgets) == 1 else f"budget {i}"
            raise Infeasible(
                f"{which} is {(given + settled) * scale:.12g}, below {least * scale:.12g}, the least expected "
                "cost of any channel on the allowed pairs: raise it at least to that, or allow cheaper pairs"
            )
    if len(problem.budgets) > 1:
        excess, _ = least_excess(problem)
        if excess > 1e-9 * max(1.0, *map(abs, problem.budgets)):
            more = list(dict.fromkeys(f"{excess * scale:.9g}" for scale in problem.scales))
            by = f"each were raised by {more[0]}" if len(more) == 1 else f"they were raised by {', '.join(more)}"
            raise Infeasible(
                f"no channel keeps to all {len(problem.budgets)} budgets at once, though each alone can be kept: "
                f"they would be feasible if {by}"
            )


def least_excess(problem: Problem) -> tuple[float, Array]:
    """The least e such that some channel costs at most budget_i + e for every i (scaled), and that channel's free
    entries.
    """
    import scipy.sparse as sp
    from scipy.optimize import linprog

    pairs = len(problem.rows)
    capped = [i for i, budget in enumerate(problem.budgets) if np.isfinite(budget)]
    if len(capped) == 1:
        z = problem.cheapest(capped[0])
        return float(problem.costs[capped[0]] @ z) - problem.budgets[capped[0]], z
    sums = sp.csr_array((np.ones(pairs), (problem.rows, np.arange(pairs))), shape=(len(problem.left), pairs + 1))
    result = linprog(
        [*np.zeros(pairs), 1.0],
        A_ub=np.array([[*problem.costs[i], -1.0] for i in capped]),
        b_ub=[problem.budgets[i] for i in capped],
        A_eq=sums,
        b_eq=problem.left,
        bounds=[(0, None)] * pairs + [(None, None)],
        method="highs",
    )
    if result.status != 0:
        raise SolverFailed(f"HiGHS could not tell whether the budgets can be kept together: {result.message}")
    return float(result.fun), np.maximum(result.x[:pairs], 0.0)
