"""What each size of sets leaks."""

import numpy as np
import pytest
from tests.abilities.names import design, least_k, sweep

WEIGHTS = [50, 20, 9, 8, 7, 3, 2, 1]


def test_each_k():
    found = sweep(WEIGHTS, ks=[1, 2, 4, 8], entropies=["shannon", "guesswork"], on_counts=True)
    assert found.ks == (1, 2, 4, 8)
    for i, k in enumerate(found.ks):
        plan = design(WEIGHTS, k)
        row = [plan.leakage("shannon"), plan.leakage("guesswork")]
        assert np.asarray(found.leakage)[i] == pytest.approx(row, abs=1e-9)
        assert found.success[i] == pytest.approx(plan.success)


def test_least_k():
    weights = [10] * 40
    assert least_k(weights, max_success=0.05, on_counts=True) == 20
    counts = np.random.default_rng(1).poisson(np.random.default_rng(2).lognormal(1, 1, 300))
    assert least_k(counts, max_success=0.05, on_counts=True) == 20 < least_k(counts, max_success=0.05, on_counts=False)
    assert least_k(weights, "shannon", leakage=2, on_counts=True) == 10
