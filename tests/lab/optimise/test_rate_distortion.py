"""Shannon as a rate-distortion function: textbook values, the conic solver's values, and costs of all magnitudes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minleak as ml
from minleak.errors import SolverFailed
from minleak.lab._optimise.bound import certify
from minleak.lab._optimise.conic import solve_conic
from minleak.lab._optimise.given import as_problem
from minleak.lab._optimise.programme import Programme, convex_form, term_of
from minleak.lab._optimise.rate_distortion import is_rate_distortion, shannon_rate, solve_rate_distortion


def binary(x):
    return -x * math.log2(x) - (1 - x) * math.log2(1 - x)


@pytest.mark.parametrize("p", [0.5, 0.3, 0.01])
@pytest.mark.parametrize("share", [0.001, 0.3, 0.9])
def test_a_binary_source(p, share):
    """R(D) = h(p) - h(D) with Hamming's distortion (Cover and Thomas, Theorem 10.3.1), and its slope as the price."""
    D = share * min(p, 1 - p)
    rate = shannon_rate(np.array([p, 1 - p]), 1.0 - np.eye(2), np.ones((2, 2), dtype=bool), D)
    assert rate.bound / math.log(2) == pytest.approx(binary(p) - binary(D), rel=1e-10)
    assert rate.price == pytest.approx(math.log((1 - D) / D), rel=1e-6)
    leaked = ml.leakage([p, 1 - p], rate.rows, "shannon")
    assert leaked == pytest.approx(binary(p) - binary(D), rel=1e-9)


def programme_of(problem):
    return Programme(problem, (term_of(problem, convex_form("shannon")),))


@pytest.mark.parametrize("seed", range(8))
def test_the_same_as_by_cones(seed):
    """On masks and costs of all kinds: negative ones too, budgets that bind and that do not, and none at all."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(2, 9, size=2)
    allowed = rng.random((n, m)) < 0.7
    allowed[np.arange(n), rng.integers(m, size=n)] = True
    cost = rng.normal(size=(n, m))
    prior = rng.integers(1, 50, size=n)
    least = float((prior / prior.sum()) @ np.where(allowed, cost, np.inf).min(axis=1))
    for budget in (least + 0.05, least + 0.5, least + 5.0, None):
        problem = as_problem(prior, allowed=allowed, cost=None if budget is None else cost, budget=budget)
        programme = programme_of(problem)
        assert is_rate_distortion(programme)
        ours, cones = (
            certify(programme, solution)
            for solution in (solve_rate_distortion(programme), solve_conic(programme, tolerance=1e-11))
        )
        assert ours.objective == pytest.approx(cones.objective, abs=1e-7)
        assert abs(ours.bound - ours.objective) < 1e-9
        assert cones.objective <= ours.bound + 1e-12


def test_costs_of_all_magnitudes():
    """Where cones give up: a thousandfold and more between neighbouring costs."""
    sizes = np.array([1.0, 7.0, 30.0, 1e3, 2e4, 1e6, 1.1e6, 1e9])
    overhead = sizes[None, :] - sizes[:, None]
    allowed = overhead >= 0
    best = ml.lab.optimise(
        np.ones(len(sizes)), allowed=allowed, cost=np.where(allowed, overhead, 0.0) / 1e9, budget=2e-5
    )
    assert best.gap < 1e-9
    assert best.stages[0].status.startswith("rate-distortion")
    assert best.costs[0] <= 2e-5 * (1 + 1e-9)


def test_at_the_least_budget_others_answer():
    """There the price is infinite: the model says so, and the optimum comes from elsewhere."""
    problem = as_problem([3, 1], cost=[[0, 1], [1, 0]], budget=0.0)
    with pytest.raises(SolverFailed, match="infinite"):
        solve_rate_distortion(programme_of(problem))
    assert ml.lab.optimise([3, 1], cost=[[0, 1], [1, 0]], budget=0.0).leakage == pytest.approx(binary(0.25), abs=1e-9)
