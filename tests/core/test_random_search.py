"""Random search: it finds the maximum of simple functions, and says no more than it found."""

from __future__ import annotations

import numpy as np

from minleak.core._random_search import random_search


def test_it_comes_close_to_a_known_maximum():
    """-|p - q|^2 is largest, zero, at p = q."""
    q = np.array([0.6, 0.3, 0.1])
    top, value = random_search(lambda p: -float(((p - q) ** 2).sum()), 3, trials=4000, rng=np.random.default_rng(0))
    assert np.allclose(top, q, atol=1e-3)
    assert -1e-6 < value <= 0


def test_the_value_is_that_of_the_point_and_no_start_is_better():
    """What is returned was reached, and is at least as good as every start."""
    start = np.array([0.0, 1.0])
    top, value = random_search(lambda p: float(p[1]), 2, trials=10, rng=np.random.default_rng(0), starts=[start])
    assert value == top[1] == 1.0
    assert top.sum() == 1.0
