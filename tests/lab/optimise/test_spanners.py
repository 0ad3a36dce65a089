"""Spanners: ways of little more than the distances, and channels between two bounds of the best."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.lab._optimise.private import greedy_spanner

AT = np.array([(x, y) for x in range(4) for y in range(3)], dtype=float)
GRID = np.linalg.norm(AT[:, None] - AT, axis=2)
P = np.random.default_rng(3).dirichlet(np.ones(12))


@pytest.mark.parametrize("dilation", [1.0, 1.05, 1.2, 2.0])
def test_ways_are_at_most_so_much_longer(dilation):
    """By the shortest ways along the edges, found by another; and there are few edges."""
    at = np.random.default_rng(0).random((25, 2))
    d = np.linalg.norm(at[:, None] - at, axis=2)
    ways, edges = greedy_spanner(d, dilation)
    assert (ways <= dilation * d * (1 + 1e-9)).all()
    assert (ways >= d * (1 - 1e-12)).all()
    direct = np.where(np.isclose(ways, d, rtol=1e-12), d, 0.0)
    assert shortest_path(direct, directed=False) == pytest.approx(ways)
    assert edges <= {1.0: 300, 1.05: 200, 1.2: 100, 2.0: 40}[dilation]


@pytest.mark.parametrize("dilation", [1.05, 1.2, 1.5])
def test_the_least_loss_lies_between(dilation):
    """What the channel costs, the best channel, and the bound; and epsilon is that of the metric."""
    best = ml.lab.least_budget(P, cost=GRID, d_privacy=(0.7, GRID))
    found = ml.lab.least_budget(P, cost=GRID, d_privacy=(0.7, GRID, dilation))
    assert found.bound <= best.budget + 1e-9
    assert best.bound <= found.budget + 1e-9
    assert found.gap > 0
    assert ml.lab.d_privacy(found.channel, GRID) <= 0.7 * (1 + 1e-9)
    assert "an upper bound, along " in found.status
    assert found.budget == pytest.approx((ml.lab.Joint(P, found.channel).matrix() * GRID).sum())


def test_the_least_leakage_lies_between():
    """Under a budget, and the attacker is the one who holds every such channel to the bound."""
    given = {"entropy": "min-entropy", "cost": GRID, "budget": 1.4}
    best = ml.lab.optimise(P, **given, d_privacy=(2.0, GRID))
    found = ml.lab.optimise(P, **given, d_privacy=(2.0, GRID, 1.2))
    assert found.bound - 1e-9 <= best.leakage <= found.leakage + 1e-9
    assert found.gap == pytest.approx(found.leakage - found.bound)
    assert found.stages[0].bound == found.bound
    assert found.costs[0] <= 1.4 + 1e-9


def test_a_dilation_of_one_is_exact():
    """And where the metric is a line, any dilation is."""
    line = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    best = ml.lab.least_budget(np.ones(6), cost=line, d_privacy=(0.5, line))
    for dilation in (1, 1.5):
        same = ml.lab.least_budget(np.ones(6), cost=line, d_privacy=(0.5, line, dilation))
        assert (same.budget, same.status) == (pytest.approx(best.budget), best.status)


def test_secrets_at_one_place_and_infinitely_far():
    """Zero and infinity stay what they are."""
    d = np.array([[0, 0, 3, math.inf], [0, 0, 3, math.inf], [3, 3, 0, math.inf], [math.inf] * 3 + [0]])
    cost = 1 - np.eye(4)
    best = ml.lab.least_budget([1, 2, 3, 4], cost=cost, d_privacy=(0.3, d))
    found = ml.lab.least_budget([1, 2, 3, 4], cost=cost, d_privacy=(0.3, d, 1.3))
    assert found.budget == pytest.approx(best.budget)
    for each in (best, found):
        assert (each.channel.matrix[0] == each.channel.matrix[1]).all()
        assert ml.lab.d_privacy(each.channel, d) <= 0.3 * (1 + 1e-9)
    assert ml.lab.least_budget([1, 2, 3, 4], cost=cost, d_privacy=(0, d, 1.3)).budget >= best.budget


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((0.5, GRID, 0.9), "a finite number from 1 on, not 0.9"),
        ((0.5, GRID, math.nan), "from 1 on, not nan"),
        ((0.5, GRID, "near"), "the dilation of a spanner is a finite number"),
        ((-1, GRID, 1.2), "in nats for a distance of 1, not -1"),
        ((0.5, GRID, 1.2, 3), r"\(epsilon, metric\), or \(epsilon, metric, dilation\)"),
    ],
)
def test_what_is_no_spanner_is_refused(given, said):
    with pytest.raises(InvalidParameter, match=said):
        ml.lab.least_budget(P, cost=GRID, d_privacy=given)


def test_several_entropies_are_refused():
    with pytest.raises(InvalidParameter, match="goes with one entropy"):
        ml.lab.optimise(
            P, entropy=["min-entropy", "guesswork"], cost=GRID, budget=1.0, d_privacy=(0.5, GRID, 1.2), gap=1e-3
        )
