"""Exported tables, and the runtime of the standard library that draws from them what a cloak draws."""

import csv
import json
import sqlite3

import pytest
from tests.abilities.names import Cloak, Key, design, export, lineage_of, runtime_draw

COUNTS = {"flu": 5, "cold": 4, "gout": 3, "mumps": 2, "ague": 1, "scurvy": 1}
KEY = bytes(range(32))


@pytest.mark.parametrize("ending", ["json", "sqlite"])
@pytest.mark.parametrize("layout", ["stable", "blocks"])
def test_runtime(layout, ending, tmp_path):
    plan, path = design(COUNTS, 3, layout=layout), tmp_path / f"table.{ending}"
    assert export(plan, path).secrets == 6
    cloak = Cloak(plan, key=Key(KEY))
    for name in COUNTS:
        assert runtime_draw(path, name, scope="ann", key=KEY) == cloak.draw(name, scope="ann")


def test_what_tables_hold(tmp_path):
    plan = design(COUNTS, 3)
    for ending in ("json", "sqlite", "csv"):
        export(plan, tmp_path / f"table.{ending}")
    table = json.loads((tmp_path / "table.json").read_text())
    assert [name for name, _ in table["secrets"]] == [*COUNTS]
    assert table["lineage"] == lineage_of(plan).hex()
    with sqlite3.connect(tmp_path / "table.sqlite") as base:
        tables = {name for (name,) in base.execute("select name from sqlite_master where type = 'table'")}
    assert {"secrets", "sets"} <= tables
    with open(tmp_path / "table.csv") as file:
        assert {name for row in csv.reader(file) for name in row} >= set(COUNTS)


def test_hashed_labels(tmp_path):
    hash_key = bytes(range(32, 64))
    export(design(COUNTS, 3), tmp_path / "hashed.json", hashed=Key(hash_key))
    text = (tmp_path / "hashed.json").read_text()
    assert not any(name in text for name in COUNTS)
    listed = {label for label, _ in json.loads(text)["secrets"]}
    shown = runtime_draw(tmp_path / "hashed.json", "mumps", scope="ann", key=KEY, hash_key=hash_key)
    assert (len(listed), len(shown), set(shown) <= listed) == (6, 3, True)
