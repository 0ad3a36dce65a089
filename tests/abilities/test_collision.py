"""Collision entropy: two draws of the secret agree."""

import numpy as np
import pytest
from tests.abilities.names import Collision, leakage


def test_agreement():
    p, c = np.array([0.5, 0.3, 0.2]), np.array([[0.9, 0.1, 0], [0, 1, 0], [0, 0.5, 0.5]])
    joint = p[:, None] * c
    before, after = np.sqrt((p**2).sum()), np.sqrt((joint**2).sum(axis=0)).sum()
    assert leakage([5, 3, 2], c, Collision()) == pytest.approx(2 * np.log2(after / before), abs=1e-12)
    twice = (joint**2 / joint.sum(axis=0)).sum() / (p**2).sum()
    assert leakage([5, 3, 2], c, Collision(form="hayashi")) == pytest.approx(np.log2(twice), abs=1e-12)
