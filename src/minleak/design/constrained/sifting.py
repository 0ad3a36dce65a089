"""Sifting: a large programme of one guess solved on the cheap pairs first, the others added where the prices ask.

Pair (x,y) can help only if its dual variable a = lambda_x + mu cost_xy is below 1, the slope of |v|_1 - max v away
from the maximum; so a solution on some of the pairs whose prices ask for no other pair solves the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from minleak.design.constrained.linear import LinearModel
from minleak.design.constrained.problem import Problem
from minleak.design.constrained.programme import Model, Programme, Solution, told_apart
from minleak.design.constrained.seen import seen_through
from minleak.entropy.cores.guessing import GuessCore

# From this many pairs on sifting is quicker than the whole programme at once.
LARGE = 5_000
# Pairs that cost up to this many times the budget's share more than the cheapest of their row are there at first.
_REACH = 2.5
_LEAST = 8
# Prices are known to about the solver's tolerance.
_ASKED = 1e-9
# HiGHS' number for the primal simplex method.
_PRIMAL = 4


def can_be_sifted(programme: Programme) -> bool:
    """One guess (l = 1), one budget, nothing else, and large enough to be worth it."""
    core = programme.terms[0].core if programme.direct else None
    one_guess = isinstance(core, GuessCore) and core.l == 1 and programme.terms[0].floor is None
    problem = programme.problem
    budgeted = len(problem.budgets) == 1 and np.isfinite(problem.budgets[0])
    return one_guess and budgeted and programme.expense is None and len(problem.rows) >= LARGE


class SiftedModel(Model):
    """Solves on some of the pairs; those that the prices ask for join, and the last basis is gone on from."""

    def __init__(self, programme: Programme) -> None:
        self.programme = programme
        self.kept = _cheap_pairs(programme.problem)
        part = programme.problem.on(self.kept)
        self.model = LinearModel(Programme(part, (replace(programme.terms[0], seen=seen_through(part)),)))
        self.highs = self.model.highs
        self.highs.setOptionValue("presolve", "off")
        self.order = np.flatnonzero(self.kept)  # which pairs the solver's unknowns are, in its order
        self.largest = len(self.order) + np.arange(len(programme.terms[0].seen.by))  # the unknowns t_y

    def solve(self, budgets: Sequence[float]) -> Solution:
        problem = self.programme.problem
        n = len(problem.left)
        while True:
            status = self.model.run(budgets)
            found = self.highs.getSolution()
            dual = -np.array(found.row_dual)
            lam, mu = dual[:n] + 1.0, np.maximum(dual[n : n + 1], 0.0)
            duals = told_apart(self.programme, lam, mu)
            asked = np.flatnonzero((duals < 1 - _ASKED) & ~self.kept)
            if not len(asked):
                z = np.zeros(len(problem.rows))
                z[self.order] = np.delete(np.array(found.col_value), self.largest)
                return Solution(z, lam, mu, (1.0,), (duals,), status)
            self._join(asked)

    def _join(self, asked: npt.NDArray[np.intp]) -> None:
        """Add the pairs' unknowns J <= t and their rows; the basis stays feasible, so primal simplex goes on."""
        problem, count = self.programme.problem, len(asked)
        first, n = self.highs.getNumCol(), len(problem.left)
        starts = np.arange(0, 2 * count, 2, dtype=np.int32)
        none, infinity = np.zeros(count), np.full(count, np.inf)
        places = np.stack([problem.rows[asked], np.full(count, n)], axis=1).astype(np.int32).ravel()
        values = np.stack([np.ones(count), problem.costs[0][asked]], axis=1).ravel()
        self.highs.addCols(count, none, none, infinity, 2 * count, starts, places, values)
        t = self.largest[self.programme.terms[0].seen.by.of[asked]]
        places = np.stack([first + np.arange(count), t], axis=1).astype(np.int32).ravel()
        self.highs.addRows(count, -infinity, none, 2 * count, starts, places, np.tile([1.0, -1.0], count))
        self.highs.setOptionValue("simplex_strategy", _PRIMAL)
        self.kept[asked] = True
        self.order = np.concatenate([self.order, asked])


def _cheap_pairs(problem: Problem) -> npt.NDArray[np.bool_]:
    """The cheapest few of each row, those within reach of the budget, and one of each column."""
    cost, rows = problem.costs[0], problem.rows
    beyond = cost + problem.row_best(-cost)[rows]  # what a pair costs more than the cheapest of its row
    spare = problem.budgets[0] - float(problem.left @ -problem.row_best(-cost))
    order = np.lexsort((beyond, rows))
    starts = np.unique(rows[order], return_index=True)[1]
    rank = np.empty(len(rows), dtype=np.int64)
    rank[order] = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    kept = (rank < _LEAST) | (beyond <= _REACH * spare / problem.left.sum())
    by_column = np.lexsort((beyond, problem.columns))
    kept[by_column[np.unique(problem.columns[by_column], return_index=True)[1]]] = True
    return np.asarray(kept)
