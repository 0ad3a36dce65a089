"""The vectors of the specification: made by the page alone, and drawn by the library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.draw import vectors

import minleak as ml

FILE = Path(__file__).parents[2] / "runtimes" / "vectors.json"
CASES = {case["name"]: case for case in json.loads(FILE.read_text())["cases"]}


def test_the_file_is_what_the_page_says():
    """Made anew by `python -m tests.draw.vectors > runtimes/vectors.json`."""
    assert list(CASES.values()) == vectors.cases()
    assert sum(len(case["draws"]) for case in CASES.values()) >= 1000


@pytest.mark.parametrize("name", vectors.plans())
def test_the_library_draws_them(name):
    """Every set of every vector, by `Cloak`."""
    plan, case = vectors.plans()[name], CASES[name]
    assert plan.lineage.hex() == case["lineage"]
    for draw in case["draws"]:
        ((kind, value),) = draw["label"].items()
        cloak = ml.Cloak(plan, key=bytes.fromhex(draw["key"]))
        found = cloak.draw(value if kind == "s" else int(value), scope=draw["scope"])
        expected = {label["s"] if "s" in label else int(label["i"]) for label in draw["set"]}
        assert set(found) == expected
