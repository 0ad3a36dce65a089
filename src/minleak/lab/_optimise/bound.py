"""The certificate: a bound on the optimum from planes above the cores, in plain numpy, whatever solver was used.

Every core has U(v) <= <S, v>, so for multipliers t >= 0 of the terms and mu >= 0 of the budgets, every feasible z has

    objective(z) <= <s, z> + const <= sum over x of left_x max over y of (s_xy - mu c_xy) + mu budget + const,

with s = sum of t K^T S - expense and const = sum of t (<S, k> - floor). The right-hand side needs no solver. Rows
A z <= 0 of privacy with multipliers nu >= 0 subtract A^T nu, the price of privacy, from s. Where the positive parts of
the rows of a pair may sum to delta, <nu, A z> is at most delta times the largest nu of each pair, which is added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak.core._arrays import Array
from minleak.errors import SolverFailed
from minleak.lab._optimise.feasible import make_feasible
from minleak.lab._optimise.programme import Programme, Solution

# The objective may exceed the bound by this share, for rounding.
_CONTRADICTION = 1e-8
# Objectives and bounds closer than this share are equal up to rounding.
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Solved:
    """Feasible entries z with their objective, an upper bound on the objective of all feasible entries, the prices mu
    of the budgets, and the planes above the terms' cores that prove the bound.
    """

    z: Array
    objective: float
    bound: float
    mu: Array
    status: str
    planes: tuple[Array, ...] = ()


def certify(programme: Programme, solution: Solution) -> Solved:
    """Make a solver's answer feasible and bound the optimum; SolverFailed if the two contradict each other."""
    z = make_feasible(programme.problem, solution.z, programme.objective)
    planes = tuple(
        term.core.majorant(dual, term.view.by) for term, dual in zip(programme.terms, solution.duals, strict=True)
    )
    value, bound = programme.objective(z), upper_bound(programme, solution, planes)
    floored = any(term.floor is not None for term in programme.terms)  # floors are kept only approximately
    spare = _CONTRADICTION * max(1.0, abs(value)) + _worth_of_excess(programme, z, solution.mu)
    if not floored and not value <= bound + spare:
        raise SolverFailed(
            f"a channel attains {value:.12g} where the bound is {bound:.12g}: one of the two is wrong, please report it"
        )
    return Solved(z, value, bound, solution.mu, solution.status, planes)


def _worth_of_excess(programme: Programme, z: Array, mu: Array) -> float:
    """What the entries may gain by exceeding budgets, within their tolerances: the excess times the price."""
    problem = programme.problem
    excess = (max(float(cost @ z) - b, 0.0) for cost, b in zip(problem.costs, problem.budgets, strict=True))
    return float(sum(price * over for price, over in zip(mu.tolist(), excess, strict=True)))


def upper_bound(programme: Programme, solution: Solution, planes: tuple[Array, ...]) -> float:
    """No feasible z has a larger objective than this, up to rounding."""
    problem = programme.problem
    slopes = np.zeros(len(problem.rows)) if programme.expense is None else -programme.expense
    constant = 0.0
    for term, multiplier, S in zip(programme.terms, solution.multipliers, planes, strict=True):
        if multiplier > 0:
            slopes = slopes + multiplier * (term.view.matrix.T @ S)
            constant += multiplier * (float(S @ term.view.constant) - (term.floor or 0.0))
    if solution.privacy_price is not None:
        slopes = slopes - solution.privacy_price
        constant += solution.privacy_allowance
    for mu, cost, budget in zip(solution.mu.tolist(), problem.costs, problem.budgets, strict=True):
        if np.isfinite(budget):
            slopes = slopes - mu * cost
            constant += mu * budget
    return float(problem.left @ problem.row_best(slopes)) + constant


def better(first: Solved, second: Solved) -> Solved:
    """The better entries of two answers and the better bound, since each bound holds for all entries. Where both agree
    up to rounding, those of the second, which has more digits.
    """
    rounding = _ROUNDING * max(1.0, abs(first.objective))
    top = second if second.objective >= first.objective - rounding else first
    tight = second if second.bound <= first.bound + rounding else first
    return Solved(top.z, top.objective, min(first.bound, second.bound), tight.mu, top.status, tight.planes)
