"""The bound holds whatever the solver says: made from random duals it is never below what is attained."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.lab.optimise.problems import COUNTEREXAMPLE, random_problem

import minleak as ml
from minleak.errors import SolverFailed
from minleak.lab._optimise import bound, conic, linear
from minleak.lab._optimise import solve as solving
from minleak.lab._optimise.bound import certify, upper_bound
from minleak.lab._optimise.cores.of_entropy import core_of
from minleak.lab._optimise.given import as_problem
from minleak.lab._optimise.programme import Programme, Solution, Term, convex_form, view_of

NAMES = [
    "shannon",
    "min-entropy",
    "guess-error:2",
    "guesswork",
    "arimoto:0.5",
    "arimoto:3",
    "hayashi:2",
    "fehrberens:2",
]


def programme_of(name, given, gain=None):
    problem = as_problem(**given)
    return Programme(problem, (Term(core_of(convex_form(name)), view_of(problem, gain)),))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "gain", [None, np.array([[1.0, 0.5, 0, 0, 1, 2], [0, 1, 1, 0, 0, 0.5]])], ids=["plain", "gain"]
)
def test_any_duals_give_valid_bounds_and_the_solvers_tight_ones(name, gain):
    """Weak duality, by planes: any multipliers, any duals; the solver's within 1e-5 of what is attained."""
    programme = programme_of(name, random_problem(1), gain)
    if programme.linear:
        (solution,) = solving.compile_linear(programme).answers(programme)
    else:
        solution = solving.solve_conic(programme, tolerance=1e-11)
    best = certify(programme, solution)
    assert best.objective - 1e-10 <= best.bound <= best.objective + 1e-5  # a budget is kept to 1e-12, at its price
    rng = np.random.default_rng(2)
    entries = programme.terms[0].view.by.n_entries
    for _ in range(50):
        made_up = Solution(
            z=best.z,
            mu=rng.exponential(size=1) * 3,
            multipliers=(1.0,),
            duals=(rng.normal(size=entries) * rng.choice([0.1, 1.0, 3.0]),),
            status="made up",
        )
        plane = programme.terms[0].core.majorant(made_up.duals[0], programme.terms[0].view.by)
        assert upper_bound(programme, made_up, (plane,)) >= best.objective - 1e-12


def test_a_solver_that_lies_is_found_out(monkeypatch):
    """A solver that returns a poor channel as optimal: SolverFailed, not the channel."""
    honest = solving.solve_conic

    def lying(programme, **options):
        found, problem = honest(programme, **options), programme.problem
        z = np.zeros_like(found.z)
        first = np.unique(problem.rows, return_index=True)[1]
        z[first] = problem.left[problem.rows[first]]
        return replace(found, z=z, duals=(np.zeros_like(found.duals[0]),))

    monkeypatch.setattr(solving, "solve_conic", lying)
    monkeypatch.setattr(solving, "sharpen", lambda *_: None)
    with pytest.raises(SolverFailed, match="further apart than gap=1e-06"):
        ml.lab.optimise(entropy="arimoto:2", **COUNTEREXAMPLE)


def test_a_solver_that_gives_up(monkeypatch):
    """The solver's status is in the message."""
    monkeypatch.setattr(conic, "_USABLE", ())
    with pytest.raises(SolverFailed, match="status 'optimal"):
        ml.lab.optimise(entropy="arimoto:2", **COUNTEREXAMPLE)
    real = linear.LinearModel.__init__

    def hurried(self, programme):
        real(self, programme)
        self.highs.setOptionValue("simplex_iteration_limit", 0)
        self.highs.setOptionValue("presolve", "off")

    monkeypatch.setattr(linear.LinearModel, "__init__", hurried)
    with pytest.raises(SolverFailed, match="HiGHS stopped with the status 'Iteration limit reached'"):
        ml.lab.optimise(entropy="guess-error:2", **random_problem(3))


def test_newtons_steps_add_digits(monkeypatch):
    """Without them the maximiser for order 2, 9 - 6 sqrt 2, is right to some digits, with them to ten."""
    sharp = ml.lab.optimise(entropy="arimoto:2", **COUNTEREXAMPLE).channel.toarray()[1, 1]
    monkeypatch.setattr(solving, "sharpen", lambda *_: None)
    rough = ml.lab.optimise(entropy="arimoto:2", **COUNTEREXAMPLE).channel.toarray()[1, 1]
    exact = 9 - 6 * 2**0.5
    assert abs(sharp - exact) < 1e-10
    assert 1e-10 < abs(rough - exact) < 1e-5


def test_a_bound_below_what_is_attained_is_reported(monkeypatch):
    """If planes did not lie above a core, that would be noticed."""
    real = bound.upper_bound
    monkeypatch.setattr(bound, "upper_bound", lambda *given: real(*given) - 1e-3)
    with pytest.raises(SolverFailed, match="one of the two is wrong"):
        ml.lab.optimise(entropy="min-entropy", **random_problem(4))
