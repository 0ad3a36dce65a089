"""Guesswork: the mean number of guesses, best first."""

import numpy as np
import pytest
from tests.abilities.names import Guesswork, guesswork_moment, leakage


def test_mean_number():
    p, c = np.array([0.4, 0.3, 0.2, 0.1]), np.array([[1, 0], [0.5, 0.5], [0, 1], [0.25, 0.75]])
    after = (np.arange(1, 5)[:, None] * -np.sort(-(p[:, None] * c), axis=0)).sum()
    assert leakage([4, 3, 2, 1], c, Guesswork()) == pytest.approx(2.0 - after, abs=1e-12)


def test_moment():
    assert guesswork_moment([3, 2, 1], rho=2).value == pytest.approx((3 * 1 + 2 * 4 + 1 * 9) / 6)
