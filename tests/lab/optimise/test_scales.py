"""The unit of costs does not matter: nothing but costs, budgets and prices changes with it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.lab.optimise.problems import hamming

import minleak as ml
from minleak.errors import Infeasible

SCALES = (1e-300, 1e-9, 1.0, 1e9, 1e300)
ENTROPIES = ("min-entropy", "shannon", "arimoto:2")


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", ENTROPIES)
def test_optimum_in_any_unit(name, scale):
    """The same leakage, share of the budget spent, and price in the unit."""
    one = ml.lab.optimise([5, 3, 2], entropy=name, cost=hamming(3), budget=0.3)
    best = ml.lab.optimise([5, 3, 2], entropy=name, cost=hamming(3) * scale, budget=0.3 * scale)
    assert best.leakage == pytest.approx(one.leakage, abs=1e-9)
    assert best.gap < 1e-9
    assert best.costs[0] / scale <= 0.3 * (1 + 1e-11)
    assert best.costs[0] / scale == pytest.approx(one.costs[0], rel=1e-9)
    assert best.shadow_price * scale == pytest.approx(one.shadow_price, rel=1e-6)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", ENTROPIES)
def test_frontier_in_any_unit(name, scale):
    """The same points, wherever the budgets come from; prices are compared where there is no kink."""
    one = ml.lab.tradeoff([5, 3, 2], entropy=name, cost=hamming(3), points=4)
    found = ml.lab.tradeoff([5, 3, 2], entropy=name, cost=hamming(3) * scale, points=4)
    for here, there in zip(one.points, found.points, strict=True):
        assert there.budget / scale == pytest.approx(here.budget, rel=1e-12)
        assert there.leakage == pytest.approx(here.leakage, abs=1e-8)
        assert there.cost / scale == pytest.approx(here.cost, rel=1e-9)
    for here, there in zip(one.points[1:-1], found.points[1:-1], strict=True):
        assert there.shadow_price * scale == pytest.approx(here.shadow_price, rel=1e-6)


def test_least_budget_is_told_in_the_unit_given():
    """Infeasible budgets are refused at every scale, with numbers as given."""
    cost = np.array([[1, 2], [1, 2], [3, 2]]) * 1e-9
    with pytest.raises(Infeasible, match=r"the budget is 5e-10, below 1\.2e-09"):
        ml.lab.optimise([5, 3, 2], cost=cost, budget=5e-10)


def test_one_dear_pair_does_not_loosen_the_budget():
    """The tolerance of a budget is not one of the largest cost."""
    cost = hamming(3)
    cost[2, 0] = 1e12
    best = ml.lab.optimise([5, 3, 2], entropy="min-entropy", cost=cost, budget=0.3)
    assert best.costs[0] <= 0.3 * (1 + 1e-11)
    assert best.gap < 1e-9


def test_costs_of_impossible_pairs_do_not_count():
    """What is neither allowed nor possible has no say in the unit."""
    cost = np.array([[0, 1e-9, 1e300], [1e-9, 0, 1e300], [1e300, 1e300, 1e300]])
    allowed = [[1, 1, 0], [1, 1, 0], [1, 1, 1]]
    best = ml.lab.optimise([2, 1, 0], entropy="min-entropy", allowed=allowed, cost=cost, budget=1e-10)
    assert best.value == pytest.approx(-np.log2(0.9), abs=1e-9)
    assert best.costs[0] == pytest.approx(1e-10, rel=1e-9)
