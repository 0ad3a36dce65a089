"""The interior-point method of one guess: the same optimum as the simplex method's, certified."""

from __future__ import annotations

import numpy as np
import pytest

from minleak.errors import SolverFailed
from minleak.lab._optimise.bound import certify
from minleak.lab._optimise.given import as_problem
from minleak.lab._optimise.interior import is_crowded, solve_interior
from minleak.lab._optimise.one_guess import OneGuessModel
from minleak.lab._optimise.programme import Programme, convex_form, term_of
from minleak.lab._optimise.solve import solve


def places(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    at = rng.random((n, 2))
    return rng.random(n) + 0.01, np.linalg.norm(at[:, None] - at[None], axis=2)


def asked(budget: float, *, n: int = 40, seed: int = 0, **given: object) -> Programme:
    p, distance = places(n, seed)
    problem = as_problem(p, cost=distance, budget=budget, **given)
    return Programme(problem, (term_of(problem, convex_form("min-entropy")),))


@pytest.mark.parametrize(("budget", "seed"), [(0.1, 0), (0.2, 1), (0.3, 2), (0.45, 3)])
def test_both_methods_find_the_same(budget, seed):
    """And prove it, each by its own prices."""
    programme = asked(budget, seed=seed)
    inside = certify(programme, solve_interior(programme)[1])
    along = certify(programme, OneGuessModel(programme).solve(programme.problem.budgets))
    assert inside.objective == pytest.approx(along.objective, abs=1e-10)
    assert inside.bound - inside.objective < 1e-9


def test_pairs_that_are_not_allowed_stay_out():
    """With an impossible secret, too."""
    p, distance = places(30, 4)
    p[3] = 0
    allowed = distance < 0.7
    problem = as_problem(p, cost=distance, budget=0.2, allowed=allowed)
    programme = Programme(problem, (term_of(problem, convex_form("min-entropy")),))
    found = certify(programme, solve_interior(programme)[1])
    assert found.bound - found.objective < 1e-9
    assert not problem.channel(found.z).toarray()[~allowed & (p > 0)[:, None]].any()


def test_crowds_are_solved_from_inside():
    """Where many pairs are within reach of the budget; else by the simplex method."""
    for budget in (0.25, 0.6):  # the second binds no more
        programme = asked(budget, n=90)
        assert is_crowded(programme)
        assert solve(programme, enough=1e-8).status == "interior point"
    assert not is_crowded(asked(0.02, n=90))


def test_whether_pairs_are_a_crowd_depends_on_how_many_secrets_share_them():
    """Where the simplex method was measured to be three times faster, and to be six times slower."""
    assert not is_crowded(asked(0.06, n=300))
    assert is_crowded(asked(0.15, n=200))
    assert is_crowded(asked(0.4, n=60))


def test_a_budget_without_room_is_not_for_it():
    """The least cost leaves no inside."""
    with pytest.raises(SolverFailed, match="no room"):
        solve_interior(asked(0.0))
