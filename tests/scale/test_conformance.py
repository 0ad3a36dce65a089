"""One suite for all engines: the same plan, certified twice, the same sets as the cloak's, the same audit."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.scale.conftest import IN_SPARK
from tests.scale.priors import PRIORS, ROWS, K, given, in_memory, segments

import minleak as ml
from minleak import scale
from minleak.scale._engines import ENGINES

KEY = ml.Key(bytes(range(32)))
# Text and integers, both layouts; Spark takes seconds for each.
CASES = [
    ("duckdb", "heavy tail", "circle"),
    ("duckdb", "heavy tail", "stable"),
    ("duckdb", "integers", "stable"),
    ("duckdb", "spread", "circle"),
    pytest.param("spark", "heavy tail", "stable", marks=IN_SPARK),
    pytest.param("spark", "integers", "circle", marks=IN_SPARK),
]


def test_every_engine_is_tested():
    """Add a fixture of its name in conftest.py, to `backend` there, and cases above."""
    tested = {getattr(case, "values", case)[0] for case in CASES}
    assert tested == set(ENGINES)


@pytest.mark.parametrize(("engine", "name", "layout"), CASES)
def test_the_plan(engine, name, layout, made, request, tmp_path):
    """The target is that of the design in memory, exactly; both certificates hold; all engines make the same plan."""
    prior, duckdb = PRIORS[name], request.getfixturevalue("duckdb")
    table, plan = made(request.getfixturevalue(engine), name, layout)
    assert plan.exact_target == ml.design(in_memory(prior), K, layout=layout).exact_target
    assert scale.certify(plan, table)
    whole = scale.to_plan(plan)
    assert ml.certify(whole, whole.prior)
    assert dict(zip(whole.prior.labels, whole.weights.tolist(), strict=True)) == dict(
        zip(prior["secret"].to_pylist(), prior["count"].to_pylist(), strict=True)
    )
    if engine != "duckdb":  # and rows in another order, in the other engine
        shuffled = prior.take(np.random.default_rng(0).permutation(len(prior)))
        other = scale.design(given(duckdb, shuffled, tmp_path), K, layout=layout, rows=ROWS)
        assert plan.header == other.header
        assert segments(plan) == segments(other)


@pytest.mark.parametrize(("engine", "name", "layout"), CASES)
def test_the_sets_are_those_of_the_cloak(engine, name, layout, made, request, tmp_path):
    """Every event gets the set that the cloak in memory draws for the same key, scope and secret."""
    prior, backend = PRIORS[name], request.getfixturevalue(engine)
    plan = made(backend, name, layout)[1]
    rng = np.random.default_rng(3)
    n = len(prior)
    places = np.concatenate([np.arange(n), np.full(60, n - 1)])  # everybody, and the heaviest again and again
    events = pa.table(
        {
            "secret": prior["secret"].take(places),
            "scope": [f"user {i}" for i in rng.integers(0, 40, len(places))],
            "event": np.arange(len(places)),
        }
    )
    drawn = scale.cloak(plan, given(backend, events, tmp_path), key=KEY, keep_secret=True).to_pyarrow().to_pylist()
    assert sorted(row["event"] for row in drawn) == list(range(len(places)))
    cloak = ml.Cloak(scale.to_plan(plan), key=KEY)
    assert {len(row["set"]) for row in drawn} <= set(range(1, K + 1))
    for row in drawn:
        assert tuple(row["set"]) == cloak.draw(row["secret"], scope=row["scope"])


def test_everything_in_one_set(backend, tmp_path):
    """Fewer positive secrets than k: nothing leaks, and zeros fill up the set."""
    prior = pa.table({"secret": list("abcdef"), "count": [5, 1, 0, 0, 0, 0]})
    plan = scale.design(given(backend, prior, tmp_path), 3)
    assert plan.header.tail == 0
    assert scale.certify(plan)
    events = pa.table({"secret": list("abcdef"), "scope": ["u"] * 6})
    drawn = scale.cloak(plan, given(backend, events, tmp_path), key=KEY, keep_secret=True).to_pyarrow().to_pylist()
    cloak = ml.Cloak(scale.to_plan(plan), key=KEY)
    assert all(tuple(row["set"]) == cloak.draw(row["secret"], scope="u") for row in drawn)


def test_a_log_of_events(duckdb, tmp_path):
    """Without a weight, rows are counted; in Spark too, as test_lines sees."""
    log = pa.table({"secret": ["a", "b", "a", "c", "a", "b"]})
    table = given(duckdb, log, tmp_path)
    plan = scale.design(table, 2, weight=None)
    assert plan.exact_target == ml.design([3, 2, 1], 2).exact_target
    assert scale.certify(plan, table, weight=None)


def test_the_folder(backend, duckdb, tmp_path):
    """A plan written by one engine is read by the other, and becomes a .cloak file that draws the same sets."""
    prior = PRIORS["heavy tail"]
    made = scale.design(given(backend, prior, tmp_path), K, rows=ROWS, folder=tmp_path / "plan")
    read = scale.load(tmp_path / "plan", engine=duckdb)
    assert read.header == made.header
    assert segments(read) == segments(made)
    scale.to_plan(read).save(tmp_path / "plan.cloak")
    cloak, stored = (ml.Cloak(p, key=KEY) for p in (scale.to_plan(made), ml.load(tmp_path / "plan.cloak")))
    assert all(cloak.draw(s, scope="u") == stored.draw(s, scope="u") for s in prior["secret"].to_pylist())
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_separated_values(backend, tmp_path):
    """A folder of CSV files: secrets stay text, and so do counts, which a design takes."""
    folder = tmp_path / "counts"
    folder.mkdir()
    (folder / "a.csv").write_text('secret,count\n007,3\n"a,""b""",4\n')
    (folder / "b.csv").write_text("secret,count\n7,5\n")
    table = scale.read(folder, engine=backend)
    assert dict(zip(*table.to_pyarrow().to_pydict().values(), strict=True)) == {"007": "3", 'a,"b"': "4", "7": "5"}
    if backend.name == "duckdb":  # Spark does so in test_the_command_line
        assert scale.design(table, 2).header.total == 12


def test_audit(backend, tmp_path):
    """Counts made in the engine are audited as those in memory, in all engines the same."""
    rng = np.random.default_rng(4)
    x = rng.integers(0, 5, 4000)
    y = np.where(rng.random(4000) < 0.3, x, rng.integers(0, 6, 4000))
    events = given(backend, pa.table({"secret": x, "observable": y}), tmp_path)
    found = scale.audit(events, permutations=99)
    joint = np.full((5, 6), 0.7 / 30) + 0.3 / 5 * np.eye(5, 6)
    assert found.success.low <= joint.max(axis=0).sum() <= found.success.high
    truth = ml.leakage(joint.sum(axis=1), joint / joint.sum(axis=1, keepdims=True), "shannon")
    assert found["shannon"].low <= truth
    assert found.rejected
    assert (found.events, found.observables) == (4000, 6)
    in_order = scale.audit(pa.table({"secret": x, "observable": y}), permutations=99)
    assert found == in_order
