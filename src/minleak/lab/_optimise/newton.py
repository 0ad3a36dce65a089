"""Newton's steps on the support of a solver's answer, for the digits that it leaves out.

Near the optimum the objective is flat, so a gap of 1e-12 still allows entries that are wrong in the seventh digit. On
the support, and with the budgets that are spent, the optimum solves grad = lambda_x + mu cost with the given row sums:
smooth equations, on which Newton's method doubles the digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from minleak.core._arrays import Array
from minleak.lab._optimise.cores.grouped import Grouped
from minleak.lab._optimise.programme import Programme, Solution, duals_of_prices

# The systems are dense: with more unknowns, or more entries in view, the answer stays as it is.
_UNKNOWNS, _ENTRIES = 400, 1200
# Entries below this share of their row are off the support.
_SUPPORT = 1e-5
_STEPS = 6
# Residuals below this end the iteration.
_DONE = 1e-13


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
