"""Files as they come: reordered columns, quotes, folders of several kinds, damaged plans; no refusal names a secret."""

from __future__ import annotations

import gzip
import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.scale.conftest import needs_java
from tests.scale.priors import given, segments

import minleak as ml
from minleak import scale
from minleak.errors import InvalidParameter, MinleakWarning, UnreadableFile

PRIOR = pa.table({"secret": ["hidden-a", "hidden-b", "hidden-c", "hidden-d"], "count": [90, 3, 2, 1]})


@pytest.fixture
def plan(tmp_path):
    """The folder of a plan with one giant."""
    scale.design(PRIOR, 2, folder=tmp_path / "plan")
    return tmp_path / "plan"


def refused(action, *words):
    """What the refusal says: one line, without a secret, and without what the engine said."""
    with pytest.raises(UnreadableFile) as caught:
        action()
    said = str(caught.value)
    assert "hidden" not in said
    assert "\n" not in said
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    for word in words:
        assert word in said
    return said


def rows(table):
    return sorted(tuple(row.values()) for row in table.to_pyarrow().to_pylist())


@pytest.mark.parametrize("name", ["g[1]", "a*b", "what?", "{x,y}"])
def test_patterns_in_names(backend, name, tmp_path):
    """Names of folders are names, not patterns."""
    made = scale.design(PRIOR, 2, folder=tmp_path / name)
    assert rows(scale.load(tmp_path / name, engine=backend).table) == rows(made.table)
    (tmp_path / "data").mkdir()
    pq.write_table(PRIOR, tmp_path / "data" / "1.parquet")
    (tmp_path / "data").rename(tmp_path / f"data {name}")
    assert len(rows(scale.read(tmp_path / f"data {name}", engine=backend))) == 4


@pytest.mark.parametrize(
    "change",
    [
        {"k": "2"},
        {"k": True},
        {"k": 0},
        {"k": 5},
        {"k": 3},
        {"n": 0},
        {"length": "3"},
        {"length": -1},
        {"tail": 5},
        {"total": 96.0},
        {"u": 2},
        {"layout": 7},
        {"digest": "zz"},
        {"digest": None},
        {"is_text": False},
        {"is_text": 1},
        {"giants": None},
        {"giants": 3},
        {"giants": ["hidden-a"]},
        {"giants": [["hidden-a", "90"]]},
        {"giants": [["hidden-a", 90.0]]},
        {"giants": [[["hidden-a"], 90]]},
        {"giants": [[7, 90]]},
        {"giants": []},
        {"more": 1},
    ],
)
def test_headers(plan, change):
    """Values of wrong types, and such as do not fit each other."""
    header = json.loads((plan / "header.json").read_text())
    (plan / "header.json").write_text(json.dumps(header | change))
    refused(lambda: scale.load(plan), str(plan), "not the header of a plan")


def test_the_type_of_the_secrets(tmp_path):
    """Text is not cast to integers, which would fail at the first of them."""
    level = pa.table({"secret": ["hidden-a", "hidden-b", "hidden-c", "hidden-d"], "count": [1, 1, 1, 1]})
    scale.design(level, 2, folder=tmp_path / "plan")
    file = tmp_path / "plan" / "header.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"is_text": False}))
    refused(lambda: scale.load(tmp_path / "plan"), str(tmp_path / "plan"), "'secret' is string")


def test_starts_are_exact(tmp_path):
    """Starts beyond 2^53 are written as integers; floats are read where they can only be whole."""
    prior = pa.table({"secret": [f"s{i}" for i in range(9)], "count": [2**56 + 7 * i + 1 for i in range(9)]})
    written = scale.design(prior, 3, folder=tmp_path / "plan")
    assert segments(written) == segments(scale.design(prior, 3))
    assert scale.certify(written, prior)
    small = segments(scale.design(PRIOR, 2, folder=tmp_path / "small"))
    for name in ("plan", "small"):
        for file in (tmp_path / name / "segments").iterdir():
            table = pq.read_table(file)
            assert table.schema.field("start").type == pa.int64()
            place = table.schema.get_field_index("start")
            pq.write_table(table.set_column(place, "start", table["start"].cast("float64", safe=False)), file)
    assert segments(scale.load(tmp_path / "small")) == small
    refused(lambda: scale.load(tmp_path / "plan"), "'start' is float64")


def test_damaged_folders(backend, plan):
    """Files that are cut, changed or gone."""
    file = next((plan / "segments").glob("*.parquet"))
    whole = file.read_bytes()
    file.write_bytes(whole[:-9])
    refused(lambda: scale.load(plan, engine=backend), str(plan), "is damaged")
    file.write_bytes(whole)
    pq.write_table(pa.table({"secret": ["hidden-x"]}), plan / "segments" / "more.parquet")
    refused(lambda: scale.load(plan, engine=backend), str(plan), "different columns")
    shutil.rmtree(plan / "segments")
    refused(lambda: scale.load(plan, engine=backend), str(plan), "segments: there is no such file or folder")


def test_damaged_pages(plan):
    """A file whose end is whole is opened, and refused where its rows are read."""
    file = next((plan / "segments").glob("*.parquet"))
    whole = file.read_bytes()
    middle = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")  # where the footer begins
    file.write_bytes(whole[:4] + b"\xff" * (middle - 4) + whole[middle:])
    refused(lambda: scale.certify(scale.load(plan), PRIOR), "the engine could not read the data (")


def test_quotes(backend, tmp_path):
    """Single quotes and # belong to labels; quoted labels may have line breaks, delimiters and doubled quotes."""
    content = "secret,count\n'w1',3\n'w2',2\n#w3,1\n" + '"line\nbreak",1\n"a, ""b""",1\n'
    (tmp_path / "a.csv").write_text(content)
    labels = ["'w1'", "'w2'", "#w3", "line\nbreak", 'a, "b"']
    assert rows(scale.read(tmp_path / "a.csv", engine=backend)) == sorted(zip(labels, "32111", strict=True))


