"""What is refused, where, and in which words."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pytest
from tests.scale.priors import given, segments

import minleak as ml
from minleak import scale
from minleak.errors import InvalidKey, InvalidParameter, InvalidPrior, MissingExtra, UnreadableFile

GOOD = pa.table({"secret": ["a", "b", "c"], "count": [3, 2, 1]})


def with_counts(counts, **more):
    return pa.table({"secret": ["a", "b", "c"], "count": pa.array(counts, **more)})


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (with_counts([3.0, 2.0, 1.0]), "must be integers"),
        (with_counts(["3", "2", "one"]), "1 rows have no whole number in 'count'"),
        (with_counts(["3", "2", "1.0"]), "1 rows have no whole number"),
        (with_counts(["3", "2", "-1"]), "1 rows have no whole number"),
        (with_counts([3, None, 1]), "1 rows have no whole number"),
        (with_counts([3, 2, -1]), "1 weights in 'count' are negative"),
        (with_counts([0, 0, 0]), "all weights are zero"),
        (pa.table({"secret": ["a", None], "count": [1, 2]}), "1 rows have no secret in 'secret'"),
        (pa.table({"secret": ["a", "b", "a"], "count": [1, 2, 3]}), "1 secrets stand in more than one row"),
        (pa.table({"secret": pa.array([], pa.string()), "count": pa.array([], pa.int64())}), "no rows"),
        (pa.table({"secret": [1.5, 2.5], "count": [1, 2]}), "must be text or integers"),
        (pa.table({"name": ["a"], "count": [1]}), "no column 'secret' among the 2, but 'count'"),
    ],
)
def test_priors(table, words, duckdb, tmp_path):
    """Bad rows are counted, not named."""
    with pytest.raises(InvalidPrior, match=words):
        scale.design(given(duckdb, table, tmp_path), 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"k": 0}, "whole number from 1"),
        ({"k": 2, "layout": "square"}, "unknown layout 'square'"),
        ({"k": 2, "layout": "near"}, "layout='near' needs arguments"),
        ({"k": 2, "layout": ml.Near([1, 2, 3])}, "an engine cannot lay 'near': take stable or circle"),
        ({"k": 2, "layout": GOOD}, "unknown layout Table"),
        ({"k": 2, "rows": 0}, "rows is a whole number"),
        ({"k": 2, "folder": "."}, "exists already"),
    ],
)
def test_parameters(arguments, words):
    with pytest.raises(InvalidParameter, match=words):
        scale.design(GOOD, **arguments)


@pytest.mark.parametrize("homes", [True, False])
def test_layouts_of_ones_own(homes):
    """An engine lays every layout that says how, by that alone."""

    class Mine(ml.Stable):
        name = "mine"
        homes_in_engine = homes

    plan = scale.design(GOOD, 2, layout=Mine())
    assert plan.header.layout == "mine"
    assert (plan.at_home > 0) == homes
    assert segments(plan) == segments(scale.design(GOOD, 2, layout="stable" if homes else "circle"))
    assert scale.certify(plan, GOOD)


def test_totals_beyond_64_bits():
    """Sums pass 64 bits without going round, and are refused; just below the bound they are exact."""
    with pytest.raises(InvalidParameter, match=rf"the total weight {3 * 2**62} times k = 2 passes 2\^62"):
        scale.design(with_counts([2**62] * 3), 2)
    plan = scale.design(with_counts([2**60, 2**59, 2**59]), 2)
    assert plan.exact_target == ml.design([2**60, 2**59, 2**59], 2).exact_target
    assert scale.certify(plan, with_counts([2**60, 2**59, 2**59]))


@pytest.mark.parametrize("column", ["secret", "count"])
def test_integers_beyond_64_bits(column, duckdb, tmp_path):
    """They are refused, without the number: it may be a secret."""
    large = {"secret": [1, 2], "count": [3, 4]} | {column: pa.array([2**63 + 5, 2], pa.uint64())}
    with pytest.raises((UnreadableFile, InvalidPrior)) as refused:
        scale.design(given(duckdb, pa.table(large), tmp_path), 2)
    assert str(2**63 + 5) not in str(refused.value)


def test_text_counts_keep_large_numbers():
    """Counts written in digits stay exact."""
    assert scale.design(with_counts(["100000000000000001", "2", "1"]), 2).header.total == 100000000000000004


def test_engines(duckdb):
    with pytest.raises(InvalidParameter, match="unknown engine 'abacus'"):
        scale.connect("abacus")
    with pytest.raises(InvalidParameter, match="memory_limit is for DuckDB, not for Spark"):
        scale.connect("spark", memory_limit="1GB")
    with pytest.raises(InvalidParameter, match="does not start so"):
        scale.connect("duckdb", memory_limit="much")
    with pytest.raises(InvalidParameter, match="no DuckDB database"):
        scale.connect("duckdb", database="no/such.duckdb")
    with pytest.raises(InvalidParameter, match="not list"):
        scale.design([1, 2, 3], 2)
    with pytest.raises(InvalidParameter, match=r"Ibis cannot take this table \(IbisInputError\)"):
        scale.design(pd.DataFrame([["a", 1]], columns=["secret", "secret"]), 2)
    with pytest.raises(InvalidParameter, match=r"tables live in one of duckdb, spark here .*, not in sqlite"):
        scale.read(__file__, format="lines", engine=SimpleNamespace(name="sqlite"))


def test_no_progress_bar(duckdb):
    """Long queries must not write among what commands print."""
    assert duckdb.raw_sql("SELECT current_setting('enable_progress_bar')").fetchall() == [(False,)]


def test_two_connections(duckdb, tmp_path):
    """Tables of two connections cannot be joined, which is said before an engine fails."""
    plan = scale.design(given(duckdb, GOOD, tmp_path), 2)
    other = given(scale.connect(), GOOD, tmp_path)
    with pytest.raises(InvalidParameter, match="different connections"):
        scale.certify(plan, other)


@pytest.mark.parametrize(("engine", "extra"), [("duckdb", "data"), ("spark", "spark")])
def test_missing_extras(engine, extra, monkeypatch):
    """What is not installed is named with the command that installs it."""
    module = {"duckdb": "ibis", "spark": "pyspark.sql"}[engine]
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"pip install '\.\[{extra}\]'"):
        scale.connect(engine)


def test_files(tmp_path, duckdb):
    with pytest.raises(UnreadableFile, match="neither Parquet"):
        scale.read(tmp_path)
    (tmp_path / "broken.parquet").write_text("no")
    with pytest.raises(UnreadableFile, match=r"cannot read .*broken\.parquet"):
        scale.read(tmp_path / "broken.parquet")
    with pytest.raises(UnreadableFile, match="no database"):
        scale.read(tmp_path / "broken.parquet", table="t")
    with pytest.raises(UnreadableFile, match="has no table 'nothing'"):
        scale.read(table="nothing", engine=duckdb)
    with pytest.raises(UnreadableFile, match="say the path"):
        scale.read()
    with pytest.raises(UnreadableFile, match="without null bytes"):
        scale.read("a\0b")
    (tmp_path / "days").mkdir()
    (tmp_path / "days" / "1.csv").write_text("secret,count\na,1\n")
    (tmp_path / "days" / "2.csv").write_bytes(b"secret,count\na,1\nb,2\r\nc,3\n")
    with pytest.raises(UnreadableFile, match=r"cannot read .*days.*: line ends of one kind and 2 columns in each row"):
        scale.read(tmp_path / "days")
    (tmp_path / "days" / "3.csv").mkdir()
    with pytest.raises(UnreadableFile, match=r"3\.csv is no file"):
        scale.read(tmp_path / "days")


def test_database(tmp_path):
    """A table of a DuckDB file is read, and the file is not changed."""
    import duckdb

    path = tmp_path / "counts.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE counts AS SELECT 's' || i AS secret, i AS count FROM range(1, 50) t(i)")
    before = path.read_bytes()
    plan = scale.design(scale.read(path, table="counts"), 4)
    assert plan.exact_target == ml.design(list(range(1, 50)), 4).exact_target
    assert scale.read(path, table="counts", engine=scale.connect()).count().execute() == 49
    assert path.read_bytes() == before
    with pytest.raises(UnreadableFile, match="say which table"):
        scale.read(path)
    with pytest.raises(UnreadableFile, match="has no table 'prices'"):
        scale.read(path, table="prices")


def test_folders(tmp_path):
    """What is no plan is refused; a plan is not overwritten, and nothing is left where writing fails."""
    plan = scale.design(GOOD, 2, folder=tmp_path / "plan")
    with pytest.raises(InvalidParameter, match="exists already"):
        plan.save(tmp_path / "plan")
    with pytest.raises(InvalidParameter, match="cannot write"):
        plan.save(tmp_path / "no" / "plan")
    with pytest.raises(UnreadableFile, match="not the folder of a plan"):
        scale.load(tmp_path)
    (tmp_path / "plan" / "header.json").write_text('{"format": "another"}')
    with pytest.raises(UnreadableFile, match="not the header of a plan"):
        scale.load(tmp_path / "plan")
    assert {path.name for path in tmp_path.iterdir()} == {"plan"}


def test_events(duckdb, tmp_path):
    key = ml.Key(bytes(32))
    plan = scale.design(given(duckdb, GOOD, tmp_path), 2)
    for events, words in [
        ({"secret": ["a"]}, "no column 'scope'"),
        ({"secret": ["a"], "scope": ["u"], "set": [1]}, "column 'set' already"),
        ({"secret": [1], "scope": ["u"]}, "secrets are text"),
        ({"secret": ["a"], "scope": [1]}, "scopes are text or bytes"),
        ({"secret": ["a", "b"], "scope": ["u", None]}, "no scope"),
        ({"secret": ["a", "b"], "scope": ["u", " "]}, "no scope"),
        ({"secret": ["a", "b"], "scope": [b"u", b""]}, "no scope"),
        *(
            ({"secret": ["a", "b"], "scope": ["u", scope]}, "no scope that names somebody")
            for scope in ("None", "nan", "\u200b", "\0", "ann\0")
        ),
    ]:
        with pytest.raises(InvalidParameter, match=words):
            scale.cloak(plan, given(duckdb, pa.table(events), tmp_path), key=key)
    events = given(duckdb, pa.table({"secret": ["a"], "scope": ["u"]}), tmp_path)
    for columns, words in (({"scope": "secret"}, "both name the column"), ({"observable": ""}, "a new column")):
        with pytest.raises(InvalidParameter, match=words):
            scale.cloak(plan, events, key=key, **columns)
    key.save(tmp_path / "events.key")
    stored = [scale.cloak(plan, events, key=one).to_pyarrow() for one in (key, tmp_path / "events.key")]
    assert stored[0] == stored[1]
    with pytest.raises(InvalidKey, match="a key is a Key"):
        scale.cloak(plan, given(duckdb, GOOD, tmp_path), key=b"x" * 32)


def test_audits():
    events = pa.table({"secret": ["a", "b"], "observable": ["x", None]})
    with pytest.raises(InvalidParameter, match="1 events have no secret, no observable"):
        scale.audit(events)
    good = pa.table({"secret": ["a", "b"] * 50, "observable": ["x", "y"] * 50})
    for arguments, words in [
        ({"permutations": 9}, "take at least 99"),
        ({"level": 1.0}, "level is between 0 and 1"),
        ({"alpha": float("nan")}, "alpha is between 0 and 1"),
        ({"permutations": 0}, "permutations is a whole number"),
        ({"observable": []}, "observable is the name of a column"),
        ({"blocks": "hour"}, "no column 'hour'"),
        ({"numeric": True}, "spells no numbers"),
        ({"attack": "nearest"}, "numbers"),
        ({"measures": "shannon"}, "list of entropies"),
        ({"measures": [ml.Gain(ml.Shannon(), [1, 2])]}, "gains belong"),
        ({"limit": 1}, "more than 1 different pairs"),
        ({"observable": "size"}, "no column 'size'"),
    ]:
        with pytest.raises(InvalidParameter, match=words):
            scale.audit(good, **arguments)
    with pytest.raises(InvalidParameter, match="no events"):
        scale.audit(good.slice(0, 0))


def test_damaged_segments(duckdb, tmp_path):
    """A plan in memory is not made of segments that do not fit their header."""
    plan = scale.design(given(duckdb, GOOD, tmp_path), 2)
    rows = segments(plan)
    schema = pa.Table.from_pylist(rows).schema
    moved = [row | {"position": row["position"] + 100} for row in rows]
    for changed in (rows[:-1], rows[:1], [], [*rows[:-1], rows[-1] | {"weight": None}], moved):
        cut = scale.WarehousePlan(given(duckdb, pa.Table.from_pylist(changed, schema), tmp_path), plan.header)
        with pytest.raises(UnreadableFile, match="damaged"):
            scale.to_plan(cut)
    with pytest.raises(UnreadableFile, match="have no column 'ring'"):
        scale.to_plan(scale.WarehousePlan(plan.table.drop("ring"), plan.header))
    with pytest.raises(InvalidParameter, match="plans with gains are made in memory"):
        plan.entropy(ml.Gain(ml.Shannon(), [1, 1, 1]))
