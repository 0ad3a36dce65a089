"""Solve one programme: the right solver, a clean answer, and a bound that is our own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from minleak.design.constrained.bound import upper_bound
from minleak.design.constrained.cleaning import cleaned
from minleak.design.constrained.conic import TOLERANCES, ConicModel
from minleak.design.constrained.linear import LinearModel
from minleak.design.constrained.polish import SUPPORTS, polished
from minleak.design.constrained.programme import Model, Programme, Solution
from minleak.design.constrained.rated import RatedModel, can_be_rated
from minleak.design.constrained.sifting import SiftedModel, can_be_sifted
from minleak.entropy.cores.base import Smooth
from minleak.entropy.cores.grouped import Array
from minleak.errors import SolverFailed

# What is attained may pass the bound by rounding, and by what a budget is kept to times its price.
_CONTRADICTION = 1e-8
# No more digits are asked of a bound this close.
_SHARP = 1e-11


@dataclass(frozen=True, eq=False)
class Solved:
    """Feasible entries z, the objective there, a bound that no feasible entries pass, prices of the budgets."""

    z: Array
    objective: float
    bound: float
    mu: Array
    status: str


def model_of(programme: Programme) -> Model:
    """The programme compiled for its solver: HiGHS if it is linear, Newton's steps for Shannon under a budget, else
    Clarabel through cvxpy.
    """
    if programme.linear:
        return SiftedModel(programme) if can_be_sifted(programme) else LinearModel(programme)
    return RatedModel(programme) if can_be_rated(programme) else ConicModel(programme)


def solve(programme: Programme, *, enough: float) -> Solved:
    """Solve until the bound is within `enough` of what is attained, by one model after the other."""
    budgets = programme.problem.budgets
    if not len(programme.problem.rows):
        nothing = np.zeros(0)
        value = programme.objective(nothing)
        return Solved(nothing, value, value, np.zeros(len(budgets)), "nothing is free")
    best: Solved | None = None
    trouble: SolverFailed | None = None
    for compiled in _attempts(programme):
        try:
            found = answered(programme, compiled(), budgets)
        except SolverFailed as error:
            trouble = error
            continue
        best = found if best is None else _better(best, found)
        if programme.linear or best.bound - best.objective <= enough:
            break
    if not programme.linear and (best is None or best.bound - best.objective > enough):
        best = _from_nearby(programme, best)
    if best is None:
        raise trouble or SolverFailed("no solver was tried")
    return best


def _attempts(programme: Programme) -> list[Callable[[], Model]]:
    """Models to compile one after the other, until one is close enough."""
    conic: list[Callable[[], Model]] = [partial(ConicModel, programme, tolerance=t) for t in TOLERANCES]
    if not programme.linear and not can_be_rated(programme):
        return conic
    first: list[Callable[[], Model]] = [partial(model_of, programme)]
    return first if programme.linear else first + conic


def _from_nearby(programme: Programme, best: Solved | None) -> Solved | None:
    """The same by Newton's steps from the optimum of an easier core, if that is any better."""
    core = programme.terms[0].core
    easier = core.easier() if isinstance(core, Smooth) and len(programme.terms) == 1 else None
    if easier is None:
        return best
    budgets = programme.problem.budgets
    try:
        start = model_of(replace(programme, terms=(replace(programme.terms[0], core=easier),))).solve(budgets)
        closer = polished(programme, start, tuple(budgets))
    except SolverFailed:
        return best
    if closer is None:
        return best
    found = _checked(programme, closer, budgets)
    return found if best is None else _better(best, found)


def answered(programme: Programme, model: Model, budgets: Sequence[float]) -> Solved:
    """One answer of a compiled model, cleaned and bounded."""
    solution = model.solve(budgets)
    found = _checked(programme, solution, budgets)
    if programme.linear:
        return found
    for support in SUPPORTS:
        closer = polished(programme, solution, tuple(budgets), support=support)
        if closer is None:
            break
        sharp = _checked(programme, closer, budgets)
        # The objectives agree to rounding where both are right; then the polished entries have more digits.
        equal = abs(sharp.objective - found.objective) <= 1e-13 * max(1.0, abs(found.objective))
        found = replace(sharp, bound=min(sharp.bound, found.bound)) if equal else _better(found, sharp)
        if found.bound - found.objective <= _SHARP:
            break
    return found


def _checked(programme: Programme, solution: Solution, budgets: Sequence[float]) -> Solved:
    z = cleaned(programme.problem, solution.z, budgets, programme.objective)
    value, bound = programme.objective(z), upper_bound(programme, solution, tuple(budgets))
    floored = any(term.floor is not None for term in programme.terms)  # those are kept only nearly
    if not floored and not value <= bound + _CONTRADICTION * max(1.0, abs(value)):
        raise SolverFailed(
            f"a channel attains {value:.12g} where the bound is {bound:.12g}: one of the two is wrong, please report it"
        )
    return Solved(z, value, bound, solution.mu, solution.status)


def _better(a: Solved, b: Solved) -> Solved:
    """The better channel of two answers with the better of their bounds: each holds whoever found it."""
    top = a if a.objective >= b.objective else b
    tight = a if a.bound <= b.bound else b
    return Solved(top.z, top.objective, tight.bound, tight.mu, top.status)
