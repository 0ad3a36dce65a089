"""Polish: Newton steps on the support of a conic solver's answer, for the digits that its tolerance leaves out.

Near the optimum the objective is flat, so that a gap of 1e-12 still allows entries that are wrong in the seventh digit.
On the support, and with the budgets that are spent, the optimum solves grad = lambda_x + mu cost, row sums as they are:
smooth equations, on which Newton's method doubles the digits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from minleak.design.constrained.programme import Programme, Solution, told_apart
from minleak.entropy.cores.base import Smooth
from minleak.entropy.cores.grouped import Array, Grouped

# More unknowns than this are left as they are: a dense system is solved.
LARGEST = 400
_LARGEST_SEEN = 1200
# Entries below this share of their row are off the support; cores that are steep at zero have tiny ones on it.
SUPPORTS = (1e-5, 1e-8, 1e-11)
_STEPS = 6
# Equations solved this well are solved.
_DONE = 1e-13


def polished(
    programme: Programme, solution: Solution, budgets: tuple[float, ...], *, support: float = SUPPORTS[0]
) -> Solution | None:
    """The solution with Newton's digits, or None where that does not apply or does not get closer."""
    from threadpoolctl import threadpool_limits

    problem, term = programme.problem, programme.terms[0]
    core = term.core
    if len(programme.terms) > 1 or programme.expense is not None or not isinstance(core, Smooth):
        return None
    on = solution.z > support * problem.left[problem.rows]
    spent = [i for i, budget in enumerate(budgets) if np.isfinite(budget) and solution.mu[i] > 1e-7]
    present = np.flatnonzero(problem.left > 0)
    if not on.any() or on.sum() + len(present) + len(spent) > LARGEST:
        return None
    by, K, constant = term.seen.by, None, np.zeros(0)
    if term.seen.matrix is None:
        by = Grouped(term.seen.columns[on])  # off the support there is nothing, and the core does not see zeros
    elif by.n_entries <= _LARGEST_SEEN:
        K, constant = term.seen.matrix[:, on].toarray(), term.seen.constant
    else:
        return None
    A = np.zeros((len(present) + len(spent), int(on.sum())))
    A[np.searchsorted(present, problem.rows[on]), np.arange(A.shape[1])] = 1.0
    for j, i in enumerate(spent):
        A[len(present) + j] = problem.costs[i][on]
    target = np.concatenate([problem.left[present], [budgets[i] for i in spent]])
    with threadpool_limits(1, user_api="blas"):  # small systems: several threads would wait for each other
        best, rank = _newton(core, by, K, constant, solution.z[on], A, target)
    if best is None:
        return None
    z = np.zeros_like(solution.z)
    z[on] = best[0]
    lam, mu = solution.lam, solution.mu
    if rank == len(A):  # else they are not unique, and the solver's are as good as any
        lam, mu = np.zeros(len(problem.left)), np.zeros(len(budgets))
        lam[present] = best[1][: len(present)]
        mu[spent] = np.maximum(best[1][len(present) :], 0.0)
    if term.seen.matrix is None:
        duals = told_apart(programme, lam, mu)
    else:
        v = term.seen.of(z)
        duals = np.where(v > 0, core.gradient_at(np.where(v > 0, v, 1e-300), term.seen.by), solution.duals[0])
    return replace(solution, z=z, lam=lam, mu=mu, duals=(duals,), status=f"{solution.status}, polished")


def _newton(
    core: Smooth, by: Grouped, K: Array | None, constant: Array, z: Array, A: Array, target: Array
) -> tuple[tuple[Array, Array] | None, int]:
    """The entries and multipliers that solve grad = A^T multipliers, A z = target best, and the rank of A.

    The core sees K z + constant, or z itself.
    """
    from scipy.linalg import lstsq

    best: tuple[Array, Array] | None = None
    closest, rank = np.inf, 0
    for _ in range(_STEPS):
        gradient, hessian = _derivatives(core, by, K, z if K is None else K @ z + constant)
        if not (np.isfinite(gradient).all() and np.isfinite(hessian).all()):
            break
        multipliers, _, rank, _ = lstsq(A.T, gradient, lapack_driver="gelsy", check_finite=False)
        off = float(max(np.abs(gradient - A.T @ multipliers).max(), np.abs(A @ z - target).max()))
        if off < closest:
            best, improved, closest = (z, multipliers), off < 0.5 * closest, off
        else:
            improved = False
        if closest < _DONE or not improved:
            break
        k = len(A)
        system = np.block([[hessian, A.T], [A, np.zeros((k, k))]])
        wanted = np.concatenate([-gradient, target - A @ z])
        step = lstsq(system, wanted, cond=1e-13, lapack_driver="gelsy", check_finite=False)[0]
        z = z + step[: A.shape[1]]
        if not (z > 0).all():
            break
    return best, rank


def _derivatives(core: Smooth, by: Grouped, K: Array | None, v: Array) -> tuple[Array, Array]:
    """Gradient and Hessian by z of the core of v = K z + constant; the Hessian by differences of the gradient."""
    top = by.max(v)
    v = np.maximum(v, np.where(top > 0, 1e-14 * top, 1.0)[by.of])  # a column of zeros may be anything
    gradient = core.gradient_at(v, by)
    hessian = np.zeros((len(v), len(v)))
    for place in range(1, int(by.sizes.max()) + 1):  # the place-th entry of every column at once
        moved = np.flatnonzero(by.places == place)
        change = np.where(by.places == place, 1e-6 * v, 0.0)
        rise = (core.gradient_at(v + change, by) - core.gradient_at(v - change, by)) / 2
        column = np.full(len(by), -1)
        column[by.of[moved]] = moved
        rows = np.flatnonzero(column[by.of] >= 0)
        at = column[by.of[rows]]
        hessian[rows, at] = rise[rows] / change[at]
    return (gradient, hessian) if K is None else (K.T @ gradient, K.T @ hessian @ K)
