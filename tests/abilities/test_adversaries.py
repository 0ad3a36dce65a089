"""Adversaries who know more or less, and countermeasures that others use."""

import numpy as np
import pytest
from tests.abilities.names import (
    MismatchedAdversary,
    OptimalAdversary,
    UniformAdversary,
    baselines,
    design,
    estimate_prior,
)

CHANNEL = np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]])


def test_success():
    p = np.array([0.5, 0.25, 0.25])
    assert OptimalAdversary().success([2, 1, 1], CHANNEL) == pytest.approx((p[:, None] * CHANNEL).max(axis=0).sum())
    assert OptimalAdversary(tries=2).success([2, 1, 1], CHANNEL) == pytest.approx(1)
    wrong = MismatchedAdversary([1, 3, 2]).success([2, 1, 1], CHANNEL)
    assert wrong == pytest.approx(0.125 + 0.125 + 0.125)  # guesses 2, 1, 1
    assert UniformAdversary().success([2, 1, 1], CHANNEL) == pytest.approx(0.5)


def test_baselines():
    weights = [1000 // i for i in range(1, 61)]
    found = {each.name: each.leakage("shannon").value for each in baselines(weights, 4, trials=2000, rng=0)}
    bits = -sum(w / sum(weights) * np.log2(w / sum(weights)) for w in weights)
    assert found["no cloak"] == pytest.approx(bits)
    assert found["one set"] == pytest.approx(0, abs=1e-12)
    best = design(weights, 4).leakage("shannon")
    assert all(found[name] > best for name in found if name != "one set")


def test_who_asks():
    shown = np.random.default_rng(0).choice(3, p=np.array([0.6, 0.3, 0.1]) @ CHANNEL, size=20_000)
    assert estimate_prior(CHANNEL, shown.tolist()).prior.p == pytest.approx([0.6, 0.3, 0.1], abs=0.03)
