"""Conic programmes by cvxpy and Clarabel, and Newton's steps for the digits that they leave out.

Near the optimum the objective is flat, so a gap of 1e-12 still allows entries that are wrong in the seventh digit. On
the support, and with the budgets that are spent, the optimum solves grad = lambda_x + mu cost with the given row sums:
smooth equations, on which Newton's method doubles the digits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.errors import SolverFailed
from minleak.lab._optimise.cores.base import Grouped, cvxpy
from minleak.lab._optimise.problem import Problem
from minleak.lab._optimise.programme import Programme, Solution, duals_of_prices

_USABLE = ("optimal", "optimal_inaccurate")
# The systems are dense: with more unknowns, or more entries in view, the answer stays as it is.
_UNKNOWNS, _ENTRIES = 400, 1200
# Entries below this share of their row are off the support.
_SUPPORT = 1e-5
_STEPS = 6
# Residuals below this end the iteration.
_DONE = 1e-13


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


def sharpen(programme: Programme, solution: Solution) -> Solution | None:
    """The solution with Newton's digits, or None where that does not apply or does not get closer."""
    problem, core = programme.problem, programme.core
    if core is None or core.linear or problem.privacy is not None:
        return None
    view = programme.terms[0].view
    on = solution.z > _SUPPORT * problem.left[problem.rows]
    spent = [i for i, budget in enumerate(problem.budgets) if np.isfinite(budget) and solution.mu[i] > 1e-7]
    present = problem.left > 0
    A = np.vstack([problem.summing[present][:, on].toarray(), *(problem.costs[i][on] for i in spent)])
    K = view.matrix[:, on]
    reached = (K.sum(axis=1) > 0) | (view.constant > 0)  # the core does not see entries that are always zero
    if not on.any() or sum(A.shape) > _UNKNOWNS or reached.sum() > _ENTRIES:
        return None
    target = np.concatenate([problem.left[present], [problem.budgets[i] for i in spent]])
    by, K, constant = Grouped(view.columns[reached]), K[reached].toarray(), view.constant[reached]

    def derivatives(z: Array) -> tuple[Array, Array]:
        v = K @ z + constant
        top = by.max(v)
        v = np.maximum(v, np.where(top > 0, 1e-14 * top, 1.0)[by.of])  # a column of zeros may be anything
        return K.T @ core.gradient_at(v, by), K.T @ core.hessian_at(v, by) @ K

    best, rank = _newton(derivatives, solution.z[on], A, target)
    if best is None:
        return None
    z = np.zeros_like(solution.z)
    z[on] = best[0]
    mu, duals = solution.mu, solution.duals[0].copy()
    if rank == len(A):  # else multipliers are not unique, and the solver's are as good as any
        lam, mu = np.zeros(len(problem.left)), np.zeros(len(problem.budgets))
        lam[present] = best[1][: present.sum()]
        mu[spent] = np.maximum(best[1][present.sum() :], 0.0)
        if view.identity:
            duals = duals_of_prices(problem, lam, mu)
    if not view.identity:
        v = view.of(z)
        duals = np.where(v > 0, core.gradient_at(np.where(v > 0, v, 1e-300), view.by), duals)
    return replace(solution, z=z, mu=mu, duals=(duals,), status=f"{solution.status}, polished")


def _newton(
    derivatives: Callable[[Array], tuple[Array, Array]], z: Array, A: Array, target: Array
) -> tuple[tuple[Array, Array] | None, int]:
    """The entries and multipliers that best solve grad = A^T multipliers, A z = target, and the rank of A."""
    from scipy.linalg import lstsq

    best: tuple[Array, Array] | None = None
    closest, rank, k = np.inf, 0, len(A)
    for _ in range(_STEPS):
        gradient, hessian = derivatives(z)
        if not (np.isfinite(gradient).all() and np.isfinite(hessian).all()):
            break
        multipliers, _, rank, _ = lstsq(A.T, gradient, lapack_driver="gelsy", check_finite=False)
        off = float(max(np.abs(gradient - A.T @ multipliers).max(), np.abs(A @ z - target).max()))
        improved = off < 0.5 * closest
        if off < closest:
            best, closest = (z, multipliers), off
        if closest < _DONE or not improved:
            break
        system = np.block([[hessian, A.T], [A, np.zeros((k, k))]])
        wanted = np.concatenate([-gradient, target - A @ z])
        z = z + lstsq(system, wanted, cond=1e-13, lapack_driver="gelsy", check_finite=False)[0][: len(z)]
        if not (z > 0).all():
            break
    return best, rank
