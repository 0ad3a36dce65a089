"""One guess under one budget by column generation: HiGHS sees the cheap pairs first, others when prices ask for them.

Pair (x,y) can help only if its dual variable a = lambda_x + mu cost_xy is below 1, the slope of |v|_1 - max v away
from the maximum. So a solution on some of the pairs, whose prices ask for no other pair, solves the whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from minleak.lab._optimise.linear import make_highs, run_highs
from minleak.lab._optimise.problem import Problem
from minleak.lab._optimise.programme import Programme, Solution, duals_of_prices

# Start with the cheapest pairs of each row, this many, and with those that cost at most this many times the budget's
# share more than the cheapest.
_LEAST, _REACH = 8, 2.5
# Prices are known to about the solver's tolerance.
_TOLERANCE = 1e-9
# HiGHS' number for the primal simplex method.
_PRIMAL = 4


def is_one_guess(programme: Programme) -> bool:
    """One guess (l = 1), one budget, and nothing else."""
    core, budgets = programme.plain_core, programme.problem.budgets
    return core is not None and core.one_guess and len(budgets) == 1 and bool(np.isfinite(budgets[0]))


class OneGuessModel:
    """The least sum of t_y with J_xy <= t_y: unknowns t, then the pairs in the order in which they were added."""

    def __init__(self, programme: Programme) -> None:
        import scipy.sparse as sp

        self.programme = programme
        problem = programme.problem
        shown = len(programme.terms[0].view.by)
        lower, upper = np.append(problem.left, -np.inf), np.append(problem.left, problem.budgets[0])
        self.highs = make_highs(np.ones(shown), lower, upper, sp.csc_array((len(lower), shown)))
        self.added = np.zeros(0, dtype=np.int64)
        self._add(np.flatnonzero(cheap_pairs(problem)))

    def solve(self, budgets: Sequence[float]) -> Solution:
        """The optimum under this budget; SolverFailed with HiGHS' status if there is none."""
        problem = self.programme.problem
        n = len(problem.left)
        while True:
            status = run_highs(self.highs, n, budgets)
            found = self.highs.getSolution()
            dual = -np.array(found.row_dual)
            mu = np.maximum(dual[n : n + 1], 0.0)
            duals = duals_of_prices(problem, dual[:n] + 1.0, mu)
            new = np.setdiff1d(np.flatnonzero(duals < 1 - _TOLERANCE), self.added)
            if not len(new):
                z = np.zeros(len(problem.rows))
                z[self.added] = np.array(found.col_value)[-len(self.added) :]
                return Solution(z, mu, (1.0,), (duals,), status)
            self._add(new)
            self.highs.setOptionValue("simplex_strategy", _PRIMAL)  # the last basis is still feasible

    def _add(self, pairs: npt.NDArray[np.intp]) -> None:
        """Add the unknowns of some pairs and their rows J <= t."""
        problem, count = self.programme.problem, len(pairs)
        first = self.highs.getNumCol()
        starts = np.arange(0, 2 * count, 2, dtype=np.int32)
        none, infinity = np.zeros(count), np.full(count, np.inf)
        places = np.stack([problem.rows[pairs], np.full(count, len(problem.left))], axis=1).astype(np.int32).ravel()
        values = np.stack([np.ones(count), problem.costs[0][pairs]], axis=1).ravel()
        self.highs.addCols(count, none, none, infinity, 2 * count, starts, places, values)
        t = self.programme.terms[0].view.by.of[pairs]
        places = np.stack([first + np.arange(count), t], axis=1).astype(np.int32).ravel()
        self.highs.addRows(count, -infinity, none, 2 * count, starts, places, np.tile([1.0, -1.0], count))
        self.added = np.concatenate([self.added, pairs])


def cheap_pairs(problem: Problem) -> npt.NDArray[np.bool_]:
    """The cheapest few of each row, those within reach of the budget, and one of each column."""
    cost, rows = problem.costs[0], problem.rows
    beyond = cost + problem.row_best(-cost)[rows]  # what a pair costs more than the cheapest of its row
    spare = problem.budgets[0] - float(problem.left @ -problem.row_best(-cost))
    order = np.lexsort((beyond, rows))
    starts = np.unique(rows[order], return_index=True)[1]
    rank = np.empty(len(rows), dtype=np.int64)
    rank[order] = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    cheap = (rank < _LEAST) | (beyond <= _REACH * spare / problem.left.sum())
    by_column = np.lexsort((beyond, problem.columns))
    cheap[by_column[np.unique(problem.columns[by_column], return_index=True)[1]]] = True
    return np.asarray(cheap)
