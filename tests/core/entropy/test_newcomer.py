"""A new entropy is one class and one line: it is measured, swept, designed and padded as far as it says how."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.core._entropy.forms import RenyiMean
from minleak.core._entropy.names import NAMES
from minleak.errors import InvalidParameter
from minleak.samples._plug_in import JointCounts, MeasureSet, estimate_all
from paper.invariance import metric_invariance

WEIGHTS, OTHER = [9, 5, 3, 3, 2, 1], [1, 4, 2, 2, 8, 3]
SIZES = [3, 4, 5, 6, 9, 12]
CHANNEL = ml.Channel.random(6, 4, seed=1)


class GiniGain(ml.lab.Entropy):
    """1 - sum of p_i^2, which is Tsallis' of order 2: Fhat(v) = |v|_1 - |v|_2^2 / |v|_1, eta(z) = z."""

    name = "gini-gain"
    increasing = True

    def eta(self, z):
        return z

    def _perspective(self, v):
        s = v.sum(axis=0)
        return s - (v**2).sum(axis=0) / np.where(s > 0, s, 1.0)

    # what is known of it beyond its definition: sweeps, convex design and padding need no more
    form = RenyiMean(2.0, -1.0, degree=-1.0)


class Silent(GiniGain):
    """The same, by one who knows no more than the definition."""

    name = "silent"
    form = None


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    for kind in (GiniGain, Silent):
        monkeypatch.setitem(NAMES, kind.name, (kind, 0, 0, ""))


KNOWN = "tsallis:2"
NEW = pytest.mark.parametrize("name", ["gini-gain", "silent"])


@NEW
def test_it_is_measured(name):
    assert ml.lab.check_entropy(name, trials=50)
    assert ml.leakage(WEIGHTS, CHANNEL, name) == pytest.approx(ml.leakage(WEIGHTS, CHANNEL, KNOWN), rel=1e-12)
    assert ml.leakage_table(WEIGHTS, CHANNEL, [name, KNOWN])[name].before == pytest.approx(ml.lab.Tsallis(2)(WEIGHTS))
    gains = [1, 2, 1, 1, 3, 1]
    seen = [ml.leakage(WEIGHTS, CHANNEL, ml.Gain(ml.entropy(H), gains)) for H in (name, KNOWN)]
    assert seen[0] == pytest.approx(seen[1], rel=1e-9)


@NEW
def test_it_is_swept_and_set_beside_baselines(name):
    swept = ml.sweep(WEIGHTS, entropies=[name, KNOWN], on_counts=True)
    assert swept[name] == pytest.approx(swept[KNOWN], rel=1e-12, abs=1e-15)
    assert ml.least_k(WEIGHTS, name, leakage=0.1, on_counts=True) == 3
    for baseline in ml.lab.baselines(WEIGHTS, 3, trials=200):
        assert baseline.entropy(name).value == pytest.approx(baseline.entropy(KNOWN).value, rel=1e-12)


@NEW
@pytest.mark.parametrize("layout", ["stable", "circle"])
def test_it_is_measured_on_plans_under_any_prior(name, layout):
    plan = ml.design(WEIGHTS, k=3, layout=layout)
    assert plan.leakage(name) == pytest.approx(plan.leakage(KNOWN), rel=1e-12)
    expected = plan.leakage(KNOWN, prior=OTHER)
    assert plan.leakage(name, prior=OTHER) == pytest.approx(expected, rel=1e-10)
    assert ml.leakage(OTHER, plan.channel(), name) == pytest.approx(expected, rel=1e-10)


def test_it_is_optimised():
    pytest.importorskip("cvxpy")
    price = {"cost": 1 - np.eye(6), "budget": 0.4}
    mine, known = (ml.lab.optimise(WEIGHTS, entropy=name, **price) for name in ("gini-gain", KNOWN))
    assert mine.leakage == pytest.approx(known.leakage, abs=1e-6)
    assert mine.gap <= 1e-6
    assert mine.shadow_price == pytest.approx(known.shadow_price, rel=1e-3)
    # it is symmetric, whatever its name says
    assert metric_invariance([2, 1, 1], allowed=[[1, 1]] * 3, entropies=["gini-gain"]).ok


@pytest.mark.parametrize("weights", [WEIGHTS, [1] * 6], ids=["any prior", "equally likely"])
def test_it_is_padded(weights):
    mine, known = (ml.padding.design(SIZES, weights, budget=1.5, entropy=name) for name in ("gini-gain", KNOWN))
    assert mine.leakage == pytest.approx(known.leakage, rel=1e-12)
    assert mine.bound == pytest.approx(known.bound, rel=1e-9)
    assert ml.padding.frontier(SIZES, weights, entropy="gini-gain").entropy == "gini-gain"


def test_it_is_audited():
    counts = JointCounts.of(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([9, 3, 2, 8]), (2, 2))
    mine, known = estimate_all(counts, MeasureSet(["gini-gain", KNOWN]), np.random.default_rng(0))
    assert mine == pytest.approx(known)


def test_what_it_does_not_say_is_refused_in_words():
    """The base class says "none", and whoever asks says what is missing, and of whom."""
    with pytest.raises(InvalidParameter, match="silent has no known convex form"):
        ml.lab.optimise(WEIGHTS, entropy="silent", cost=1 - np.eye(6), budget=0.4)
    with pytest.raises(InvalidParameter, match="silent is not a sum over buckets"):
        ml.padding.design(SIZES, WEIGHTS, budget=1.5, entropy="silent")
