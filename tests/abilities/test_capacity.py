"""Capacity: the most that a channel leaks over all priors."""

import numpy as np
import pytest
from tests.abilities.names import capacity, maximal_leakage, sibson


def test_binary_symmetric():
    worst = capacity([[0.9, 0.1], [0.1, 0.9]], "shannon")
    assert worst.value == pytest.approx(1 + 0.9 * np.log2(0.9) + 0.1 * np.log2(0.1), abs=1e-8)
    assert worst.prior.p == pytest.approx([0.5, 0.5], abs=1e-4)
    assert worst.lower <= worst.value <= worst.upper <= worst.lower + 1e-8


def test_one_guess():
    channel = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.4, 0.4, 0.2]])
    known = np.log2(channel.max(axis=0).sum())
    assert capacity(channel, "min-entropy").value == pytest.approx(known, abs=1e-8)
    assert maximal_leakage(channel) == pytest.approx(known)
    assert sibson([1, 2, 1], channel, np.inf) == pytest.approx(known)
