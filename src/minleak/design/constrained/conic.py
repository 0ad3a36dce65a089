"""Conic programmes by cvxpy and Clarabel, compiled once and solved under several budgets."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from minleak.design.constrained.programme import Model, Programme, Solution, told_apart
from minleak.entropy.cores.grouped import Array
from minleak.entropy.cores.modelling import cvxpy
from minleak.errors import SolverFailed

# Tried one after the other: tight, and what the solver is made for. What comes of it is certified by us, not by it.
TOLERANCES = (1e-11, 1e-8)
_USABLE = ("optimal", "optimal_inaccurate")


class ConicModel(Model):
    """The programme in cvxpy, budgets as parameters; every term but an only, direct one sees a copy v = K z + k."""

    def __init__(self, programme: Programme, *, tolerance: float = TOLERANCES[0]) -> None:
        import scipy.sparse as sp

        cp = cvxpy()
        self.programme, self.tolerance = programme, tolerance
        problem = programme.problem
        pairs, n = len(problem.rows), len(problem.left)
        present = np.unique(problem.rows)
        sums = sp.csr_array((np.ones(pairs), (problem.rows, np.arange(pairs))), shape=(n, pairs))[present]
        self.present = present
        self.z = cp.Variable(pairs, nonneg=True)
        self.rows = sums @ self.z == problem.left[present]
        self.capped = [i for i, budget in enumerate(problem.budgets) if np.isfinite(budget)]
        self.budgets = [cp.Parameter() for _ in self.capped]
        self.costs = [problem.costs[i] @ self.z <= budget for i, budget in zip(self.capped, self.budgets, strict=True)]
        constraints = [self.rows, *self.costs]
        objective = 0.0 if programme.expense is None else -programme.expense @ self.z
        self.links: list[Any] = []
        self.floors: list[Any] = []
        for term in programme.terms:
            v, link, floor = self.z, None, None
            if not programme.direct:
                v = cp.Variable(term.seen.by.n_entries, nonneg=True)
                linked = self.z if term.seen.matrix is None else term.seen.matrix @ self.z
                link = v == linked + term.seen.constant
                constraints.append(link)
            hypograph = term.core.hypograph(v, term.seen.by)
            constraints += hypograph.constraints
            if term.floor is None:
                objective = objective + term.weight * hypograph.total
            else:
                floor = hypograph.total >= term.floor
                constraints.append(floor)
            self.links.append(link)
            self.floors.append(floor)
        self.compiled = cp.Problem(cp.Maximize(objective), constraints)

    def solve(self, budgets: Sequence[float]) -> Solution:
        cp = cvxpy()
        for i, parameter in zip(self.capped, self.budgets, strict=True):
            parameter.value = budgets[i]
        tolerance = self.tolerance
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of inaccuracy, which is measured here
                self.compiled.solve(
                    solver=cp.CLARABEL, tol_gap_abs=tolerance, tol_gap_rel=tolerance, tol_feas=tolerance, max_iter=200
                )
        except cp.error.SolverError as error:
            raise SolverFailed(f"Clarabel gave up: {str(error).splitlines()[0]}") from None
        status = str(self.compiled.status)
        if status not in _USABLE or self.z.value is None or not np.isfinite(self.z.value).all():
            raise SolverFailed(f"Clarabel stopped with the status {status!r}, without a usable channel")
        mu = np.zeros(len(budgets))
        mu[self.capped] = [max(float(cost.dual_value), 0.0) for cost in self.costs]
        lam = np.zeros(len(self.programme.problem.left))
        lam[self.present] = self.rows.dual_value
        z = np.maximum(np.asarray(self.z.value, dtype=np.float64), 0.0)
        if self.programme.direct:
            weight = self.programme.terms[0].weight
            return Solution(z, lam, mu, (weight,), (told_apart(self.programme, lam, mu),), status)
        multipliers: list[float] = []
        duals: list[Array] = []
        for term, link, floor in zip(self.programme.terms, self.links, self.floors, strict=True):
            multiplier = term.weight if floor is None else max(float(floor.dual_value), 0.0)
            multipliers.append(multiplier)
            duals.append(np.asarray(link.dual_value) / (multiplier if multiplier > 0 else 1.0))
        return Solution(z, lam, mu, tuple(multipliers), tuple(duals), status)
