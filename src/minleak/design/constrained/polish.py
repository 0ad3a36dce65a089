"""Polish: Newton steps on the support of a conic solver's answer, for the digits that its tolerance leaves out.

Near the optimum the objective is flat, so that a gap of 1e-12 still allows entries that are wrong in the seventh digit.
On the support, and with the budgets that are spent, the optimum solves grad = lambda_x + mu cost, row sums as they are:
smooth equations, on which Newton's method doubles the digits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.design.constrained.cores.base import Smooth
from minleak.design.constrained.grouped import Array, Grouped
from minleak.design.constrained.programme import Programme, Solution, told_apart

# More unknowns than this are left as they are: a dense system is solved.
LARGEST = 400
# Entries below this share of their row are off the support.
_SUPPORT = 1e-5
_STEPS = 6


def polished(programme: Programme, solution: Solution, budgets: tuple[float, ...]) -> Solution | None:
    """The solution with Newton's digits, or None where that does not apply or does not get closer."""
    problem, term = programme.problem, programme.terms[0]
    core = term.core
    if len(programme.terms) > 1 or programme.expense is not None or not isinstance(core, Smooth):
        return None
    on = solution.z > _SUPPORT * problem.left[problem.rows]
    spent = [i for i, budget in enumerate(budgets) if np.isfinite(budget) and solution.mu[i] > 1e-7]
    present = np.flatnonzero(problem.left > 0)
    if not on.any() or on.sum() + len(present) + len(spent) > LARGEST:
        return None
    z = np.where(on, solution.z, 0.0)
    A = np.zeros((len(present) + len(spent), int(on.sum())))
    A[np.searchsorted(present, problem.rows[on]), np.arange(A.shape[1])] = 1.0
    for j, i in enumerate(spent):
        A[len(present) + j] = problem.costs[i][on]
    target = np.concatenate([problem.left[present], [budgets[i] for i in spent]])
    best, closest = None, np.inf
    for _ in range(_STEPS):
        gradient, hessian = _derivatives(core, term.seen.by, term.seen.matrix, term.seen.of(z), on)
        if not (np.isfinite(gradient).all() and np.isfinite(hessian).all()):
            break
        multipliers = np.linalg.lstsq(A.T, gradient, rcond=None)[0]
        off = float(max(np.abs(gradient - A.T @ multipliers).max(), np.abs(A @ z[on] - target).max()))
        if off < closest:
            best, closest = (z, multipliers), off
        k = len(A)
        system = np.block([[hessian, A.T], [A, np.zeros((k, k))]])
        step = np.linalg.lstsq(system, np.concatenate([-gradient, target - A @ z[on]]), rcond=1e-13)[0]
        moved = z.copy()
        moved[on] += step[: A.shape[1]]
        if not (moved[on] > 0).all():
            break
        z = moved
    if best is None:
        return None
    lam, mu = solution.lam, solution.mu
    if np.linalg.matrix_rank(A) == len(A):  # else they are not unique, and the solver's are as good as any
        lam, mu = np.zeros(len(problem.left)), np.zeros(len(budgets))
        lam[present] = best[1][: len(present)]
        mu[spent] = np.maximum(best[1][len(present) :], 0.0)
    if term.seen.matrix is None:
        duals = told_apart(programme, lam, mu)
    else:
        v = term.seen.of(best[0])
        duals = np.where(v > 0, core.gradient_at(np.where(v > 0, v, 1e-300), term.seen.by), solution.duals[0])
    return replace(solution, z=best[0], lam=lam, mu=mu, duals=(duals,), status=f"{solution.status}, polished")


def _derivatives(core: Smooth, by: Grouped, matrix: Any, v: Array, on: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
    """Gradient and Hessian by the entries of z that are `on`; the Hessian by differences of the gradient."""
    top = by.max(v)
    floor = np.maximum(v, np.where(top > 0, 1e-14 * top, 1.0)[by.of])  # a column off the support may be anything
    base = core.gradient_at(floor, by)
    hessian = np.zeros((len(v), len(v)))
    for place in range(1, int(by.sizes.max()) + 1):  # the place-th entry of every column at once
        moved = np.flatnonzero(by.places == place)
        h = 1e-6 * floor[moved]
        up, down = floor.copy(), floor.copy()
        up[moved] += h
        down[moved] -= h
        change = core.gradient_at(up, by) - core.gradient_at(down, by)
        touched = np.isin(by.of, by.of[moved])
        width = np.zeros(len(by))
        width[by.of[moved]] = 2 * h
        column = np.zeros(len(by), dtype=np.int64)
        column[by.of[moved]] = moved
        rows = np.flatnonzero(touched)
        hessian[rows, column[by.of[rows]]] = change[rows] / width[by.of[rows]]
    if matrix is None:
        return base[on], hessian[np.ix_(on, on)]
    K = matrix.toarray()[:, on]
    return K.T @ base, K.T @ hessian @ K
