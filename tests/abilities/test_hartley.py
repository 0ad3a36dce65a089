"""Hartley's entropy: the logarithm of how many secrets remain possible."""

import numpy as np
import pytest
from tests.abilities.names import Hartley, leakage


def test_support():
    channel = [[1, 0], [1, 0], [0.5, 0.5], [0, 1]]
    assert leakage([4, 3, 2, 1], channel, Hartley()) == pytest.approx(np.log2(4 / 3))  # the largest support is 3
    mean = 0.8 * 3 + 0.2 * 2
    assert leakage([4, 3, 2, 1], channel, Hartley(form="hayashi")) == pytest.approx(np.log2(4 / mean))
