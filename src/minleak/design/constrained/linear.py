"""Linear programmes by HiGHS, directly: no modelling layer between the matrices and the solver."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from minleak.design.constrained.programme import Model, Programme, Solution, told_apart
from minleak.entropy.cores.grouped import Array
from minleak.errors import SolverFailed


class LinearModel(Model):
    """Unknowns: z, then for each term a copy v = K z + k of what it sees (unless direct) and its auxiliaries.

    Rows: row sums, budgets, then for each term its copy, its inequalities and its floor. Solving again under other
    budgets starts from the last basis.
    """

    def __init__(self, programme: Programme) -> None:
        highspy: Any = import_module("highspy")
        self.programme = programme
        blocks, cost, lower, upper = _assembled(programme)
        lp = highspy.HighsLp()
        lp.num_row_, lp.num_col_ = blocks.shape
        lp.col_cost_ = -cost  # HiGHS minimises
        lp.col_lower_, lp.col_upper_ = np.zeros(len(cost)), np.full(len(cost), math.inf)
        lp.row_lower_, lp.row_upper_ = lower, upper
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = blocks.indptr, blocks.indices, blocks.data
        self.highs = highspy.Highs()
        self.highs.setOptionValue("output_flag", False)
        self.highs.setOptionValue("primal_feasibility_tolerance", 1e-9)
        self.highs.setOptionValue("dual_feasibility_tolerance", 1e-9)
        self.highs.passModel(lp)

    def run(self, budgets: Sequence[float]) -> str:
        """Let HiGHS find the optimum under these budgets; its status."""
        highs, n = self.highs, len(self.programme.problem.left)
        for i, budget in enumerate(budgets):
            highs.changeRowBounds(n + i, -math.inf, budget)
        highs.run()
        status = str(highs.modelStatusToString(highs.getModelStatus()))
        if status != "Optimal":
            raise SolverFailed(f"HiGHS stopped with the status {status!r}, without an optimal channel")
        return status

    def solve(self, budgets: Sequence[float]) -> Solution:
        problem, highs = self.programme.problem, self.highs
        n = len(problem.left)
        status = self.run(budgets)
        found = highs.getSolution()
        z = np.array(found.col_value)[: len(problem.rows)]
        dual = -np.array(found.row_dual)
        lam, mu = dual[:n], np.maximum(dual[n : n + len(budgets)], 0.0)
        if self.programme.direct:
            weight = self.programme.terms[0].weight
            lam = lam + weight
            return Solution(z, lam, mu, (weight,), (told_apart(self.programme, lam, mu),), status)
        multipliers, duals = [], []
        at = n + len(budgets)
        for term in self.programme.terms:
            entries = term.seen.by.n_entries
            of_copy = dual[at : at + entries]
            at += entries + term.core.polyhedron(term.seen.by).rows_v.shape[0]
            multiplier = term.weight
            if term.floor is not None:
                multiplier, at = max(-dual[at], 0.0), at + 1
            multipliers.append(multiplier)
            duals.append(of_copy / multiplier if multiplier > 0 else of_copy)
        return Solution(z, lam, mu, tuple(multipliers), tuple(duals), status)


def _assembled(programme: Programme) -> tuple[Any, Array, Array, Array]:
    """The matrix by columns, the objective to maximise, and the bounds of the rows."""
    import scipy.sparse as sp

    problem = programme.problem
    pairs, n = len(problem.rows), len(problem.left)
    sums = sp.csr_array((np.ones(pairs), (problem.rows, np.arange(pairs))), shape=(n, pairs))
    costs = sp.csr_array(np.stack(problem.costs)) if problem.costs else sp.csr_array((0, pairs))
    on_z = np.zeros(pairs) if programme.expense is None else -programme.expense
    # Each block row lists its parts as (block of unknowns, matrix).
    parts: list[list[tuple[int, Any]]] = [[(0, sums)], [(0, costs)]]
    lower = [problem.left, np.full(len(problem.costs), -math.inf)]
    upper = [problem.left, np.asarray(problem.budgets, dtype=np.float64)]
    objective = [on_z]
    for term in programme.terms:
        form = term.core.polyhedron(term.seen.by)
        entries, rows = len(form.on_entries), form.rows_v.shape[0]
        seen, weight = 0, (term.weight if term.floor is None else 0.0)
        if not programme.direct:
            objective.append(weight * form.on_entries)
            seen = len(objective) - 1
            linked = sp.eye_array(pairs) if term.seen.matrix is None else term.seen.matrix
            parts.append([(seen, sp.eye_array(entries)), (0, -linked)])
            lower.append(term.seen.constant)
            upper.append(term.seen.constant)
        else:
            # All cores have slope 1 along |v|_1, which the row sums fix: left out, it does not disturb the solver.
            objective[0] = on_z + weight * (form.on_entries - 1.0)
        objective.append(weight * form.on_aux)
        aux = len(objective) - 1
        parts.append([(seen, form.rows_v), (aux, form.rows_aux)])
        lower.append(np.full(rows, -math.inf))
        upper.append(np.zeros(rows))
        if term.floor is not None:
            parts.append([(seen, sp.csr_array(form.on_entries[None])), (aux, sp.csr_array(form.on_aux[None]))])
            lower.append(np.array([term.floor]))
            upper.append(np.array([math.inf]))
    sizes = [len(block) for block in objective]
    table = [
        [dict(row).get(block, sp.csr_array((row[0][1].shape[0], size))) for block, size in enumerate(sizes)]
        for row in parts
    ]
    matrix = sp.block_array(table, format="csc")
    return matrix, np.concatenate(objective), np.concatenate(lower), np.concatenate(upper)
