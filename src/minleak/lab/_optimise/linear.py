"""Linear programmes by HiGHS: compiled once, then solved under several budgets, each from the last one's basis.

Rows of privacy are too many to pass all at once: HiGHS gets the nearest pairs first, and others as its answers break
them. An answer that breaks none solves the whole programme.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.errors import SolverFailed
from minleak.lab._optimise.problem import Problem
from minleak.lab._optimise.programme import Programme, Solution
from minleak.lab._packages import package

# A row of privacy, or the delta of a pair, is broken if it is exceeded by more than this.
_BROKEN = 1e-10
# Rows of privacy to start with, per unknown.
_FIRST = 8
# With more new rows than this, the interior-point method from scratch beats the simplex method from the last basis.
_MANY = 2500


class LinearModel:
    """Unknowns: z, then each term's auxiliaries. Rows: row sums, budgets, each term's inequalities and its floor, and
    last those of privacy.

    The dual variables of a term follow from the multipliers y >= 0 of its inequalities: on_entries - rows_v^T y.
    """

    def __init__(self, programme: Programme) -> None:
        import scipy.sparse as sp

        self.programme = programme
        problem, terms = programme.problem, programme.terms
        self.forms = [term.core.polyhedron(term.view.by) for term in terms]
        objective = [np.zeros(len(problem.rows)) if programme.expense is None else -programme.expense]
        rows = [[problem.summing, *(None for _ in terms)]]
        lower, upper = [problem.left], [problem.left]
        if problem.costs:
            rows.append([sp.csr_array(np.stack(problem.costs)), *(None for _ in terms)])
            lower.append(np.full(len(problem.costs), -math.inf))
            upper.append(np.asarray(problem.budgets, dtype=np.float64))
        for i, (term, form) in enumerate(zip(terms, self.forms, strict=True)):
            K, k = term.view.matrix, term.view.constant
            # Every core has slope 1 along |v|_1, which the row sums may fix: left out, it does not disturb the solver.
            fixed = float(term.view.identity)
            on_z = form.on_entries @ K - fixed
            constant = float(form.on_entries @ k) + fixed * float(problem.left.sum())
            if term.floor is None:
                objective[0] = objective[0] + term.weight * on_z
            objective.append(form.on_aux * (term.weight if term.floor is None else 0.0))
            own = [None] * len(terms)
            rows.append([form.rows_v @ K, *own[:i], form.rows_aux, *own[i + 1 :]])
            lower.append(np.full(form.rows_v.shape[0], -math.inf))
            upper.append(-(form.rows_v @ k))
            if term.floor is not None:
                rows.append([sp.csr_array(on_z[None]), *own[:i], sp.csr_array(form.on_aux[None]), *own[i + 1 :]])
                lower.append(np.array([term.floor - constant]))
                upper.append(np.array([math.inf]))
        matrix = sp.block_array(rows, format="csc")
        self.highs = make_highs(-np.concatenate(objective), np.concatenate(lower), np.concatenate(upper), matrix)
        self.private: _PrivacyRows | None = None
        if problem.privacy is not None:
            self.highs.setOptionValue("presolve", "on")
            self.private = _PrivacyRows(self.highs, problem)

    def solve(self, budgets: Sequence[float]) -> Solution:
        """The optimum under these budgets; SolverFailed with HiGHS' status if there is none."""
        problem = self.programme.problem
        at = len(problem.left) + len(budgets)
        status = self._run(budgets)
        found = self.highs.getSolution()
        dual = -np.array(found.row_dual)
        mu = np.maximum(dual[len(problem.left) : at], 0.0)
        multipliers: list[float] = []
        duals: list[Array] = []
        for term, form in zip(self.programme.terms, self.forms, strict=True):
            y, at = dual[at : at + form.rows_v.shape[0]], at + form.rows_v.shape[0]
            multiplier = term.weight
            if term.floor is not None:
                multiplier, at = max(-float(dual[at]), 0.0), at + 1
            multipliers.append(multiplier)
            duals.append(np.asarray(form.on_entries - form.rows_v.T @ y / (multiplier or 1.0)))
        z = np.array(found.col_value)[: len(problem.rows)]
        price, allowance = (None, 0.0) if self.private is None else self.private.prices(dual)
        return Solution(z, mu, tuple(multipliers), tuple(duals), status, price, allowance)

    def _run(self, budgets: Sequence[float]) -> str:
        """Run HiGHS, adding rows of privacy until none is broken."""
        problem = self.programme.problem
        if self.private is None:
            return run_highs(self.highs, len(problem.left), budgets)
        new = int(self.private.there.sum())
        while True:
            self.highs.setOptionValue("solver", "ipm" if new > _MANY else "choose")
            status = run_highs(self.highs, len(problem.left), budgets)
            new = self.private.add_broken(np.array(self.highs.getSolution().col_value)[: len(problem.rows)])
            if not new:
                return status