def test_reordered_columns(duckdb, tmp_path):
    """DuckDB goes by names."""
    (tmp_path / "a.csv").write_text("secret,count\nx,1\n")
    (tmp_path / "b.CSV").write_text("count,secret\n2,y\n")
    assert rows(scale.read(tmp_path, engine=duckdb)) == [("x", "1"), ("y", "2")]
    (tmp_path / "c.csv").write_text("hidden-a,3\n")
    refused(lambda: scale.read(tmp_path, engine=duckdb), "a.csv", "c.csv", "different columns")


@needs_java
@pytest.mark.xdist_group("spark")
def test_reordered_columns_in_spark(spark, tmp_path):
    """Spark goes by places, so that it is not given such files."""
    (tmp_path / "a.csv").write_text("secret,count\nx,1\n")
    (tmp_path / "b.CSV").write_text("secret,count\ny,2\n")
    (tmp_path / "notes.txt").write_text("no rows")
    assert rows(scale.read(tmp_path, engine=spark)) == [("x", "1"), ("y", "2")]
    (tmp_path / "b.CSV").write_text("count,secret\n2,hidden-y\n")
    refused(lambda: scale.read(tmp_path, engine=spark), "a.csv", "b.CSV", "in another order")


@pytest.mark.parametrize("other", ["b.tsv", "b.parquet", "b.tab.gz"])
def test_mixed_folders(other, duckdb, tmp_path):
    (tmp_path / "a.csv").write_text("secret,count\nx,1\n")
    (tmp_path / other).write_bytes(b"")
    refused(lambda: scale.read(tmp_path, engine=duckdb), "a.csv", other, "several kinds")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"\nsecret,count\nx,1\n", "first line"),
        ("a.csv", b"", "first line"),
        ("a.csv", b"secret,count\nhidden\xff,1\n", "no text in UTF-8"),
        ("a.csv.gz", b"\x1f\x8b\x08", "damaged"),
        ("a.csv.gz", b"secret,count", "damaged"),
    ],
)
def test_unreadable_text(name, content, words, duckdb, tmp_path):
    (tmp_path / name).write_bytes(content)
    refused(lambda: scale.read(tmp_path / name, engine=duckdb), name, words)


def test_lines_far_below(duckdb, tmp_path):
    """A bad line is named by its number alone."""
    lines = ["secret,count", *(f"s{i},{i}" for i in range(60_000)), "hidden-z", "t,1"]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    refused(lambda: scale.design(scale.read(tmp_path / "a.csv", engine=duckdb), 2), "look at line 60002")


def test_words_of_the_engine(duckdb, tmp_path):
    """What an engine says of its data or of a query is not passed on: it may hold a secret."""
    import ibis

    from minleak.scale._tables import engine_of

    table = given(duckdb, pa.table({"secret": ["hidden-a"]}), tmp_path)
    cast = table.select(number=table.secret.cast("int64"))
    for action in (engine_of(table).rows, engine_of(table).row, engine_of(table).keep):
        said = refused(lambda action=action: action(cast), "ConversionException")
        assert said == "the engine could not read the data (ConversionException)"
    with pytest.raises(InvalidParameter, match=r"cannot do this \(CatalogException\)"):
        engine_of(table).rows(ibis.table({"a": "int64"}, name="nowhere"))


# -- lines: a log of one secret each ---------------------------------------------------------------------------------


def test_lines(backend, tmp_path):
    """As read in memory: nothing but the line ends and empty lines is taken off, and rows are counted."""
    lines = ['"hidden, a', "", " b ", "", " b ", "#c", "Zürich\t'x'", "\x1f", "007", *["d"] * 200]
    (tmp_path / "hidden.log").write_bytes(("\ufeff" + "\r\n".join(lines) + "\r\n").encode())
    table = scale.read(tmp_path / "hidden.log", engine=backend)
    assert sorted(table.to_pyarrow()["secret"].to_pylist()) == sorted(line for line in lines if line)
    whole = scale.to_plan(scale.design(table, 3, weight=None))
    with pytest.warns(MinleakWarning, match="2 blank lines"):
        memory = ml.read_prior(tmp_path / "hidden.log")
    assert dict(zip(whole.prior.labels, whole.weights.tolist(), strict=True)) == dict(
        zip(memory.labels, memory.weights.tolist(), strict=True)
    )
    assert whole.prior.events == memory.events == 207


def test_lines_in_other_files(tmp_path):
    """By the format, in .gz, and in a folder."""
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "one.txt").write_text("a\nb\n")
    (folder / "two.txt.gz").write_bytes(gzip.compress(b"c\n"))
    assert rows(scale.read(folder, format="lines")) == [("a",), ("b",), ("c",)]
    refused(lambda: scale.read(folder), "nor lines (.log)")
    refused(lambda: scale.read(folder, format="uniq"), "an engine reads parquet, csv, tsv, lines")


@pytest.mark.parametrize(
    ("content", "words"), [(b"hidden\0b\0", "NUL bytes"), (b"hidden\r\nb\nc\r\n", "do not all end alike")]
)
def test_lines_that_are_none(content, words, tmp_path):
    """Refused, not read as something else."""
    (tmp_path / "x.log").write_bytes(content)
    refused(lambda: scale.design(scale.read(tmp_path / "x.log"), 2, weight=None), words)
    (tmp_path / "x.log.gz").write_bytes(b"no gzip")
    refused(lambda: scale.read(tmp_path / "x.log.gz"), "damaged")
