"""Channels that leak the least under constraints, each with a proven bound."""

import numpy as np
import pytest
from tests.abilities.names import Infeasible, MinEntropy, Shannon, d_privacy, leakage, optimise

WRONG = 1 - np.eye(3)


def test_allowed():
    found = optimise([1, 1, 1], entropy="min-entropy", allowed=[[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    assert found.leakage == pytest.approx(np.log2(3 / 2), abs=1e-6)  # each shows its two equally often
    with pytest.raises(Infeasible):
        optimise([1, 1], allowed=[[1, 1], [0, 0]])


def test_budget_is_rate_distortion():
    found = optimise([1, 1], entropy="shannon", cost=1 - np.eye(2), budget=0.1)
    assert found.leakage == pytest.approx(1 + 0.1 * np.log2(0.1) + 0.9 * np.log2(0.9), abs=1e-6)
    assert found.bound <= found.leakage + 1e-9
    assert found.leakage - found.bound < 1e-6


def test_d_privacy():
    far = np.abs(np.subtract.outer(np.arange(4), np.arange(4))).astype(float)
    found = optimise([1, 2, 2, 1], cost=far, budget=0.6, d_privacy=(0.8, far))
    assert d_privacy(found.channel, far) <= 0.8 + 1e-6
    assert found.leakage == pytest.approx(0.177876264, abs=1e-6)


def test_several_entropies():
    alone = optimise([1, 1, 1], entropy=MinEntropy(), cost=WRONG, budget=0.3)
    both = optimise([1, 1, 1], entropy=[MinEntropy(), Shannon()], cost=WRONG, budget=0.3)
    assert alone.leakage == pytest.approx(np.log2(3 * 0.7), abs=1e-6)
    assert both.leakage == pytest.approx(alone.leakage, abs=1e-6)
    assert leakage([1, 1, 1], both.channel, "shannon") <= leakage([1, 1, 1], alone.channel, "shannon") + 1e-6
