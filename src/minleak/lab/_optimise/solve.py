"""Solve one programme: a list of solvers, tried in order until a certified bound is close enough.

A solver stays in the list if `benchmarks/constraining.py` shows it to be twice as fast as the next one that applies,
or to give digits that no other has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from minleak.core._threads import one_thread
from minleak.errors import SolverFailed
from minleak.lab._optimise.bound import Solved, better, certify
from minleak.lab._optimise.conic import sharpen, solve_conic
from minleak.lab._optimise.interior import is_crowded, solve_interior
from minleak.lab._optimise.linear import LinearModel
from minleak.lab._optimise.one_guess import OneGuessModel, is_one_guess
from minleak.lab._optimise.programme import Programme, Solution
from minleak.lab._optimise.rate_distortion import is_rate_distortion, solve_rate_distortion

# No other solver is tried once the bound is this close to the objective.
CLOSE = 1e-8
# Tolerances of Clarabel: tight first, then its own default.
_TIGHT, _LOOSE = 1e-11, 1e-8
# A channel that leaks nothing replaces the answer where it is better by this much.
_BETTER = 1e-12


@dataclass(frozen=True)
class Solver:
    """A way to solve some programmes: where it `applies`, and its `answers`, the one with the most digits last."""

    name: str
    applies: Callable[[Programme], bool]
    answers: Callable[[Programme], Iterable[Solution]]


def compile_linear(programme: Programme) -> Solver:
    """HiGHS with this programme compiled, to be solved under several budgets, each from the last one's basis."""
    model = OneGuessModel(programme) if is_one_guess(programme) else LinearModel(programme)
    return Solver("HiGHS", lambda _: True, lambda asked: [model.solve(asked.problem.budgets)])


def _is_conic(programme: Programme) -> bool:
    return not programme.linear


def _has_easier_core(programme: Programme) -> bool:
    return _is_conic(programme) and programme.core is not None and programme.core.easier() is not None


def _from_easier_core(programme: Programme) -> Iterator[Solution]:
    """Start from the optimum of an easier core nearby."""
    term = programme.terms[0]
    nearby = replace(programme, terms=(replace(term, core=term.core.easier() or term.core),))
    return _with_newton(programme, solve_conic(nearby, tolerance=_TIGHT))


def _with_newton(programme: Programme, solution: Solution) -> Iterator[Solution]:
    yield solution
    closer = sharpen(programme, solution)
    if closer is not None:
        yield closer


SOLVERS = (
    Solver("interior point", is_crowded, solve_interior),
    Solver("HiGHS", lambda asked: asked.linear, lambda asked: compile_linear(asked).answers(asked)),
    Solver("rate-distortion", is_rate_distortion, lambda asked: _with_newton(asked, solve_rate_distortion(asked))),
    Solver("Clarabel", _is_conic, lambda asked: _with_newton(asked, solve_conic(asked, tolerance=_TIGHT))),
    Solver("Clarabel, loose", _is_conic, lambda asked: _with_newton(asked, solve_conic(asked, tolerance=_LOOSE))),
    Solver("Clarabel, nearby", _has_easier_core, _from_easier_core),
)


@one_thread()
def solve(programme: Programme, *, enough: float, solvers: Sequence[Solver] = SOLVERS) -> Solved:
    """Try one solver after the other until the bound is within `enough` of the objective; return the best of all."""
    if not len(programme.problem.rows):
        nothing = np.zeros(0)
        value = programme.objective(nothing)
        return Solved(nothing, value, value, np.zeros(len(programme.problem.budgets)), "nothing is free")
    best: Solved | None = None
    trouble: SolverFailed | None = None
    for solver in solvers:
        if not solver.applies(programme):
            continue
        try:
            for solution in solver.answers(programme):
                found = certify(programme, solution)
                best = found if best is None else better(best, found)
        except SolverFailed as error:
            trouble = trouble or error
        if best is not None and best.bound - best.objective <= enough:
            break
    if best is None:
        raise trouble or SolverFailed("no solver applies")
    silent = programme.problem.silent()
    if silent is not None and programme.objective(silent) > best.objective + _BETTER:
        return replace(best, z=silent, objective=programme.objective(silent))
    return best
