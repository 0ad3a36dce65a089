"""Programme: what one solve is asked, and what it answers; the same for linear and for conic solvers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from minleak.design.constrained.problem import Problem
from minleak.design.constrained.seen import Seen
from minleak.entropy.cores.base import Core
from minleak.entropy.cores.grouped import Array


@dataclass(frozen=True, eq=False)
class Term:
    """The sum of a core over the columns that are seen: `weight` times it in the objective, or at least `floor`."""

    core: Core
    seen: Seen
    weight: float = 1.0
    floor: float | None = None

    def total(self, z: Array) -> float:
        """The sum of U at z."""
        return float(self.core.values(self.seen.of(z), self.seen.by).sum())


@dataclass(frozen=True, eq=False)
class Programme:
    """Maximise the sum of weight * U over the terms without a floor, minus <expense, z>, the others' floors kept."""

    problem: Problem
    terms: tuple[Term, ...]
    expense: Array | None = None

    @property
    def linear(self) -> bool:
        """True for a linear programme."""
        return all(term.core.linear for term in self.terms)

    @property
    def direct(self) -> bool:
        """True where the only core sees z itself, so that no copy of z is needed to tell the duals apart."""
        return len(self.terms) == 1 and self.terms[0].seen.matrix is None and self.terms[0].floor is None

    def objective(self, z: Array) -> float:
        """What is maximised, at z."""
        total = sum(term.weight * term.total(z) for term in self.terms if term.floor is None)
        return total - (0.0 if self.expense is None else float(self.expense @ z))


@dataclass(frozen=True, eq=False)
class Solution:
    """A solver's answer: z, the multipliers of rows, budgets and terms, each term's dual variables, and its status.

    `multipliers` are a term's weight, or the multiplier of its floor. `duals` are, for each term, the derivative of
    the optimum by the entries it sees, divided by that.
    """

    z: Array
    lam: Array
    mu: Array
    multipliers: tuple[float, ...]
    duals: tuple[Array, ...]
    status: str


class Model(ABC):
    """A programme compiled for a solver, to be solved under several budgets."""

    @abstractmethod
    def solve(self, budgets: Sequence[float]) -> Solution:
        """Solve; raises SolverFailed with the solver's status where there is no answer at all."""


def told_apart(programme: Programme, lam: Array, mu: Array) -> Array:
    """The dual variables of the only core's entries from those of rows and budgets: lambda_x + sum of mu_i cost_i."""
    problem = programme.problem
    a = lam[problem.rows]
    for price, cost in zip(mu, problem.costs, strict=True):
        if price:
            a = a + price * cost
    return np.asarray((a if programme.expense is None else a + programme.expense) / programme.terms[0].weight)
