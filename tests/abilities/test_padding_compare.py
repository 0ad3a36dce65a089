"""Padding policies in use beside the best of the same cost; the frontier; the least overhead for a leakage."""

import numpy as np
import pytest
from tests.abilities.names import (
    leakage,
    pad_compare,
    pad_design,
    pad_frontier,
    pad_least_budget,
    padme,
    to_power_of_two,
)

SIZES = [100 * i + 7 for i in range(1, 61)]


def test_policies():
    found = pad_compare(SIZES, entropies=["shannon"], policies={"padme": padme, "two": to_power_of_two})
    for rival in found.rivals:
        padded = {"padme": padme, "two": to_power_of_two}[rival.policy.name](np.array(SIZES))
        y = np.unique(padded, return_inverse=True)[1]
        assert rival.policy.leakage[0] == pytest.approx(leakage(np.ones(60), np.eye(y.max() + 1)[y], "shannon"))
        assert rival.policy.overheads.mean == pytest.approx((padded - SIZES).mean())
        assert rival.best[0].leakage <= rival.policy.leakage[0] + 1e-9
    assert {rival.policy.name for rival in found.rivals} >= {"padme", "two"}


def test_frontier_and_least_budget():
    curve = pad_frontier(SIZES, points=6).buckets
    assert [point.leakage for point in curve] == sorted((point.leakage for point in curve), reverse=True)
    least = pad_least_budget(SIZES, leakage=2.0)
    assert least.padding.leakage <= 2.0 + 1e-9
    assert pad_design(SIZES, budget=0.9 * least.bound).bound > 1.9
    assert padme(np.array([1000, 2**20 + 1])).tolist() == [1024, 2**20 + 2**15]
