"""Paths as they come: each names one file or folder, whatever is in it, for reading and for writing."""

from __future__ import annotations

import gzip
import os

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.scale.conftest import needs_java
from tests.scale.priors import segments

from minleak import Key, scale
from minleak.errors import InvalidParameter, UnreadableFile

PRIOR = pa.table({"secret": [f"s{i}" for i in range(9)], "count": [90, 9, 8, 7, 6, 5, 4, 3, 2]})
NAMES = ["x[12]", "da*", "q?", "a]b", "'", '"', "'\"", "t\tb", "n\nl", "{a,b}", "a\\b", "~", "w[!a]", "-", "a b", "%41"]


def secrets_in(path, backend):
    return sorted(scale.read(path, engine=backend).to_pyarrow()["secret"].to_pylist())


def write_each(folder, names):
    """In each file its own name, as csv and as Parquet."""
    for name in names:
        (folder / f"{name}.csv").write_text('secret,count\n"{}",1\n'.format(name.replace('"', '""')))
        pq.write_table(pa.table({"secret": [name], "count": [1]}), folder / f"{name}.parquet")


def test_names_are_no_patterns(duckdb, tmp_path):
    """Of files whose names, as patterns, are those of others."""
    others = ["x1", "x2", "dab", "da", "qa", "wb", "a", "b"]
    write_each(tmp_path, [name for name in NAMES if "\\" not in name] + others)
    for name in NAMES:
        if "\\" not in name:
            assert secrets_in(tmp_path / f"{name}.csv", duckdb) == [name]
            assert secrets_in(tmp_path / f"{name}.parquet", duckdb) == [name]


def test_backslashes(duckdb, tmp_path):
    """They are read; where DuckDB cannot tell a pattern beside them, it is refused and nothing else is read."""
    write_each(tmp_path, ["a\\b", "\\", "x[1]", "x1"])
    assert secrets_in(tmp_path / "a\\b.csv", duckdb) == ["a\\b"]
    with pytest.raises(UnreadableFile, match="rename it"):
        scale.read(tmp_path / "x[1].csv", engine=duckdb)


@needs_java
@pytest.mark.xdist_group("spark")
def test_names_in_spark(spark, tmp_path):
    write_each(tmp_path, [*NAMES, "x1", "a", "_hidden"])
    for name in ("x[12]", "{a,b}", "a\\b", "'\"", "n\nl"):
        assert secrets_in(tmp_path / f"{name}.csv", spark) == [name]
    assert secrets_in(tmp_path / "x[12].parquet", spark) == ["x[12]"]
    with pytest.raises(UnreadableFile, match="must not begin with"):
        scale.read(tmp_path / "_hidden.csv", engine=spark)


@pytest.fixture(scope="module")
def made():
    return scale.design(PRIOR, 3)


@pytest.mark.parametrize("name", [*NAMES, "weight=9", "count=7"])
def test_plans_under_any_name(name, made, tmp_path):
    """Written and loaded: folders add no column, and quotes end no query."""
    (tmp_path / name).mkdir()
    if "\\" in name:  # DuckDB would make folders of it
        with pytest.raises(InvalidParameter, match="backslash"):
            made.save(tmp_path / name / name)
        return
    made.save(tmp_path / name / name)
    assert segments(scale.load(tmp_path / name / name)) == segments(made)


def test_no_query_in_a_path(tmp_path, monkeypatch):
    """A name that ends its own quotes and goes on with a query of its own."""
    monkeypatch.chdir(tmp_path)
    name = "p\"' (FORMAT csv); COPY (SELECT 1) TO 'stolen.csv' (FORMAT csv) --"
    scale.design(PRIOR, 3, folder=name)
    assert os.listdir() == [name]
    assert scale.certify(scale.load(name), PRIOR)


def test_folders_add_no_columns(backend, tmp_path):
    folder = tmp_path / "count=7"
    folder.mkdir()
    write_each(folder, ["a"])
    for ending, one in (("csv", "1"), ("parquet", 1)):
        found = scale.read(folder / f"a.{ending}", engine=backend).to_pyarrow().to_pylist()
        assert found == [{"secret": "a", "count": one}]


def test_links_are_followed_first(duckdb, tmp_path):
    """`..` after a link goes to the parent of what it leads to."""
    (tmp_path / "far" / "in").mkdir(parents=True)
    write_each(tmp_path / "far", ["a"])
    (tmp_path / "link").symlink_to(tmp_path / "far" / "in")
    assert secrets_in(f"{tmp_path}/link/../a.csv", duckdb) == ["a"]


