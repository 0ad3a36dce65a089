"""How many events bring the world close to the certificate: the number, found by drawing them, is between two told."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rates.test_world import lognormal, sampled, success, zipf

import minleak as ml
from minleak.rates import _enough_events as module
from minleak.rates._enough_events import enough_events


def excess(truth, events, k):
    counts, known = sampled(truth, events, seed=5)
    plan = ml.design(counts, k)
    return success(plan, known) / plan.target.max() - 1


@pytest.mark.parametrize("truth", [zipf(2000), lognormal(3000)], ids=["zipf", "lognormal"])
def test_the_truth_is_between_the_two(truth):
    """At the first number the excess is still about 10% or more, at the second about 10% or less."""
    k = 8
    plan = ml.design(sampled(truth, 20_000, seed=7)[0], k)
    few, many = enough_events(plan, ml.population(plan))
    assert 20_000 < few <= many < 5 * few
    assert excess(truth, few, k) > 0.09
    assert excess(truth, many, k) < 0.11


def test_the_unseen_ask_for_more():
    """Where much was not seen, what is needed without it is too little, and with it enough."""
    truth = zipf(20_000)
    plan = ml.design(sampled(truth, 5_000, seed=7)[0], 8)
    few, many = enough_events(plan, ml.population(plan))
    assert 2 * few < many
    assert excess(truth, few, 8) > 0.11
    assert excess(truth, many, 8) < 0.11


def test_enough_is_enough():
    plan = ml.design([5_000_000 + i * 40_000 for i in range(60)], 6)
    world = ml.population(plan)
    assert enough_events(plan, world) == (world.events, world.events)


def test_what_is_not_simulated_follows_the_root(monkeypatch):
    """With few secrets to simulate, one round and the law of the root come to about the same."""
    plan = ml.design(sampled(lognormal(3000), 20_000, seed=7)[0], 8)
    world = ml.population(plan)
    whole = enough_events(plan, world)
    monkeypatch.setattr(module, "_MOST", 6_000)
    assert np.allclose(enough_events(plan, world), whole, rtol=0.4)


def test_shares_of_events_are_counts():
    counts = sampled(lognormal(3000), 20_000, seed=7)[0]
    shares = ml.design(ml.Prior(counts.p, events=20_000), 8)
    plan = ml.design(counts, 8)
    assert np.allclose(enough_events(shares, ml.population(shares)), enough_events(plan, ml.population(plan)), rtol=0.1)
