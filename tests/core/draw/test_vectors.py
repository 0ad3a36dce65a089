"""The vectors of the specification: made by the page alone, exported and drawn by the library."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.core.draw import vectors

import minleak as ml
from minleak.core._keys import scope_problem

FILE = Path(__file__).parents[3] / "runtimes" / "vectors.json"
TOLD = json.loads(FILE.read_text())
CASES = {case["name"]: case for case in TOLD["cases"]}


def test_the_file_is_what_the_page_says():
    """Made anew by `python -m tests.core.draw.vectors > runtimes/vectors.json`."""
    assert list(CASES.values()) == vectors.cases()
    assert TOLD["refused_tables"] == vectors.refused_tables()
    assert TOLD["paddings"] == json.loads(json.dumps(vectors.paddings()))
    assert TOLD["refused_scopes"] == vectors.REFUSED_SCOPES
    assert sum(len(case["draws"]) for case in CASES.values()) >= 1000


@pytest.mark.parametrize("name", vectors.plans())
def test_the_library_exports_these_tables(name, tmp_path):
    """To the last character of what is read."""
    case = CASES[name]
    for plan, table in zip(vectors.plans()[name], case["tables"], strict=True):
        told = ml.export(
            plan, tmp_path / "t.json", hashed=bytes.fromhex(case["hash_key"]) if "hash_key" in case else None
        )
        assert json.loads((tmp_path / "t.json").read_text()) == table
        assert (told.digest, told.lineage) == (table["digest"], table["lineage"])


@pytest.mark.parametrize("name", vectors.plans())
def test_the_library_draws_them(name):
    """Every set of every vector, in its order, by `Cloak`; a plan with hashed labels is one with other labels."""
    case = CASES[name]
    held = {}
    for plan, table in zip(vectors.plans()[name], case["tables"], strict=True):
        held[table["lineage"]] = plan if "hash_key" not in case else hash_plan(plan, table)
    cloaks = {key: ml.Cloak(list(held.values()), key=key) for key in vectors.KEYS}
    for draw in case["draws"]:
        plan = held[draw["lineage"]]
        secret = draw["secret"] if isinstance(plan.prior.labels[0], str) else int(draw["secret"])
        if "hash_key" in case:
            label = vectors.in_bytes(int(secret) if name == "hashed numbers" else secret)
            secret = vectors.hash_label(bytes.fromhex(case["hash_key"]), label)
        cloak = cloaks[bytes.fromhex(draw["key"])]
        found = cloak.draw(secret, scope=draw["scope"], lineage=plan.lineage)
        assert list(map(str, found)) == draw["set"]


def hash_plan(plan, table):
    """The same plan over hashes, known by the lineage of the table."""
    if len(plan.parts) > 1:
        done, parts = 0, []
        for part in plan.parts:
            some = {"secrets": table["secrets"][done:], "lineage": table["lineage"]}
            parts.append(hash_plan(part, some))
            done += len(part.prior)
        labels = [label for part in parts for label in part.prior.labels]
        ledger = replace(plan.ledger, labels=ml.Prior([1] * len(labels), labels=labels).labels)
        return replace(plan, _parts=tuple(parts), ledger=ledger)
    labels = [label for label, _ in table["secrets"][: len(plan.prior)]]
    prior = ml.Prior(plan.prior.weights, labels=labels)
    return replace(plan, prior=prior, known_as=bytes.fromhex(table["lineage"]))


def test_scopes_that_name_nobody():
    """The page's list is the library's."""
    assert all(scope_problem(scope) for scope in vectors.REFUSED_SCOPES)
