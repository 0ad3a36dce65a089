"""The certificate: a bound on the optimum from planes above the cores, in plain numpy, wherever the duals came from.

Every core has U(v) <= <S, v>, so for multipliers t >= 0 of the terms and mu >= 0 of the budgets, every feasible z has

    objective(z) <= <s, z> + const <= sum over x of left_x max over y of (s_xy - mu c_xy) + mu budget + const,

with s = sum of t K^T S - expense and const = sum of t (<S, k> - floor). The right-hand side needs no solver. Rows
A z <= 0 of privacy with multipliers nu >= 0 take A^T nu from s.
"""

from __future__ import annotations

import numpy as np

from minleak._optimise.programme import Programme, Solution


def upper_bound(programme: Programme, solution: Solution) -> float:
    """No feasible z has a larger objective than this, up to rounding."""
    problem = programme.problem
    plane = np.zeros(len(problem.rows)) if programme.expense is None else -programme.expense
    constant = 0.0
    for term, multiplier, dual in zip(programme.terms, solution.multipliers, solution.duals, strict=True):
        if multiplier > 0:
            S = term.core.majorant(dual, term.view.by)
            plane = plane + multiplier * (term.view.matrix.T @ S)
            constant += multiplier * (float(S @ term.view.constant) - (term.floor or 0.0))
    if solution.withheld is not None:
        plane = plane - solution.withheld
    for mu, cost, budget in zip(solution.mu.tolist(), problem.costs, problem.budgets, strict=True):
        if np.isfinite(budget):
            plane = plane - mu * cost
            constant += mu * budget
    return float(problem.left @ problem.row_best(plane)) + constant
