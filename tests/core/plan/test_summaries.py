"""Summaries of plans: what each kind says of itself, in numbers, in words, and in JSON."""

import json

import pyarrow as pa
import pytest

import minleak as ml
from minleak import scale

COUNTS = {"flu": 400, "cold": 300, "gout": 200, "mumps": 150, "<b>\x1b[31m": 2000}


def plans():
    plan = ml.design(COUNTS, k=2)
    return {
        "rings": plan,
        "near": ml.design(COUNTS, k=2, layout=ml.Near([[0, 0], [1, 0], [2, 0], [3, 0], [4, 0]])),
        "gains": ml.design(COUNTS, k=2, gains=[1, 2, 3, 4, 5]),
        "blocks": ml.design(COUNTS, k=2, layout="blocks"),
        "rows": ml.lab.mechanisms.rounded(ml.lab.mechanisms.randomised_response(3, 1.0)),
        "lineage": ml.update(plan, {**COUNTS, "rabies": 9}),
        "strings": ml.design(ml.strings.NGram.fit(["abab", "ba", "abba", "bb"], order=2, longest=8), k=3),
        "engine": scale.design(pa.table({"secret": list(COUNTS), "count": list(COUNTS.values())}), k=2),
    }


PLANS = plans()


@pytest.mark.parametrize("kind", PLANS)
def test_every_kind_has_a_summary(kind):
    """Plain in JSON, and nothing of a label steers a terminal or a page."""
    summary = ml.summary(PLANS[kind])
    data = summary.to_dict()
    json.dumps(data, allow_nan=False)
    assert data["secrets"] == summary.secrets
    assert set(data["leakage"]) == {"shannon", "min-entropy", "guess-error:1", "guesswork", "collision", "hartley"} | {
        "tsallis:2"
    }
    assert all(line.replace("\t", " ").isprintable() for line in str(summary).split("\n"))
    assert "<b>" not in summary._repr_html_()
    lineage = PLANS[kind].header.digest if kind == "engine" else PLANS[kind].lineage.hex()
    assert data["lineage"] == lineage


@pytest.mark.parametrize("kind", ["rings", "blocks", "rows", "lineage"])
def test_leakages_are_those_of_the_plan(kind):
    plan = PLANS[kind]
    for row in ml.summary(plan, ["shannon", "guesswork"]).leakage:
        assert row.leakage == pytest.approx(plan.leakage(row.entropy))
        assert row.after == pytest.approx(plan.entropy(row.entropy))
        assert row.before == pytest.approx(row.after + row.leakage)


def test_an_engine_says_what_memory_says():
    """The same prior, k and layout: the same leakages, giants and chances."""
    inside, outside = ml.summary(PLANS["engine"]), ml.summary(PLANS["rings"])
    for name in ("secrets", "k", "layout", "giants", "giant_labels", "success", "success_blind"):
        assert getattr(inside, name) == pytest.approx(getattr(outside, name)), name
    for ours, theirs in zip(inside.leakage, outside.leakage, strict=True):
        assert ours.before == pytest.approx(theirs.before)
        assert ours.leakage == pytest.approx(theirs.leakage)
    assert inside.engine == "duckdb"


def test_where_nothing_can_be_said_of_the_world():
    """Why is told, and everything else is there."""
    summary = ml.summary(ml.design([5, 3, 2], k=2))
    assert summary.in_the_world is None
    assert "too few" in summary.untold
    assert summary.untold in str(summary)
