"""The least cost of private channels by its own interior-point method, beside HiGHS."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import minleak as ml
from minleak._optimise.bound import certified
from minleak._optimise.given import as_problem
from minleak._optimise.linear import LinearModel
from minleak._optimise.private_cost import is_private_cost, solve_private_cost
from minleak._optimise.programme import Programme


def programme(prior, cost, d_privacy):
    problem = replace(as_problem(prior, cost=cost, d_privacy=d_privacy), budgets=(math.inf,))
    return Programme(problem, (), expense=problem.costs[0])


@pytest.mark.parametrize("infinite", [False, True])
def test_the_same_cost_as_another_solver(infinite):
    """Within 1e-8 of a bound that is proven; a prior with a zero, costs of another shape, secrets infinitely far."""
    rng = np.random.default_rng(1)
    at = rng.random((24, 2)) * 4
    d = np.linalg.norm(at[:, None] - at, axis=2)
    if infinite:
        d[:4, 4:] = d[4:, :4] = math.inf
    p = rng.dirichlet(np.ones(24))
    p[3] = 0
    asked = programme(p / p.sum(), rng.random((24, 45)), (0.7, d) if infinite else (0.7, d, 1.3))
    assert is_private_cost(asked)
    found, beside = certified(asked, solve_private_cost(asked)), certified(asked, LinearModel(asked).solve((math.inf,)))
    assert found.bound - found.objective <= 1e-8
    assert found.objective == pytest.approx(beside.objective, abs=1e-7)
    assert ml.theory.d_privacy(asked.problem.channel(found.z), d) <= 0.7 * (1 + 1e-9)


def test_where_it_does_not_apply():
    """Secrets at one place leave nothing inside; few are HiGHS' business; entropies and budgets ask for more."""
    d = np.abs(np.subtract.outer(np.arange(40.0), np.arange(40.0)))
    assert is_private_cost(programme(np.ones(40), d, (0.5, d)))
    assert not is_private_cost(programme(np.ones(40), d, (0.5, np.maximum(d - 1, 0))))
    assert not is_private_cost(programme(np.ones(5), d[:5, :5], (0.5, d[:5, :5])))
    budgeted = as_problem(np.ones(40), cost=d, budget=3.0, d_privacy=(0.5, d))
    assert not is_private_cost(Programme(budgeted, (), expense=budgeted.costs[0]))
