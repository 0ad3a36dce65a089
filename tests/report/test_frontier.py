"""The chart of a frontier has its points, and a picture can be made of it."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.report.saving import picture


@pytest.fixture(scope="module")
def frontier():
    return ml.tradeoff([5, 3, 2], cost=1 - np.eye(3), entropy="min-entropy", points=5)


def test_points(frontier):
    spec = frontier.chart().to_dict()
    drawn = (
        [(row["budget"], row["leakage"]) for row in spec["datasets"].popitem()[1]]
        if "datasets" in spec
        else [(row["budget"], row["leakage"]) for row in spec["layer"][1].get("data", spec.get("data"))["values"]]
    )
    assert drawn == [(point.budget, point.leakage) for point in frontier.points]


def test_picture(frontier):
    assert picture(frontier.chart(), "png").startswith(b"\x89PNG")


def test_an_infinite_shadow_price_can_be_drawn():
    """Shannon's at the least budget: a chart is JSON, which has no infinity."""
    steep = ml.tradeoff([5, 3, 2], cost=1 - np.eye(3), points=3)
    assert steep.points[0].shadow_price == np.inf
    assert picture(steep.chart(), "png").startswith(b"\x89PNG")


def test_a_flat_frontier_can_be_drawn():
    """One budget only, nothing leaks."""
    flat = ml.tradeoff([1, 1], cost=np.zeros((2, 2)), budgets=[0.0])
    assert picture(flat.chart(), "svg").startswith(b"<svg")
