"""Randomised padding: less leakage than any table at the same mean overhead."""

import numpy as np
import pytest
from tests.abilities.names import leakage, pad_design, padding_channel


def test_two_sizes():
    matrix, leaked = padding_channel([10, 20], [80, 20], budget=7)
    assert matrix == pytest.approx(np.array([[0.125, 0.875], [0, 1]]), abs=1e-6)
    assert leaked == pytest.approx(leakage([80, 20], [[0.125, 0.875], [0, 1]], "shannon"), abs=1e-6)
    assert leaked < pad_design([10, 20], [80, 20], budget=7).leakage == pytest.approx(0.721928095)
    assert 0.8 * matrix[0, 1] * 10 <= 7 + 1e-6
