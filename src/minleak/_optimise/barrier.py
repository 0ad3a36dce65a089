"""A barrier method for smooth cores that are known by their gradient: second derivatives by differences.

Maximise sum of U + t (sum of log z + sum of log slacks) within the row sums, for t falling to nothing. Steps are those
of a primal-dual method, and their lengths judged by gradients, which keep more digits than values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._optimise.problem import Problem
from minleak._optimise.programme import Programme, Term
from minleak.errors import SolverFailed

# More unknowns than these are not for dense systems.
_UNKNOWNS = 1500
# The products of unknowns and their multipliers at first and at last, and by how much a step is to lower them.
_FIRST, _LAST, _FALL = 1e-2, 1e-13, 0.1
# The most steps, and the least part of one.
_STEPS, _SHORTEST = 80, 1e-6
# Relative step of differences; how much of the way to the end of the room is gone.
_DIFFERENCE, _WAY = 1e-5, 0.98
# Room inside, in units of an equal share, below which there is none.
_ROOM = 1e-7


@dataclass(frozen=True, eq=False)
class _Room:
    """Unknowns x > 0, z first and then the slacks of delta, with B x < c and `sums` x = left."""

    sums: Any
    left: Array
    B: Any
    c: Array

    @classmethod
    def of(cls, problem: Problem) -> _Room:
        import scipy.sparse as sp

        pairs = len(problem.rows)
        ratios, rows, limits = problem.ratios, [], []
        extra = ratios.shape[0] if problem.delta else 0
        for cost, budget in zip(problem.costs, problem.budgets, strict=True):
            if np.isfinite(budget):
                rows.append(sp.hstack([sp.csr_array(cost[None]), sp.csr_array((1, extra))]))
                limits.append(np.array([budget]))
        rows.append(sp.hstack([ratios, -sp.eye_array(extra) if extra else sp.csr_array((ratios.shape[0], 0))]))
        limits.append(np.zeros(ratios.shape[0]))
        if extra:
            count = int(problem.ratio_pairs.max()) + 1
            total = sp.csr_array((np.ones(extra), (problem.ratio_pairs, np.arange(extra))), shape=(count, extra))
            rows.append(sp.hstack([sp.csr_array((count, pairs)), total]))
            limits.append(np.full(count, problem.delta))
        present = problem.left > 0
        sums = sp.hstack([problem.summing[present], sp.csr_array((int(present.sum()), extra))])
        return cls(sums.toarray(), problem.left[present], sp.vstack(rows).tocsr(), np.concatenate(limits))

    def inside(self) -> Array:
        """A point with as much room on all sides as there is."""
        import scipy.sparse as sp
        from scipy.optimize import linprog

        unknowns, share = self.sums.shape[1], self.left.sum() / self.sums.shape[1]
        off = sp.csr_array(np.full((unknowns + len(self.c), 1), share))
        result = linprog(
            np.append(np.zeros(unknowns), -1.0),
            A_ub=sp.hstack([sp.vstack([-sp.eye_array(unknowns), self.B]), off]),
            b_ub=np.concatenate([np.zeros(unknowns), self.c]),
            A_eq=np.hstack([self.sums, np.zeros((len(self.left), 1))]),
            b_eq=self.left,
            bounds=[(0, None)] * unknowns + [(0, 1)],
            method="highs",
        )
        if result.status != 0 or not result.x[-1] > _ROOM:
            raise SolverFailed("no channel keeps strictly within the budgets and the privacy")
        return np.asarray(result.x[:-1])


def solve_barrier(programme: Programme) -> Array:
    """Entries close to the optimum of one smooth core; SolverFailed where they are too many, or have no room inside."""
    term, room = programme.terms[0], _Room.of(programme.problem)
    if room.sums.shape[1] > _UNKNOWNS:
        raise SolverFailed(f"{room.sums.shape[1]:,} unknowns are too many for an entropy known by its gradient alone")
    return _climb(term, room, len(programme.problem.rows))


def _climb(term: Term, room: _Room, pairs: int) -> Array:
    """The maximum: Newton's steps for x and for the multipliers u of x >= 0 and w of the slacks, whose products with
    them are to be t, which falls with their mean.
    """
    x = room.inside()
    slack = room.c - room.B @ x
    u, w = _FIRST / x, _FIRST / slack
    count = len(x) + len(slack)

    def rise(x: Array, slack: Array, t: float) -> Array:
        """The gradient of sum of U + t (sum of log x + sum of log slacks)."""
        found = t / x - room.B.T @ (t / slack)
        found[:pairs] += term.view.matrix.T @ term.core.gradient_at(term.view.of(x[:pairs]), term.view.by)
        return np.asarray(found)

    for _ in range(_STEPS):
        mean = float(x @ u + slack @ w) / count
        if mean <= _LAST:
            break
        t = _FALL * mean
        hessian = np.asarray((room.B.T @ (room.B * (w / slack)[:, None]).tocsr()).toarray()) + np.diag(u / x)
        hessian[:pairs, :pairs] -= _second_derivatives(term, x[:pairs])
        gradient = rise(x, slack, t)
        step = _newton_step(hessian, gradient, room.sums)
        less = room.B @ step
        length, gain = _longest((x, step), (slack, -less)), float(gradient @ step)
        while length > _SHORTEST and rise(x + length * step, slack - length * less, t) @ step < -gain / 2:
            length /= 2
        du, dw = t / x - u - u / x * step, t / slack - w + w / slack * less
        priced = _longest((u, du), (w, dw))
        x, slack = x + length * step, slack - length * less
        u, w = u + priced * du, w + priced * dw
    return x[:pairs]


def _longest(*moves: tuple[Array, Array]) -> float:
    """How much of a step leaves all positive."""
    with np.errstate(divide="ignore"):
        ends = [np.where(step < 0, -at / step, np.inf).min(initial=np.inf) for at, step in moves]
    return min(1.0, _WAY * float(min(ends)))


def _newton_step(hessian: Array, gradient: Array, sums: Array) -> Array:
    """The step along which the sums stay, scaled so that unknowns of every size have their digits."""
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


def _second_derivatives(term: Term, z: Array) -> Array:
    """Those of the sum of U by z: the same place of every column is moved at once."""
    v, by, K = term.view.of(z), term.view.by, term.view.matrix
    found = np.zeros((by.n_entries, by.n_entries))
    for place in range(1, int(by.sizes.max()) + 1):
        at = np.flatnonzero(by.places == place)
        up, down = v.copy(), v.copy()
        step = _DIFFERENCE * v[at]
        up[at], down[at] = v[at] + step, v[at] - step
        change = term.core.gradient_at(up, by) - term.core.gradient_at(down, by)
        moved = np.full(len(by), -1)
        moved[by.of[at]] = np.arange(len(at))
        mine = moved[by.of]
        live = mine >= 0
        found[np.flatnonzero(live), at[mine[live]]] = change[live] / (2 * step[mine[live]])
    return np.asarray(K.T @ ((found + found.T) / 2) @ K)
