"""Buckets of sizes that leak the least under each kind of limit; found again by trying every table of buckets."""

from itertools import combinations

import numpy as np
import pytest
from tests.abilities.names import Infeasible, leakage, pad_design, price_limits

SIZES, WEIGHTS = np.array([10, 14, 20, 26, 40, 64, 90]), np.array([30, 20, 15, 15, 10, 6, 4])
P = WEIGHTS / WEIGHTS.sum()


def tables():
    """Every way to cut the sizes into buckets: what each size becomes."""
    for n in range(len(SIZES)):
        for cuts in combinations(range(len(SIZES) - 1), n):
            ends = np.array([*cuts, len(SIZES) - 1])
            yield SIZES[ends[np.searchsorted(ends, np.arange(len(SIZES)))]]


def least(allowed, entropy="shannon"):
    seen = [np.unique(padded, return_inverse=True)[1] for padded in tables() if allowed(padded)]
    return min(leakage(WEIGHTS, np.eye(y.max() + 1)[y], entropy) for y in seen)


LIMITS = {
    "budget": ({"budget": 6}, lambda padded: P @ (padded - SIZES) <= 6),
    "overhead": ({"overhead": 0.2}, lambda padded: P @ (padded - SIZES) <= 0.2 * (P @ SIZES)),
    "relative": ({"relative": 0.2}, lambda padded: P @ (padded / SIZES - 1) <= 0.2),
    "most": ({"max_growth": 0.5}, lambda padded: (padded <= 1.5 * SIZES).all()),
    "both": (
        {"budget": 6, "max_growth": 0.6},
        lambda padded: P @ (padded - SIZES) <= 6 and (padded <= 1.6 * SIZES).all(),
    ),
    "floor": (
        {"budget": 40, "floor": 2},
        lambda padded: P @ (padded - SIZES) <= 40 and np.unique(padded, return_counts=True)[1].min() >= 2,
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_least_leakage(name):
    options, allowed = LIMITS[name]
    found = pad_design(SIZES, WEIGHTS, **options)
    padded = np.array([found.pad(size) for size in SIZES.tolist()])
    assert allowed(padded)
    assert found.bound - 1e-9 <= least(allowed) <= found.leakage + 1e-9
    if found.status == "optimal":
        assert found.leakage == pytest.approx(least(allowed), abs=1e-9)


def test_one_guess_and_prices():
    found = pad_design(SIZES, WEIGHTS, max_growth=0.5, entropy="min-entropy")
    assert found.leakage == pytest.approx(least(LIMITS["most"][1], "min-entropy"), abs=1e-9)
    assert found.success == pytest.approx(0.3 * 2**found.leakage)
    both = pad_design(SIZES, WEIGHTS, budget=6, max_growth=0.6)
    assert price_limits(both)["most"] <= both.leakage
    with pytest.raises(Infeasible):
        pad_design(SIZES, WEIGHTS, budget=1, floor=3)
