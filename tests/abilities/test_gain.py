"""Gains: an attacker to whom guesses are worth different amounts."""

import numpy as np
import pytest
from tests.abilities.names import Gain, leakage, multiplicative_leakage, posterior_vulnerability


def test_g_leakage():
    g, p = np.array([[1, 0, 0.5], [0, 2, 1]]), np.array([0.5, 0.3, 0.2])
    c = np.array([[0.9, 0.1, 0], [0, 1, 0], [0, 0.5, 0.5]])
    before, after = (g @ p).max(), (g @ (p[:, None] * c)).max(axis=0).sum()
    assert leakage([5, 3, 2], c, Gain("min-entropy", g)) == pytest.approx(np.log2(after / before), abs=1e-12)
    assert posterior_vulnerability([5, 3, 2], c, gain=g) == pytest.approx(after)
    assert multiplicative_leakage([5, 3, 2], c, gain=g) == pytest.approx(after / before)
