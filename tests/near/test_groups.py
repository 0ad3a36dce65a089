"""Near decoys under caps on groups: the cheapest among all plans that keep them, by listing every set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.near.listing import euclidean, listed_optimum

import minleak as ml
from minleak.near._pricing import cheapest as layout


def most_of_a_group(plan, groups):
    """The most members of one group in a set."""
    return max(np.bincount(np.asarray(groups)[list(members)]).max() for members, _ in plan.sets())


@given(st.lists(st.integers(1, 30), min_size=3, max_size=8), st.integers(2, 4), st.integers(1, 2), st.data())
@settings(max_examples=60)
def test_the_cheapest_that_keeps_the_caps(weights, k, cap, data):
    """Where one tier has all that is no giant, the cost is the least over all sets that keep the caps."""
    n = len(weights)
    groups = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    points = [(7 * x) % 5 for x in range(n)]
    plan = ml.design(weights, k, groups=ml.Groups(groups, at_most=cap), layout=ml.Near(points))
    assert ml.certify(plan, weights)
    assert most_of_a_group(plan, groups) <= cap
    if plan.n_giants or len(plan.tiers) != 1:
        return
    sets = [[x for x in range(n) if groups[x] == g] for g in range(4)]
    least = listed_optimum(euclidean(points), weights, plan.u, groups=sets, at_most=cap)
    assert plan.cost_bound <= least + 1e-9
    assert least <= plan.cost + 1e-9
    assert plan.cost - plan.costs.rounding == pytest.approx(least, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("stability", [0, 0.5, 1])
def test_many_groups_in_regions_and_blocks(monkeypatch, stability):
    """Also where the plan is improved in regions, or split into blocks with homes of their own."""
    monkeypatch.setattr(layout, "EXACT", 50)
    rng = np.random.default_rng(4)
    weights, points, groups = rng.integers(1, 10**4, 300), rng.random((300, 2)), np.arange(300) // 5
    near = ml.Near(points, stability=stability)
    plan = ml.design(weights, 5, groups=ml.Groups(groups, at_most=2), layout=near)
    assert ml.certify(plan, weights)
    assert most_of_a_group(plan, groups) <= 2
    if stability < 1:
        assert plan.cost < ml.design(weights, 5, groups=plan.groups, layout=ml.Near(points, stability=1)).cost


def test_several_tiers_have_a_cost_of_whole_sets():
    """A group outweighs its cap: sets are near within tiers, and the cost is that of the whole sets."""
    points = [0, 1, 2, 3, 10, 11, 12, 13]
    plan = ml.design(
        [9, 9, 9, 9, 1, 1, 1, 1], 3, groups=ml.Groups([0] * 4 + [1] * 4, at_most=2), layout=ml.Near(points)
    )
    assert len(plan.tiers) == 2
    distances = euclidean(points)
    mean = sum(float(p) * min(distances[z][list(m)].sum() for z in m) / 3 for m, p in plan.sets())
    assert plan.cost == pytest.approx(mean)
    assert plan.cost_bound is None
