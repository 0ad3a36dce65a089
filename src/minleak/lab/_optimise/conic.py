"""Conic programmes by cvxpy and Clarabel."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minleak.errors import SolverFailed
from minleak.lab._optimise.cores.base import cvxpy
from minleak.lab._optimise.cores.grouped import Grouped
from minleak.lab._optimise.problem import Problem
from minleak.lab._optimise.programme import Programme, Solution, duals_of_prices

_USABLE = ("optimal", "optimal_inaccurate")


def solve_conic(programme: Programme, *, tolerance: float) -> Solution:
    """Solve the programme with every term on a copy v = K z + k, whose multipliers are the term's dual variables.

    A core that sees z itself needs no copy; for steep cores the solver then gets more digits.
    """
    cp = cvxpy()
    problem = programme.problem
    z = cp.Variable(len(problem.rows), nonneg=True)
    present = problem.left > 0
    rows = problem.summing[present] @ z == problem.left[present]
    constraints = [rows]
    capped = [i for i, budget in enumerate(problem.budgets) if np.isfinite(budget)]
    costs = [problem.costs[i] @ z <= problem.budgets[i] for i in capped]
    private = _private_rows(problem, z)
    objective = 0.0 if programme.expense is None else -programme.expense @ z
    copies: list[Any] = []
    floors: list[Any] = []
    for term in programme.terms:
        v = z
        if programme.plain_core is None:
            v = cp.Variable(term.view.by.n_entries, nonneg=True)
            copies.append(v == term.view.matrix @ z + term.view.constant)
        hypograph = term.core.hypograph(v, term.view.by)
        constraints += hypograph.constraints
        floors.append(None if term.floor is None else hypograph.total >= term.floor)
        if term.floor is None:
            objective = objective + term.weight * hypograph.total
    kept = [floor for floor in floors if floor is not None]
    whole = cp.Problem(cp.Maximize(objective), [*constraints, *costs, *private, *copies, *kept])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about inaccuracy, which our bound measures
            whole.solve(
                solver=cp.CLARABEL, tol_gap_abs=tolerance, tol_gap_rel=tolerance, tol_feas=tolerance, max_iter=200
            )
    except cp.error.SolverError as error:
        raise SolverFailed(f"Clarabel gave up: {str(error).splitlines()[0]}") from None
    status = str(whole.status)
    if status not in _USABLE or z.value is None or not np.isfinite(z.value).all():
        raise SolverFailed(f"Clarabel stopped with the status {status!r}, without a usable channel")
    mu = np.zeros(len(problem.budgets))
    mu[capped] = [max(float(cost.dual_value), 0.0) for cost in costs]
    multipliers = tuple(
        term.weight if floor is None else max(float(floor.dual_value), 0.0)
        for term, floor in zip(programme.terms, floors, strict=True)
    )
    if programme.plain_core is None:
        shares = zip(copies, multipliers, strict=True)
        duals = tuple(np.asarray(copy.dual_value) / (multiplier or 1.0) for copy, multiplier in shares)
    else:
        lam = np.zeros(len(problem.left))
        lam[present] = rows.dual_value
        duals = (duals_of_prices(problem, lam, mu),)
    price, allowance = problem.price_privacy(private[0].dual_value) if private else (None, 0.0)
    return Solution(np.maximum(z.value, 0.0), mu, multipliers, duals, status, price, allowance)


def _private_rows(problem: Problem, z: Any) -> list[Any]:
    """The rows of privacy; with a delta they have slacks, and a second constraint limits the slacks of a pair."""
    if not problem.ratios.shape[0]:
        return []
    if not problem.delta:
        return [problem.ratios @ z <= 0]
    slack = cvxpy().Variable(problem.ratios.shape[0], nonneg=True)
    return [problem.ratios @ z <= problem.delta * slack, Grouped(problem.ratio_pairs).selection.T @ slack <= 1]
