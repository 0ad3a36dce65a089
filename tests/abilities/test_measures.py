"""Measures of researchers, each against its definition."""

import numpy as np
import pytest
from tests.abilities.names import (
    Joint,
    additive_leakage,
    deterministic,
    kantorovich,
    leakage,
    renyi_divergence,
    total_variation,
)


def test_distances():
    p, q = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])
    assert total_variation([2, 1, 1], [1, 1, 2]) == np.abs(p - q).sum() / 2
    assert renyi_divergence([2, 1, 1], [1, 1, 2], 3) == pytest.approx(np.log2((p**3 / q**2).sum()) / 2)
    line = np.abs(np.subtract.outer(range(3), range(3)))
    assert kantorovich([2, 1, 1], [1, 1, 2], line).value == pytest.approx(np.abs(np.cumsum(p - q)).sum())


def test_joint():
    shown = deterministic(["a", "b", "b"])
    assert additive_leakage([2, 1, 1], shown) == pytest.approx(0.25)
    assert leakage(Joint([2, 1, 1], shown), None, "shannon") == pytest.approx(1)
