"""Frontiers have one shape: rows of plain numbers, and a chart of them of which a picture can be made."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import minleak as ml
from minleak.report._saving import picture


@pytest.fixture(scope="module")
def frontier():
    return ml.lab.tradeoff([5, 3, 2], cost=1 - np.eye(3), entropy="min-entropy", points=5)


def test_points(frontier):
    spec = frontier.chart().to_dict()
    drawn = (
        [(row["budget"], row["leakage"]) for row in spec["datasets"].popitem()[1]]
        if "datasets" in spec
        else [(row["budget"], row["leakage"]) for row in spec["layer"][1].get("data", spec.get("data"))["values"]]
    )
    assert drawn == [(point.budget, point.leakage) for point in frontier.points]


SHAPES = {
    "tradeoff": lambda: ml.lab.tradeoff([5, 3, 2], cost=1 - np.eye(3), entropy="min-entropy", points=5),
    "sweep": lambda: ml.sweep(range(30, 0, -1), ks=[1, 5, 20]),
    "sweep of one k": lambda: ml.sweep([3, 2, 1], ks=[1], entropies=["shannon"]),
    "padding": lambda: ml.padding.frontier(
        [3, 4, 5, 6, 9, 12], policies={"none": lambda sizes: sizes, "all": lambda sizes: np.full_like(sizes, 12)}
    ),
    "sizes of zero": lambda: ml.padding.frontier([0, 0], policies={"none": lambda sizes: sizes}),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_one_shape(shape):
    """Each row has its series, its place to the right and its leakage; all of them are drawn."""
    found = SHAPES[shape]()
    rows = found.rows()
    assert all(isinstance(row["series"], str) for row in rows)
    assert all(math.isfinite(row[found.axes.across]) and row["leakage"] >= 0 for row in rows)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))
    chart = found.chart()
    text = chart.to_json()
    assert all(json.dumps(row["series"]) in text for row in rows)
    assert picture(chart, "png").startswith(b"\x89PNG")


def test_rows_are_the_points():
    """Of a sweep every entropy at every k, of a padding frontier the two kinds of points."""
    swept = SHAPES["sweep"]()
    assert [(row["series"], row["k"]) for row in swept.rows()] == [(e, k) for e in swept.entropies for k in swept.ks]
    assert [row["leakage"] for row in swept.rows() if row["series"] == "shannon"] == swept["shannon"].tolist()
    padded = SHAPES["padding"]()
    assert padded.axes.named == ("none", "all")
    assert [row["series"] for row in padded.rows()] == [*["best buckets"] * len(padded.buckets), "none", "all"]
    assert padded.rows()[-1]["percent"] == pytest.approx(100 * 5.5 / 6.5)


def test_an_infinite_shadow_price_can_be_drawn():
    """Shannon's at the least budget: a chart is JSON, which has no infinity."""
    steep = ml.lab.tradeoff([5, 3, 2], cost=1 - np.eye(3), points=3)
    assert steep.points[0].shadow_price == np.inf
    assert picture(steep.chart(), "png").startswith(b"\x89PNG")


def test_a_flat_frontier_can_be_drawn():
    """One budget only, nothing leaks."""
    flat = ml.lab.tradeoff([1, 1], cost=np.zeros((2, 2)), budgets=[0.0])
    assert picture(flat.chart(), "svg").startswith(b"<svg")