@pytest.mark.parametrize("header", ["secret,Count,count", "secret,count,count", "Secret,secret,count", "n,N,secret"])
def test_columns_of_one_name(header, duckdb, tmp_path):
    """Engines do not look at case, and would take the first."""
    (tmp_path / "a.csv").write_text(f"{header}\nhidden,1,2\n")
    pq.write_table(pa.Table.from_arrays([pa.array(["hidden"])] * 3, names=header.split(",")), tmp_path / "a.parquet")
    for ending in ("csv", "parquet"):
        with pytest.raises(UnreadableFile, match="have one name, but for case"):
            scale.read(tmp_path / f"a.{ending}", engine=duckdb)


@pytest.mark.parametrize("names", [["secret", "Count", "count"], ["Secret", "secret", "count"], ["n", "N", "secret"]])
def test_columns_of_one_name_in_tables(names, duckdb):
    """As of files: the engine would read `Count` for `count`, whoever asks and whatever kind of table it is."""
    table = pa.Table.from_arrays([pa.array(["hidden", "b"]), pa.array([100, 1]), pa.array([1, 1])], names=names)
    plan = scale.design(PRIOR, 3)
    asked = [
        lambda table: scale.design(table, 2),
        lambda table: scale.certify(plan, table),
        lambda table: scale.cloak(plan, table, key=Key(bytes(32))),
        lambda table: scale.audit(table),
        lambda table: scale.chain(table),
        scale.Spectrum,
    ]
    for ask in asked:
        for kind in (table, table.to_pandas(), ibis.memtable(table)):
            with pytest.raises(InvalidParameter, match="have one name, but for case") as refused:
                ask(kind)
            assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("second", [[7.6], ["7"], pa.array([7], pa.int32())])
def test_types_that_differ(second, duckdb, tmp_path):
    """Floats of a second file would be rounded."""
    pq.write_table(pa.table({"secret": ["a"], "count": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"secret": ["b"], "count": second}), tmp_path / "2.parquet")
    with pytest.raises(UnreadableFile, match="different columns, or types"):
        scale.read(tmp_path, engine=duckdb)


def test_types_that_are_stored_alike(duckdb, tmp_path):
    """Text is text, however Arrow held it."""
    kinds = [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
    for i, kind in enumerate(kinds):
        pq.write_table(pa.table({"secret": pa.array([f"s{i}"]).cast(kind), "count": [1]}), tmp_path / f"{i}.parquet")
    assert secrets_in(tmp_path, duckdb) == ["s0", "s1", "s2"]


@pytest.mark.parametrize("damage", [lambda z: z[:-8] + b"\0\0\0\0" + z[-4:], lambda z: z[:-4] + b"\0\0\0\1"])
def test_checksums_of_gzip(damage, duckdb, tmp_path):
    whole = gzip.compress(b"secret,count\nhidden,1\n")
    for file, content in (("a.csv.gz", whole), ("b.csv.gz", damage(whole))):
        (tmp_path / file).write_bytes(content)
    assert secrets_in(tmp_path / "a.csv.gz", duckdb) == ["hidden"]
    with pytest.raises(UnreadableFile, match=r"b\.csv\.gz: it is damaged"):
        scale.read(tmp_path / "b.csv.gz", engine=duckdb)


@pytest.mark.parametrize(
    ("content", "line"),
    [('"hidden" x,1\ny,2\n', 2), ('y,2\n"hidden,1\nx,2\n', 4), ("y,2\nhidden,1,2\n", 3), ("y,2\nhidden\n", 3)],
)
def test_quotes_out_of_place(content, line, duckdb, tmp_path):
    """The line is said, and how it should be, not the class of the engine's error alone, and no secret."""
    (tmp_path / "a.csv").write_text("secret,count\n" + content)
    with pytest.raises(UnreadableFile, match=f"look at line {line} .* belongs in double quotes") as refused:
        scale.read(tmp_path / "a.csv", engine=duckdb)
    assert "hidden" not in str(refused.value)


@needs_java
@pytest.mark.xdist_group("spark")
def test_rows_of_other_lengths_in_spark(spark, tmp_path):
    """Spark would cut them, or fill them up."""
    (tmp_path / "a.csv").write_text("secret,count\na,1\nhidden,2,3\n")
    with pytest.raises(UnreadableFile) as refused:
        scale.Spectrum(scale.read(tmp_path / "a.csv", engine=spark))
    assert "hidden" not in str(refused.value)
