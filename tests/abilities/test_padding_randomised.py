"""Randomised padding: less leakage than any table at the same mean overhead."""

import numpy as np
import pytest
from tests.abilities.names import leakage, pad_design


def test_two_sizes():
    found = pad_design([10, 20], [80, 20], budget=7, randomised=True)
    assert np.asarray(found.channel().toarray()) == pytest.approx(np.array([[0.125, 0.875], [0, 1]]), abs=1e-6)
    assert found.leakage == pytest.approx(leakage([80, 20], [[0.125, 0.875], [0, 1]], "shannon"), abs=1e-6)
    assert found.leakage < pad_design([10, 20], [80, 20], budget=7).leakage == pytest.approx(0.721928095)
    assert found.overhead <= 7 + 1e-9
    assert found.draw(1) == 20
