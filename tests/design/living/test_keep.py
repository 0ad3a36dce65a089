"""Updates of near and cheapest plans: sets that are still good are kept, at the same leakage."""

from __future__ import annotations

import numpy as np
import pytest
from tests.design.living.worlds import named, walked

import minleak as ml
from minleak.errors import InvalidParameter

RNG = np.random.default_rng(0)
POINTS = RNG.random((40, 2))
WEIGHTS = RNG.integers(50, 1000, 40)


def in_order(prior):
    return POINTS[[int(name[1:]) for name in prior.labels]]


@pytest.mark.parametrize("stability", [0.0, 0.5])
def test_near_sets_are_kept(stability):
    """Certified, about as near, and far less exposed than a plan made anew."""
    plan = ml.design(named(WEIGHTS), 4, layout=ml.Near(POINTS, stability=stability))
    prior = walked(plan.prior, np.random.default_rng(1))
    newer = plan.update(prior)
    anew = ml.design(prior, 4, layout=ml.Near(in_order(prior), stability=stability))
    assert ml.certify(newer, prior)
    assert newer.cost < 1.02 * anew.cost
    assert newer.changes.kept > 10 * newer.changes.remade
    assert ml.exposure([plan, newer], trials=4000).high < ml.exposure([plan, anew], trials=4000).low
    later = walked(prior, np.random.default_rng(2))
    assert ml.certify(newer.update(later), later)


def test_secrets_that_are_kept_apart_stay_so():
    """As in the old plan, in the kept sets and in the new ones."""
    plan = ml.design(named(WEIGHTS), 4, layout=ml.Near(POINTS, forbid=[("s1", "s2"), ("s3", "s4")]))
    prior = walked(plan.prior, np.random.default_rng(1))
    newer = plan.update(prior)
    assert ml.certify(newer, prior)
    assert not any({"s1", "s2"} <= set(members) or {"s3", "s4"} <= set(members) for members, _ in newer.sets())


def test_new_places_and_costs_must_be_told():
    """A new secret's place is not in the plan, and a cost matrix never is."""
    plan = ml.design(named(WEIGHTS), 4, layout=ml.Near(POINTS))
    prior = named([*WEIGHTS, 70])
    with pytest.raises(InvalidParameter, match=r"needs the points of all new secrets, layout=Near\(points\)"):
        plan.update(prior)
    newer = plan.update(prior, layout=ml.Near([*POINTS, (0.5, 0.5)]))
    assert ml.certify(newer, prior)
    assert newer.changes.new == 1
    assert newer.changes.kept > 0
    table = np.abs(np.subtract.outer(np.arange(40), np.arange(40)))
    cheap = ml.design(named(WEIGHTS), 4, layout=ml.Cheapest(table))
    with pytest.raises(InvalidParameter, match=r"needs layout=Cheapest\(...\), with arguments in the order"):
        cheap.update(named(WEIGHTS + 1))
    assert ml.certify(cheap.update(named(WEIGHTS + 1), layout=ml.Cheapest(table)), named(WEIGHTS + 1))
