"""Sifting: a large programme of one guess solved on the cheap pairs first, the others added where the prices ask.

Pair (x,y) can help only if its dual variable a = lambda_x + mu cost_xy is below 1, the slope of |v|_1 - max v away
from the maximum; so a solution on some of the pairs whose prices ask for no other pair solves the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from minleak.design.constrained.cores.guessing import GuessCore
from minleak.design.constrained.linear import LinearModel
from minleak.design.constrained.programme import Model, Programme, Solution, told_apart
from minleak.design.constrained.seen import seen_through

# From this many pairs on sifting is quicker than the whole programme at once.
LARGE = 5_000
# Pairs that cost up to this many times the budget's share more than the cheapest of their row are there at first.
_REACH = 2.5
_LEAST = 12


def can_be_sifted(programme: Programme) -> bool:
    """One guess (l = 1), one budget, nothing else, and large enough to be worth it."""
    core = programme.terms[0].core if programme.direct else None
    one_guess = isinstance(core, GuessCore) and core.l == 1 and programme.terms[0].floor is None
    problem = programme.problem
    budgeted = len(problem.budgets) == 1 and np.isfinite(problem.budgets[0])
    return one_guess and budgeted and programme.expense is None and len(problem.rows) >= LARGE


class SiftedModel(Model):
    """Solves on a growing part of the pairs; on all of them if more than half are asked for."""

    def __init__(self, programme: Programme) -> None:
        self.programme = programme
        problem = programme.problem
        cost, rows = problem.costs[0], problem.rows
        beyond = cost + problem.row_best(-cost)[rows]  # what a pair costs more than the cheapest of its row
        spare = problem.budgets[0] - float(problem.left @ -problem.row_best(-cost))
        order = np.lexsort((beyond, rows))
        starts = np.unique(rows[order], return_index=True)[1]
        rank = np.empty(len(rows), dtype=np.int64)
        rank[order] = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
        self.kept = (rank < _LEAST) | (beyond <= _REACH * spare / problem.left.sum())

    def solve(self, budgets: Sequence[float]) -> Solution:
        problem = self.programme.problem
        while True:
            if self.kept.mean() > 0.5:
                self.kept[:] = True
            part = problem.on(self.kept)
            term = replace(self.programme.terms[0], seen=seen_through(part))
            found = LinearModel(Programme(part, (term,))).solve(budgets)
            lam = found.lam
            duals = told_apart(self.programme, lam, found.mu)
            asked = (duals < 1 - 1e-12) & ~self.kept
            if not asked.any():
                z = np.zeros(len(problem.rows))
                z[self.kept] = found.z
                return Solution(z, lam, found.mu, (1.0,), (duals,), found.status)
            self.kept |= asked
