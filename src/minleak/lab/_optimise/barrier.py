"""A primal-dual barrier method for smooth cores of which only the gradient is known.

Maximise sum of U + t (sum of log z + sum of log slacks) within the row sums, for t falling to zero. Second derivatives
come from differences of the gradient, and step lengths from gradients too, which keep more digits than values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.errors import SolverFailed
from minleak.lab._optimise.problem import Problem
from minleak.lab._optimise.programme import Programme, Term

# The systems are dense: more unknowns than this are refused.
_UNKNOWNS = 1500
# Products of unknowns and multipliers at the start and at the end, and the factor by which a step should lower them.
_FIRST, _LAST, _FALL = 1e-2, 1e-13, 0.1
# Most steps, the shortest one, and the share of the way to the boundary that one may go.
_STEPS, _SHORTEST, _WAY = 80, 1e-6, 0.98
# The least room inside, in units of an equal share.
_ROOM = 1e-7


@dataclass(frozen=True, eq=False)
class _Interior:
    """Unknowns x > 0, z first and then the slacks of delta, with B x < c and `sums` x = left."""

    sums: Any
    left: Array
    B: Any
    c: Array

    @classmethod
    def of(cls, problem: Problem) -> _Interior:
        import scipy.sparse as sp

        pairs, ratios = len(problem.rows), problem.ratios
        slacks = ratios.shape[0] if problem.delta else 0
        blocks: list[list[Any]] = [[ratios, -sp.eye_array(slacks)]] if slacks else [[ratios]]
        limits = [np.zeros(ratios.shape[0])]
        for cost, budget in zip(problem.costs, problem.budgets, strict=True):
            if np.isfinite(budget):
                blocks.append([sp.csr_array(cost[None]), None] if slacks else [sp.csr_array(cost[None])])
                limits.append(np.array([budget]))
        if slacks:
            totals = sp.csr_array((np.ones(slacks), (problem.ratio_pairs, np.arange(slacks))))
            blocks.append([sp.csr_array((totals.shape[0], pairs)), totals])
            limits.append(np.full(totals.shape[0], problem.delta))
        present = problem.left > 0
        sums = np.pad(problem.summing[present].toarray(), [(0, 0), (0, slacks)])
        return cls(sums, problem.left[present], sp.block_array(blocks, format="csr"), np.concatenate(limits))

    def centre(self) -> Array:
        """A point with as much room on all sides as there is."""
        import scipy.sparse as sp
        from scipy.optimize import linprog

        unknowns = self.sums.shape[1]
        off = sp.csr_array(np.full((unknowns + len(self.c), 1), self.left.sum() / unknowns))
        result = linprog(
            np.append(np.zeros(unknowns), -1.0),
            A_ub=sp.hstack([sp.vstack([-sp.eye_array(unknowns), self.B]), off]),
            b_ub=np.concatenate([np.zeros(unknowns), self.c]),
            A_eq=np.pad(self.sums, [(0, 0), (0, 1)]),
            b_eq=self.left,
            bounds=[(0, None)] * unknowns + [(0, 1)],
            method="highs",
        )
        if result.status != 0 or not result.x[-1] > _ROOM:
            raise SolverFailed("no channel keeps strictly within the budgets and the privacy")
        return np.asarray(result.x[:-1])


def solve_barrier(programme: Programme) -> Array:
    """Entries close to the optimum of one smooth core; SolverFailed if they are too many, or have no room inside."""
    term, inside = programme.terms[0], _Interior.of(programme.problem)
    if inside.sums.shape[1] > _UNKNOWNS:
        raise SolverFailed(f"{inside.sums.shape[1]:,} unknowns are too many for an entropy known by its gradient alone")
    return _climb(term, inside, len(programme.problem.rows))


def _climb(term: Term, inside: _Interior, pairs: int) -> Array:
    """Newton's steps for x, the multipliers u of x >= 0 and w of the slacks, towards products t that fall with their
    mean.
    """
    B, (view, by) = inside.B, (term.view, term.view.by)
    x = inside.centre()
    slack = inside.c - B @ x
    u, w = _FIRST / x, _FIRST / slack

    def rise(x: Array, slack: Array, t: float) -> Array:
        """The gradient of sum of U + t (sum of log x + sum of log slacks)."""
        found = t / x - B.T @ (t / slack)
        found[:pairs] += view.matrix.T @ term.core.gradient_at(view.of(x[:pairs]), by)
        return np.asarray(found)

    for _ in range(_STEPS):
        mean = float(x @ u + slack @ w) / (len(x) + len(slack))
        if mean <= _LAST:
            break
        t = _FALL * mean
        hessian = np.asarray((B.T @ (B * (w / slack)[:, None]).tocsr()).toarray()) + np.diag(u / x)
        curved = term.core.hessian_at(view.of(x[:pairs]), by)
        hessian[:pairs, :pairs] -= view.matrix.T @ ((curved + curved.T) / 2) @ view.matrix
        gradient = rise(x, slack, t)
        step = _newton_step(hessian, gradient, inside.sums)
        less = B @ step
        length, gain = _longest((x, step), (slack, -less)), float(gradient @ step)
        while length > _SHORTEST and rise(x + length * step, slack - length * less, t) @ step < -gain / 2:
            length /= 2
        du, dw = t / x - u - u / x * step, t / slack - w + w / slack * less
        priced = _longest((u, du), (w, dw))
        x, slack = x + length * step, slack - length * less
        u, w = u + priced * du, w + priced * dw
    return x[:pairs]


def _longest(*moves: tuple[Array, Array]) -> float:
    """The share of a step that leaves everything positive."""
    with np.errstate(divide="ignore"):
        ends = [np.where(step < 0, -at / step, np.inf).min(initial=np.inf) for at, step in moves]
    return min(1.0, _WAY * float(min(ends)))


def _newton_step(hessian: Array, gradient: Array, sums: Array) -> Array:
    """The step that leaves the sums as they are, scaled so that unknowns of every size keep their digits."""
    from scipy.linalg import cho_factor, cho_solve

    scale = 1 / np.sqrt(np.maximum(hessian.diagonal(), 1e-300))
    scaled = hessian * scale[:, None] * scale
    more = 1e-14
    while True:
        try:
            factor = cho_factor(scaled + more * np.eye(len(scaled)))
            break
        except np.linalg.LinAlgError:
            more *= 100
            if more > 1e6:
                raise SolverFailed("the second derivatives of the entropy are not those of a concave one") from None
    S = sums * scale
    alone, through = cho_solve(factor, scale * gradient), cho_solve(factor, S.T)
    lam = np.linalg.lstsq(S @ through, S @ alone, rcond=None)[0]
    return np.asarray(scale * (alone - through @ lam))
