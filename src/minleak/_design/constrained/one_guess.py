"""One guess and one cap by column generation: HiGHS sees the cheap pairs first, others where the prices ask.

Either the chance to guess right is least under a budget, or the cost is least under a cap on that chance, sum of t_y
with J_xy <= t_y. For prices lambda of the row sums, mu of the cost and w of the chance, pair (x,y) can help only where
lambda_x > mu cost_xy: so a solution on some of the pairs whose prices ask for no other pair solves the whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from minleak._design.constrained.linear import highs_with, run_highs
from minleak._design.constrained.problem import Problem
from minleak._design.constrained.programme import Programme, Solution
from minleak.errors import SolverFailed

# Pairs that cost up to this many times the budget's share more than the cheapest of their row are there at first.
_REACH = 2.5
_LEAST = 8
# More pairs than these at first are a crowd.
_CROWD = 5000
# Prices are known to about the solver's tolerance.
_ASKED = 1e-9
# HiGHS' number for the primal simplex method.
_PRIMAL = 4


def is_one_guess(programme: Programme) -> bool:
    """One guess (l = 1) seen as it is, one cap, on its chance or on the cost, and nothing else."""
    if len(programme.terms) != 1:
        return False
    (term,), budgets = programme.terms, programme.problem.budgets
    capped = term.floor is not None and programme.expense is not None and not np.isfinite(budgets).any()
    budgeted = programme.core is not None and len(budgets) == 1 and bool(np.isfinite(budgets[0]))
    return term.core.one_guess and term.view.identity and (capped or budgeted)


def is_crowded(programme: Programme) -> bool:
    """So many pairs are within reach of the budget that the simplex method would take longer than an interior point."""
    return programme.expense is None and int(_cheap_pairs(programme.problem).sum()) > _CROWD


class OneGuessModel:
    """Unknowns: t, then the pairs that have joined, in the order of joining. Rows: row sums, the cap, then J <= t."""

    def __init__(self, programme: Programme) -> None:
        import scipy.sparse as sp

        self.programme = programme
        problem, (term,) = programme.problem, programme.terms
        self.inverse = programme.expense is not None
        self.cost = problem.costs[0] if programme.expense is None else programme.expense
        self.cap = problem.budgets[0] if term.floor is None else float(problem.left.sum()) - term.floor
        shown, n = len(term.view.by), len(problem.left)
        at_cap = np.full(shown, n), np.arange(shown)
        capped = sp.csc_array((np.full(shown, float(self.inverse)), at_cap), (n + 1, shown))
        lower, upper = np.append(problem.left, -np.inf), np.append(problem.left, self.cap)
        self.highs = highs_with(np.full(shown, float(not self.inverse)), lower, upper, capped)
        self.joined = np.zeros(0, dtype=np.int64)
        self._join(np.flatnonzero(_cheap_pairs(problem)))

    def solve(self, budgets: Sequence[float]) -> Solution:
        """The optimum under this budget, or the cap; SolverFailed with HiGHS' status if there is none."""
        problem = self.programme.problem
        n, pairs = len(problem.left), len(problem.rows)
        while True:
            try:
                status = run_highs(self.highs, n, [self.cap] if self.inverse else budgets)
            except SolverFailed:
                if len(self.joined) == pairs:
                    raise
                self._join(np.setdiff1d(np.arange(pairs), self.joined))  # too few to keep to the cap
                continue
            found = self.highs.getSolution()
            prices = np.array(found.row_dual)
            price = max(-float(prices[n]), 0.0)
            mu, worth = (1.0, price) if self.inverse else (price, 1.0)
            beyond = prices[problem.rows] - mu * self.cost
            asked = np.setdiff1d(np.flatnonzero(beyond > _ASKED), self.joined)
            if not len(asked):
                z = np.zeros(pairs)
                z[self.joined] = np.array(found.col_value)[-len(self.joined) :]
                prices = np.zeros(len(budgets)) if self.inverse else np.array([price])
                return Solution(z, prices, (worth,), (1 - beyond / (worth or 1.0),), status)
            self._join(asked)
            self.highs.setOptionValue("simplex_strategy", _PRIMAL)  # the last basis is feasible still

    def _join(self, pairs: npt.NDArray[np.intp]) -> None:
        """Add the pairs' unknowns and their rows J <= t."""
        problem, count = self.programme.problem, len(pairs)
        first, cost = self.highs.getNumCol(), self.cost[pairs]
        starts = np.arange(0, 2 * count, 2, dtype=np.int32)
        none, infinity = np.zeros(count), np.full(count, np.inf)
        places = np.stack([problem.rows[pairs], np.full(count, len(problem.left))], axis=1).astype(np.int32).ravel()
        values = np.stack([np.ones(count), none if self.inverse else cost], axis=1).ravel()
        self.highs.addCols(count, cost if self.inverse else none, none, infinity, 2 * count, starts, places, values)
        t = self.programme.terms[0].view.by.of[pairs]
        places = np.stack([first + np.arange(count), t], axis=1).astype(np.int32).ravel()
        self.highs.addRows(count, -infinity, none, 2 * count, starts, places, np.tile([1.0, -1.0], count))
        self.joined = np.concatenate([self.joined, pairs])


def _cheap_pairs(problem: Problem) -> npt.NDArray[np.bool_]:
    """The cheapest few of each row, one of each column, and those within reach of the budget; without one, those of the
    observable that is cheapest for most, which hides most.
    """
    cost, rows, columns = problem.costs[0], problem.rows, problem.columns
    beyond = cost + problem.row_best(-cost)[rows]  # what a pair costs more than the cheapest of its row
    if np.isfinite(problem.budgets[0]):
        spare = problem.budgets[0] - float(problem.left @ -problem.row_best(-cost))
        least, reached = _LEAST, beyond <= _REACH * spare / problem.left.sum()
    else:
        spent = np.bincount(columns, weights=cost * problem.left[rows])
        least, reached = 2 * _LEAST, columns == np.lexsort((spent, -np.bincount(columns)))[0]
    order = np.lexsort((beyond, rows))
    starts = np.unique(rows[order], return_index=True)[1]
    rank = np.empty(len(rows), dtype=np.int64)
    rank[order] = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    kept = (rank < least) | reached
    by_column = np.lexsort((beyond, columns))
    kept[by_column[np.unique(columns[by_column], return_index=True)[1]]] = True
    return np.asarray(kept)
