"""Randomised paddings: certified, within the budget, and drawn from whole numbers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.padding._result import DENOMINATOR

SIZES, WEIGHTS = [10, 12, 20, 35, 36, 50], [5, 1, 4, 3, 2, 1]


@pytest.mark.parametrize("name", ["shannon", "min-entropy", "guesswork", "arimoto:2", "guess-error:2"])
def test_certified(name):
    """Within the budget, no size made smaller, no more than buckets leak, close to the bound, and measured twice."""
    for budget in (0, 2.5, 7):
        padding = ml.padding.design(SIZES, WEIGHTS, budget=budget, entropy=name, randomised=True)
        channel = padding.channel()
        assert padding.overhead <= budget * (1 + 1e-12)
        shown = padding.observables[None, :] - np.array(SIZES)[:, None]
        assert (channel.toarray()[shown < 0] == 0).all()
        assert padding.overhead == pytest.approx(
            float(padding.prior.p @ (channel.toarray() * np.maximum(shown, 0)).sum(axis=1)), rel=1e-12
        )
        assert padding.leakage == pytest.approx(ml.leakage(WEIGHTS, channel, name), rel=1e-12, abs=1e-12)
        assert 0 <= padding.gap <= 2e-6 * max(1, padding.leakage)
        if name in ("shannon", "min-entropy", "arimoto:2"):
            assert padding.leakage <= ml.padding.design(SIZES, WEIGHTS, budget=budget, entropy=name).leakage + 2e-6


def test_no_feasible_channel_passes_the_bound():
    """Random channels that only make sizes larger, mixed with no padding until they are within the budget."""
    rng = np.random.default_rng(0)
    sizes, p = np.array(SIZES), np.array(WEIGHTS) / sum(WEIGHTS)
    overheads = np.maximum(sizes[None, :] - sizes[:, None], 0)
    bound = ml.padding.design(SIZES, WEIGHTS, budget=3, randomised=True).bound
    for _ in range(200):
        rows = np.triu(rng.dirichlet(np.full(6, 0.3), 6) + 1e-9)
        rows /= rows.sum(axis=1, keepdims=True)
        cost = float(p @ (rows * overheads).sum(axis=1))
        if cost > 3:
            rows = 3 / cost * rows + (1 - 3 / cost) * np.eye(6)
        assert ml.leakage(WEIGHTS, rows, "shannon") >= bound - 1e-12


def test_drawn_as_often_as_the_weights_say():
    """Weights of a row sum to 2^32, and 20,000 draws of each secret stay within five deviations of them."""
    padding = ml.padding.design(SIZES, WEIGHTS, budget=3, entropy="min-entropy", randomised=True)
    rows = padding.channel().toarray()
    assert (np.add.reduceat(padding.weights, padding.starts[:-1]) == DENOMINATOR).all()
    for x in range(6):
        drawn = Counter(padding.draw(x) for _ in range(20_000))
        for y, size in enumerate(padding.observables.tolist()):
            chance = rows[x, y]
            assert abs(drawn[size] - 20_000 * chance) <= 5 * np.sqrt(20_000 * chance * (1 - chance))


def test_refusals():
    """It has no buckets and pads no bare size; and it says how many secrets are too many."""
    padding = ml.padding.design(SIZES, WEIGHTS, budget=3, entropy="min-entropy", randomised=True)
    with pytest.raises(InvalidParameter, match="draw"):
        padding.pad(10)
    with pytest.raises(InvalidParameter, match="channel"):
        padding.buckets()
    with pytest.raises(InvalidParameter, match="pairs"):
        ml.padding.design(np.arange(400), budget=3, randomised=True)