class _PrivacyRows:
    """The rows A z <= 0 of privacy; with a delta A z <= slacks, and the slacks of each pair sum to at most delta."""

    def __init__(self, highs: Any, problem: Problem) -> None:
        self.highs, self.problem = highs, problem
        self.there = np.zeros(problem.ratios.shape[0], dtype=bool)
        self.at = np.zeros(len(self.there), dtype=np.int64)  # where a row is in the model
        first = np.arange(min(_FIRST * len(problem.rows), len(self.there)))
        self._add(np.isin(problem.ratio_pairs, problem.ratio_pairs[first]) if problem.delta else first)

    def add_broken(self, z: Array) -> int:
        """Add the rows that z breaks, and with a delta all rows of a pair; the number of new rows."""
        excess, pairs = self.problem.ratios @ z, self.problem.ratio_pairs
        if not self.problem.delta:
            return self._add((excess > _BROKEN) & ~self.there)
        needed = np.bincount(pairs, weights=np.maximum(excess, 0.0))
        return self._add((needed[pairs] > self.problem.delta + _BROKEN) & ~self.there)

    def prices(self, dual: Array) -> tuple[Array, float]:
        """`Problem.price_privacy` for the multipliers of all rows of the model."""
        return self.problem.price_privacy(np.where(self.there, dual[self.at], 0.0))

    def _add(self, chosen: Any) -> int:
        """Add some rows of A, with a slack for each where there is a delta."""
        import scipy.sparse as sp

        rows = np.arange(len(self.there))[chosen]
        count = len(rows)
        if not count:
            return 0
        self.there[rows] = True
        self.at[rows] = self.highs.getNumRow() + np.arange(count)
        matrix, unknowns = self.problem.ratios[rows], self.highs.getNumCol()
        if not self.problem.delta:
            self._add_rows(matrix, 0.0)
            return count
        none, empty = np.zeros(count), np.zeros(count, dtype=np.int32)
        self.highs.addCols(count, none, none, np.full(count, np.inf), 0, empty, empty[:0], none[:0])
        gap = sp.csr_array((count, unknowns - matrix.shape[1]))
        self._add_rows(sp.hstack([matrix, gap, -sp.eye_array(count)], format="csr"), 0.0)
        _, pair = np.unique(self.problem.ratio_pairs[rows], return_inverse=True)
        slacks: Indices = unknowns + np.arange(count)
        self._add_rows(sp.csr_array((np.ones(count), (pair, slacks))), self.problem.delta)
        return count

    def _add_rows(self, matrix: Any, most: float) -> None:
        count = matrix.shape[0]
        starts, places = matrix.indptr[:-1].astype(np.int32), matrix.indices.astype(np.int32)
        upper = np.full(count, most)
        self.highs.addRows(count, np.full(count, -np.inf), upper, len(places), starts, places, matrix.data)


def make_highs(cost: Array, lower: Array, upper: Array, matrix: Any) -> Any:
    """HiGHS set up to minimise <cost, x> over x >= 0 with lower <= matrix x <= upper; the matrix by columns."""
    highspy = package("highspy")
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = matrix.shape
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, np.zeros(len(cost)), np.full(len(cost), math.inf)
    lp.row_lower_, lp.row_upper_ = lower, upper
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("presolve", "off")  # except under privacy it takes longer than it saves
    highs.setOptionValue("primal_feasibility_tolerance", 1e-9)
    highs.setOptionValue("dual_feasibility_tolerance", 1e-9)
    highs.passModel(lp)
    return highs


def run_highs(highs: Any, first: int, budgets: Sequence[float]) -> str:
    """Run HiGHS with the budgets as upper limits of the rows from `first` on; its status, or SolverFailed."""
    for i, budget in enumerate(budgets):
        highs.changeRowBounds(first + i, -math.inf, budget)
    highs.run()
    status = str(highs.modelStatusToString(highs.getModelStatus()))
    if status != "Optimal":
        raise SolverFailed(f"HiGHS stopped with the status {status!r}, without an optimal channel")
    return status
