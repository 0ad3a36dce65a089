"""Shannon under at most one budget as a rate-distortion problem: no cone, and certified to rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from minleak.design.constrained.programme import Model, Programme, Solution, told_apart
from minleak.design.constrained.rate import shannon_rate
from minleak.entropy.cores.shannon import ShannonCore
from minleak.errors import SolverFailed

# Observables, of whose number the third power counts, and entries of the dense matrix.
_OBSERVABLES, _ENTRIES = 600, 250_000


def can_be_rated(programme: Programme) -> bool:
    """True for Shannon alone, seen without gains, nothing settled, at most one budget, and not too large."""
    problem = programme.problem
    if not (programme.direct and isinstance(programme.terms[0].core, ShannonCore) and programme.expense is None):
        return False
    observables, secrets = len(np.unique(problem.columns)), len(np.unique(problem.rows))
    return len(problem.budgets) <= 1 and observables <= _OBSERVABLES and secrets * observables <= _ENTRIES


class RatedModel(Model):
    """The dense matrices of the problem. At the least budget there is no price, and another solver is needed."""

    def __init__(self, programme: Programme) -> None:
        self.programme = programme
        problem = programme.problem
        self.present, self.x = np.unique(problem.rows, return_inverse=True)
        shown, self.y = np.unique(problem.columns, return_inverse=True)
        shape = len(self.present), len(shown)
        self.cost, self.allowed = np.zeros(shape), np.zeros(shape, dtype=bool)
        self.allowed[self.x, self.y] = True
        if problem.costs:
            self.cost[self.x, self.y] = problem.costs[0]

    def solve(self, budgets: Sequence[float]) -> Solution:
        """At the optimum log(1 / p(x given y)) = mu c_xy + log(Z_x / p_x), which gives the multipliers."""
        problem = self.programme.problem
        mass = problem.left[self.present]
        p = mass / mass.sum()
        least = float(p @ np.where(self.allowed, self.cost, math.inf).min(axis=1))
        budget = float(budgets[0]) / float(mass.sum()) if len(budgets) else math.inf
        if not budget > least + 1e-12 * max(problem.grain(0) if problem.costs else 1.0, abs(least)):
            raise SolverFailed("at the least budget the price of a budget is infinite")
        try:
            rate = shannon_rate(p, self.cost, self.allowed, budget)
        except np.linalg.LinAlgError:
            raise SolverFailed("a Newton step of the rate-distortion problem has no solution") from None
        lam, mu = np.zeros(len(problem.left)), np.full(len(budgets), rate.price)
        lam[self.present] = rate.log_z - np.log(p)
        z = (mass[:, None] * rate.rows)[self.x, self.y]
        return Solution(z, lam, mu, (1.0,), (told_apart(self.programme, lam, mu),), "rate-distortion")
