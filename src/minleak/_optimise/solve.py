"""Solve one programme: the right solver, entries that keep the constraints, and a bound that is our own.

Routes, each kept for what `benchmarks/constraining.py` shows of it: HiGHS for linear programmes (`linear`; pairs one
after the other for `one_guess`, or an interior point where they are many), one observable at a time for the least cost
under privacy (`private_cost`), Newton's steps for Shannon under a budget (`rate_distortion`), Clarabel through cvxpy
for the rest (`conic`), and Newton's steps on what it finds (`newton`), also from the optimum of an easier core.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from minleak._data.arrays import Array
from minleak._data.threads import one_thread
from minleak._optimise.bound import upper_bound
from minleak._optimise.conic import TOLERANCES, solve_conic
from minleak._optimise.feasible import made_feasible
from minleak._optimise.interior import solve_interior
from minleak._optimise.linear import LinearModel
from minleak._optimise.newton import SUPPORTS, sharpened
from minleak._optimise.one_guess import OneGuessModel, is_crowded, is_one_guess
from minleak._optimise.private_cost import is_private_cost, solve_private_cost
from minleak._optimise.programme import Programme, Solution
from minleak._optimise.rate_distortion import is_rate_distortion, solve_rate_distortion
from minleak.errors import SolverFailed

# What is attained may pass the bound by rounding, and by what a budget is kept to times its price.
_CONTRADICTION = 1e-8
# A bound this close to what is attained is close enough for no other way to be tried.
CLOSE = 1e-8
# No more digits are asked of a bound this close.
_SHARP = 1e-11


# A linear programme compiled, to be solved under several budgets.
Model = LinearModel | OneGuessModel


@dataclass(frozen=True, eq=False)
class Solved:
    """Feasible entries z, the objective there, a bound that no feasible entries pass, prices of the budgets; and the
    planes above the terms' cores that prove the bound, entry by entry of their views.
    """

    z: Array
    objective: float
    bound: float
    mu: Array
    status: str
    planes: tuple[Array, ...] = ()


def linear_model(programme: Programme) -> Model:
    """A linear programme compiled."""
    return OneGuessModel(programme) if is_one_guess(programme) else LinearModel(programme)


@one_thread()
def solve(programme: Programme, *, enough: float, model: Model | None = None) -> Solved:
    """Solve until the bound is within `enough` of what is attained, by one way after the other.

    A linear `model` is of the same programme under perhaps other budgets, and goes on from there.
    """
    budgets = programme.problem.budgets
    if not len(programme.problem.rows):
        nothing = np.zeros(0)
        value = programme.objective(nothing)
        return Solved(nothing, value, value, np.zeros(len(budgets)), "nothing is free")
    if programme.linear:
        if model is None and is_one_guess(programme) and is_crowded(programme.problem):
            inside = _from_inside(programme)
            if inside is not None and inside.bound - inside.objective <= enough:
                return inside
        if model is None and is_private_cost(programme):
            try:
                private = certified(programme, solve_private_cost(programme))
            except SolverFailed:
                private = None
            if private is not None and private.bound - private.objective <= enough:
                return private
        return certified(programme, (model or linear_model(programme)).solve(budgets))
    best: Solved | None = None
    trouble: SolverFailed | None = None
    for way in _ways(programme):
        try:
            found = _with_newton(programme, way())
        except SolverFailed as error:
            trouble = trouble or error
            continue
        best = found if best is None else _better(best, found)
        if best.bound - best.objective <= enough:
            break
    if best is None:
        raise trouble or SolverFailed("no solver was tried")
    return best


def _from_inside(programme: Programme) -> Solved | None:
    """One guess by its interior-point method; None where that lost its way."""
    try:
        sharp, found = (certified(programme, each) for each in solve_interior(programme.problem))
        return _better(sharp, found)
    except SolverFailed:
        return None


def _ways(programme: Programme) -> list[Callable[[], Solution]]:
    """What to try one after the other; last the optimum of an easier core, from which Newton's steps may lead here."""
    ways: list[Callable[[], Solution]] = [partial(solve_conic, programme, tolerance=t) for t in TOLERANCES]
    if is_rate_distortion(programme):
        ways.insert(0, partial(solve_rate_distortion, programme))
    easier = programme.core.easier() if programme.core is not None else None
    if easier is not None:
        nearby = replace(programme, terms=(replace(programme.terms[0], core=easier),))
        ways.append(partial(solve_conic, nearby, tolerance=TOLERANCES[0]))
    return ways


def _with_newton(programme: Programme, solution: Solution) -> Solved:
    """The answer certified, with Newton's digits where that is better."""
    found = certified(programme, solution)
    for support in SUPPORTS if programme.problem.privacy is None else ():
        if found.bound - found.objective <= _SHARP and support != SUPPORTS[0]:
            break
        closer = sharpened(programme, solution, support=support)
        if closer is None:
            break
        sharp = certified(programme, closer)
        # The objectives agree to rounding where both are right; then Newton's entries have more digits.
        equal = abs(sharp.objective - found.objective) <= 1e-13 * max(1.0, abs(found.objective))
        found = replace(sharp, bound=min(sharp.bound, found.bound)) if equal else _better(found, sharp)
    return found


def certified(programme: Programme, solution: Solution) -> Solved:
    """A solver's answer made feasible, with our bound; refused where the two contradict each other."""
    z = made_feasible(programme.problem, solution.z, programme.objective)
    value, bound = programme.objective(z), upper_bound(programme, solution)
    floored = any(term.floor is not None for term in programme.terms)  # those are kept only nearly
    if not floored and not value <= bound + _CONTRADICTION * max(1.0, abs(value)):
        raise SolverFailed(
            f"a channel attains {value:.12g} where the bound is {bound:.12g}: one of the two is wrong, please report it"
        )
    planes = tuple(
        term.core.majorant(dual, term.view.by) for term, dual in zip(programme.terms, solution.duals, strict=True)
    )
    return Solved(z, value, bound, solution.mu, solution.status, planes)


def _better(a: Solved, b: Solved) -> Solved:
    """The better channel of two answers with the better of their bounds: each bound holds for all."""
    top = a if a.objective >= b.objective else b
    tight = a if a.bound <= b.bound else b
    return Solved(top.z, top.objective, tight.bound, tight.mu, top.status, tight.planes)
