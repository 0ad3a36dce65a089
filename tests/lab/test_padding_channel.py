"""Sizes drawn at random: certified, within the budgets and the cap, and drawn by a cloak."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter

SIZES, WEIGHTS = [10, 12, 20, 35, 36, 50], [5, 1, 4, 3, 2, 1]


@pytest.mark.parametrize("name", ["shannon", "min-entropy", "guesswork", "arimoto:2", "guess-error:2"])
def test_certified(name):
    """Within the budget, no size made smaller, no more than buckets leak, close to the bound, and measured twice."""
    for budget in (0, 2.5, 7):
        best = ml.lab.padding_channel(SIZES, WEIGHTS, budget=budget, entropy=name)
        rows, shown = best.channel.toarray(), np.array(best.channel.outputs)[None, :] - np.array(SIZES)[:, None]
        assert (rows[shown < 0] == 0).all()
        spent = float(np.array(WEIGHTS) / sum(WEIGHTS) @ (rows * np.maximum(shown, 0)).sum(axis=1))
        assert spent == pytest.approx(best.costs[0], abs=1e-12)
        assert spent <= budget * (1 + 1e-12) + 1e-12
        assert best.leakage == pytest.approx(ml.leakage(WEIGHTS, best.channel, name), rel=1e-12, abs=1e-12)
        assert 0 <= best.gap <= 2e-6 * max(1, best.leakage)
        if name in ("shannon", "min-entropy", "arimoto:2"):
            assert best.leakage <= ml.padding.design(SIZES, WEIGHTS, budget=budget, entropy=name).leakage + 2e-6


def test_no_feasible_channel_passes_the_bound():
    """Random channels that only make sizes larger, mixed with no padding until they are within the budget."""
    rng = np.random.default_rng(0)
    sizes, p = np.array(SIZES), np.array(WEIGHTS) / sum(WEIGHTS)
    overheads = np.maximum(sizes[None, :] - sizes[:, None], 0)
    bound = ml.lab.padding_channel(SIZES, WEIGHTS, budget=3).bound
    for _ in range(200):
        rows = np.triu(rng.dirichlet(np.full(6, 0.3), 6) + 1e-9)
        rows /= rows.sum(axis=1, keepdims=True)
        cost = float(p @ (rows * overheads).sum(axis=1))
        if cost > 3:
            rows = 3 / cost * rows + (1 - 3 / cost) * np.eye(6)
        assert ml.leakage(WEIGHTS, rows, "shannon") >= bound - 1e-12


def test_what_randomising_gains_under_a_cap():
    """Sizes 100, 111, 123 with p = .25, .5, .25 and c = 1.12: .5 and .75 for one guess, .5 and .811 bits."""
    sizes, weights = [100, 111, 123], [1, 2, 1]
    for name, random, buckets in (("guess-error:1", 0.0, 0.25), ("shannon", 0.5, 0.8112781)):
        drawn = ml.lab.padding_channel(sizes, weights, most=0.12, entropy=name)
        fixed = ml.padding.design(sizes, weights, most=0.12, entropy=name)
        assert (drawn.leakage, fixed.leakage) == pytest.approx((random, buckets), abs=1e-6)
        shown = drawn.channel.toarray() > 0
        assert (np.array(drawn.channel.outputs)[None, :] * shown <= 1.12 * np.array(sizes)[:, None]).all()


def test_two_budgets_and_a_cap():
    """Within all of them, no more than buckets leak, and the bound holds for the buckets too."""
    sizes = np.unique(np.random.default_rng(4).integers(100, 300, 12))
    limits = {"overhead": 0.05, "relative": 0.04, "most": 0.3}
    drawn = ml.lab.padding_channel(sizes, **limits)
    assert drawn.bound - 1e-9 <= drawn.leakage <= ml.padding.design(sizes, **limits).leakage + 1e-6
    rows, shown = drawn.channel.toarray(), np.array(drawn.channel.outputs)[None, :] / sizes[:, None] - 1
    assert (rows * shown * sizes[:, None]).sum() <= 0.05 * sizes.sum() * (1 + 1e-9)
    assert (rows * shown).sum() / len(sizes) <= 0.04 * (1 + 1e-9)
    assert (shown * (rows > 0)).max() <= 0.3 + 1e-12


def test_it_can_be_drawn():
    """Stickily, by label, and never smaller."""
    best = ml.lab.padding_channel({"a": 10, "b": 12, "c": 21}, {"a": 5, "b": 3, "c": 1}, budget=2.0)
    cloak = ml.Cloak(best, key=bytes(range(32)))
    (size,) = cloak.draw("b", scope="user")
    assert size == cloak.draw("b", scope="user")[0] >= 12


def test_too_many_sizes_are_refused_before_memory_is_full():
    with pytest.raises(InvalidParameter, match=r"at most 40,000 pairs.* got .* of 200,000 secrets"):
        ml.lab.padding_channel(np.arange(200_000), overhead=0.08)
