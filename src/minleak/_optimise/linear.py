"""Linear programmes by HiGHS: each compiled once, and solved under several budgets from the last one's basis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._optimise.privacy_rows import PrivacyRows
from minleak._optimise.programme import Programme, Solution
from minleak.errors import SolverFailed

# More new rows of privacy than these are many.
_MANY = 2500


class LinearModel:
    """Unknowns: z, then each term's auxiliaries. Rows: row sums, budgets, then each term's inequalities and its floor.

    A term's dual variables follow from the multipliers y >= 0 of its inequalities: on_entries - rows_v^T y.

    Those of privacy come after all the rest: see `PrivacyRows`.
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
            # All cores have slope 1 along |v|_1, which row sums may fix: left out, it does not disturb the solver.
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
        self.highs = highs_with(-np.concatenate(objective), np.concatenate(lower), np.concatenate(upper), matrix)
        self.private: PrivacyRows | None = None
        if problem.privacy is not None:
            self.highs.setOptionValue("presolve", "on")
            self.private = PrivacyRows(self.highs, problem)

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
        """Let HiGHS solve it, with more and more of the rows of privacy until none is broken."""
        problem = self.programme.problem
        new = 0 if self.private is None else int(self.private.there.sum())
        while True:
            # From scratch the interior point is faster; a few more rows are a few steps of the simplex method.
            many = new > _MANY
            self.highs.setOptionValue("solver", "ipm" if many else "choose")
            status = run_highs(self.highs, len(problem.left), budgets)
            if self.private is None:
                return status
            new = self.private.add_broken(np.array(self.highs.getSolution().col_value)[: len(problem.rows)])
            if not new:
                return status


def highs_with(cost: Array, lower: Array, upper: Array, matrix: Any) -> Any:
    """HiGHS with the least of <cost, unknowns >= 0> to find, rows of a matrix by columns between their limits."""
    highspy: Any = import_module("highspy")
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = matrix.shape
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, np.zeros(len(cost)), np.full(len(cost), math.inf)
    lp.row_lower_, lp.row_upper_ = lower, upper
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("presolve", "off")  # it takes longer than it saves, but for privacy
    highs.setOptionValue("primal_feasibility_tolerance", 1e-9)
    highs.setOptionValue("dual_feasibility_tolerance", 1e-9)
    highs.passModel(lp)
    return highs


def run_highs(highs: Any, first: int, budgets: Sequence[float]) -> str:
    """Let HiGHS find the optimum with the rows from `first` on capped by the budgets; its status."""
    for i, budget in enumerate(budgets):
        highs.changeRowBounds(first + i, -math.inf, budget)
    highs.run()
    status = str(highs.modelStatusToString(highs.getModelStatus()))
    if status != "Optimal":
        raise SolverFailed(f"HiGHS stopped with the status {status!r}, without an optimal channel")
    return status
