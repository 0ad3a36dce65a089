"""The frontier: each point is optimise's, it falls, its slope is the shadow price, and it can be drawn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from tests.lab.optimise.problems import COUNTEREXAMPLE, hamming, random_problem

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter


@pytest.fixture(scope="module")
def given():
    problem = random_problem(21)
    del problem["budget"]
    return problem


@pytest.mark.parametrize("name", ["shannon", "min-entropy", "guesswork", "arimoto:2"])
def test_points_are_optima(given, name):
    """From all that must leak to nothing, each point as optimise finds it alone."""
    frontier = ml.lab.tradeoff(entropy=name, points=6, **given)
    assert frontier.entropy == name
    leaks = [point.leakage for point in frontier.points]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(leaks))
    assert leaks[-1] == pytest.approx(0.0, abs=1e-8)
    least = given["prior"] @ given["cost"].min(axis=1)
    assert frontier.points[0].budget == pytest.approx(least)
    for point in frontier.points:
        assert 0 <= point.gap < 1e-6
        assert point.cost <= point.budget + 1e-12
        assert ml.leakage(given["prior"], point.channel, name) == point.leakage
    for point in frontier.points[1:4:2]:
        alone = ml.lab.optimise(entropy=name, budget=point.budget, **given)
        assert point.leakage == pytest.approx(alone.leakage, abs=1e-8)


@pytest.mark.parametrize("name", ["shannon", "arimoto:2", "hayashi:0.5"])
def test_shadow_prices_are_slopes(given, name):
    """By differences of the frontier."""
    least, most = given["prior"] @ given["cost"].min(axis=1), (given["prior"] @ given["cost"]).min()
    middle = 0.6 * least + 0.4 * most
    low, here, high = ml.lab.tradeoff(entropy=name, budgets=[middle - 1e-4, middle, middle + 1e-4], **given).points
    assert here.shadow_price == pytest.approx((low.leakage - high.leakage) / 2e-4, rel=1e-3)


def test_masks_end_where_a_budget_buys_nothing_more():
    """Where no observable is open to all, the frontier ends at the cheapest optimum."""
    cost = np.array([[0.0, 9], [0, 1], [9, 0], [9, 0]])
    frontier = ml.lab.tradeoff(**COUNTEREXAMPLE, cost=cost, points=4)
    unbounded = ml.lab.optimise(**COUNTEREXAMPLE)
    assert frontier.points[-1].leakage == pytest.approx(unbounded.leakage, abs=1e-6)
    assert frontier.points[-1].budget == pytest.approx(0.3, abs=1e-3)


def test_gains_and_fixed_parts():
    """They are passed on."""
    fixed = np.full((3, 3), np.nan)
    fixed[0] = [1, 0, 0]
    frontier = ml.lab.tradeoff([3, 2, 1], cost=hamming(3), fixed=fixed, gains=[1, 2, 1], points=3)
    for point in frontier.points:
        assert point.channel.toarray()[0].tolist() == [1, 0, 0]
        alone = ml.lab.optimise([3, 2, 1], cost=hamming(3), budget=point.budget, fixed=fixed, gains=[1, 2, 1])
        assert point.leakage == pytest.approx(alone.leakage, abs=1e-7)


def test_prints_as_a_table():
    frontier = ml.lab.tradeoff([1, 1], cost=hamming(2), entropy="guess-error:1", points=3)
    lines = str(frontier).splitlines()
    names = lines[0].split()
    assert {"budget", "leakage", "bound"} <= set(names)
    row = dict(zip(names, lines[2].split(), strict=False))
    assert (float(row["budget"]), float(row["leakage"])) == (0.25, 0.25)


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"points": 1}, "from 2 to"),
        ({"points": True}, "from 2 to"),
        ({"budgets": []}, "not none"),
        ({"budgets": [float("nan")]}, "finite"),
    ],
)
def test_bad_input(given_, words):
    with pytest.raises(InvalidParameter, match=words):
        ml.lab.tradeoff([1, 1], cost=hamming(2), **given_)


def test_a_budget_below_the_least_is_infeasible():
    with pytest.raises(Infeasible, match="least expected cost"):
        ml.lab.tradeoff([1, 1], cost=hamming(2) + 1, budgets=[0.5, 1.5])


@pytest.mark.parametrize("budgets", [0.3, "0.3", True])
def test_budgets_are_a_list(budgets):
    """One number is not one, and refused with words."""
    with pytest.raises(InvalidParameter, match="budgets are a list"):
        ml.lab.tradeoff([1, 1], cost=[[0, 1], [1, 0]], budgets=budgets)
