"""The least cost at which a leakage is possible, and the frontier between the two."""

import numpy as np
import pytest
from tests.abilities.names import least_budget, tradeoff

WRONG = 1 - np.eye(3)


def test_one_guess():
    found = least_budget([5, 3, 2], cost=WRONG, entropy="min-entropy", leakage=0.5)
    assert found.budget == pytest.approx(1 - 0.5 * 2**0.5, abs=1e-6)  # a guess is right with 0.5 * 2^leakage
    assert found.bound <= found.budget + 1e-9


def test_frontier():
    points = tradeoff([5, 3, 2], cost=WRONG, entropy="min-entropy", points=5).points
    assert [point.budget for point in points] == pytest.approx([0, 0.125, 0.25, 0.375, 0.5])
    assert [point.leakage for point in points] == pytest.approx(
        [np.log2((1 - b) / 0.5) for b in (0, 0.125, 0.25, 0.375, 0.5)], abs=1e-6
    )
