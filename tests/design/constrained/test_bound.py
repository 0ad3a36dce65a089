"""The bound holds whatever the solver says: made from random duals it is never below what is attained."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from tests.design.constrained.problems import COUNTEREXAMPLE, random_problem

import minleak as ml
from minleak.design.constrained.bound import upper_bound
from minleak.design.constrained.measure import measure_of
from minleak.design.constrained.problem import as_problem
from minleak.design.constrained.programme import Programme, Solution, Term
from minleak.design.constrained.seen import seen_through
from minleak.design.constrained.solve import model_of, solve

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
    return Programme(problem, (Term(measure_of(name).core, seen_through(problem, gain)),))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "gain", [None, np.array([[1.0, 0.5, 0, 0, 1, 2], [0, 1, 1, 0, 0, 0.5]])], ids=["plain", "gain"]
)
def test_random_duals_give_valid_bounds(name, gain):
    """Weak duality, by planes: any multipliers, any duals."""
    programme = programme_of(name, random_problem(1), gain)
    best = solve(programme, enough=1e-9)
    rng = np.random.default_rng(2)
    entries = programme.terms[0].seen.by.n_entries
    for _ in range(50):
        made_up = Solution(
            z=best.z,
            lam=rng.normal(size=6),
            mu=rng.exponential(size=1) * 3,
            multipliers=(1.0,),
            duals=(rng.normal(size=entries) * rng.choice([0.1, 1.0, 3.0]),),
            status="made up",
        )
        assert upper_bound(programme, made_up, programme.problem.budgets) >= best.objective - 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_the_solvers_duals_give_a_tight_bound(name):
    """Within 1e-6 of what is attained, and never below it."""
    programme = programme_of(name, random_problem(2))
    solution = model_of(programme).solve(programme.problem.budgets)
    best = solve(programme, enough=1e-9)
    bound = upper_bound(programme, solution, programme.problem.budgets)
    assert best.objective - 1e-10 <= bound <= best.objective + 1e-5  # a budget is kept to 1e-12, at its price


def test_a_solver_that_lies_is_found_out(monkeypatch):
    """A solver that returns a poor channel as optimal: SolverFailed, not the channel."""
    conic = sys.modules["minleak.design.constrained.conic"]
    honest = conic.ConicModel.solve

    def lying(self, budgets):
        found = honest(self, budgets)
        z = np.zeros_like(found.z)
        first = np.unique(self.programme.problem.rows, return_index=True)[1]
        z[first] = self.programme.problem.left[self.programme.problem.rows[first]]
        return replace(found, z=z, duals=(np.zeros_like(found.duals[0]),))

    monkeypatch.setattr(conic.ConicModel, "solve", lying)
    monkeypatch.setattr(sys.modules["minleak.design.constrained.solve"], "polished", lambda *_, **__: None)
    with pytest.raises(ml.SolverFailed, match="further apart than gap=1e-06"):
        ml.optimise(entropy="arimoto:2", **COUNTEREXAMPLE)


def test_a_solver_that_gives_up(monkeypatch):
    """The solver's status is in the message."""
    conic = sys.modules["minleak.design.constrained.conic"]
    monkeypatch.setattr(conic, "_USABLE", ())
    with pytest.raises(ml.SolverFailed, match="status 'optimal"):
        ml.optimise(entropy="arimoto:2", **COUNTEREXAMPLE)
    linear = sys.modules["minleak.design.constrained.linear"]
    real = linear.LinearModel.__init__

    def hurried(self, programme):
        real(self, programme)
        self.highs.setOptionValue("simplex_iteration_limit", 0)
        self.highs.setOptionValue("presolve", "off")

    monkeypatch.setattr(linear.LinearModel, "__init__", hurried)
    with pytest.raises(ml.SolverFailed, match="HiGHS stopped with the status 'Iteration limit reached'"):
        ml.optimise(entropy="min-entropy", **random_problem(3))


def test_newtons_steps_add_digits(monkeypatch):
    """Without them the maximiser for order 2, 9 - 6 sqrt 2, is right to some digits, with them to ten."""
    sharp = ml.optimise(entropy="arimoto:2", **COUNTEREXAMPLE).channel.toarray()[1, 1]
    monkeypatch.setattr(sys.modules["minleak.design.constrained.solve"], "polished", lambda *_, **__: None)
    rough = ml.optimise(entropy="arimoto:2", **COUNTEREXAMPLE).channel.toarray()[1, 1]
    exact = 9 - 6 * 2**0.5
    assert abs(sharp - exact) < 1e-10
    assert 1e-10 < abs(rough - exact) < 1e-5


def test_a_bound_below_what_is_attained_is_reported(monkeypatch):
    """If planes did not lie above a core, that would be noticed."""
    solving = sys.modules["minleak.design.constrained.solve"]
    real = solving.upper_bound
    monkeypatch.setattr(solving, "upper_bound", lambda *given: real(*given) - 1e-3)
    with pytest.raises(ml.SolverFailed, match="one of the two is wrong"):
        ml.optimise(entropy="min-entropy", **random_problem(4))
