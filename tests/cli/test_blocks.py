"""Blocks, tables and comparisons from the command line."""

from __future__ import annotations

import csv
import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import minleak as ml


@pytest.fixture
def queries(folder):
    return ml.read_prior("queries.csv")


@pytest.fixture
def blocks(asked, queries):
    """A file of blocks, made by the command."""
    said = asked("design", "queries.csv", "-k", "6", "--layout", "blocks", "-o", "blocks.cloak")
    made = ml.design(queries, 6, layout="blocks")
    assert said["success"] == made.success
    assert said["leakage"]["guesswork"]["loss"] == made.loss("guesswork")
    return made


def test_blocks_through_all_commands(run, asked, blocks):
    """Shown, certified, drawn without a key, and reported on by its summary."""
    assert asked("show", "blocks.cloak")["blocks"] == 7
    code, out, _ = run("show", "blocks.cloak", "-e", "shannon")
    assert (code, "40 secrets in 7 blocks of 6, the smallest of 4" in out) == (0, True)
    assert asked("certify", "blocks.cloak", "queries.csv")["ok"]
    assert asked("certify", "blocks.cloak")["ok"]
    members = list(ml.Cloak(blocks).draw("query-9"))
    for more in ([], ["--fresh"], ["--scope", "s"], ["--key", "queries.key", "--scope", "s"]):
        assert asked("draw", "blocks.cloak", "query-9", *more)["sets"][0]["members"] == members
    assert asked("report", "blocks.cloak", "-o", "r.html")["files"] == ["r.html"]


def read_rows(file):
    """The rows of a table, as each format's own reader gives them; of those that are drawn from, by the page."""
    if file.endswith("csv"):
        with open(file, newline="") as lines:
            rows = [{name: value for name, value in row.items() if name != "table"} for row in csv.DictReader(lines)]
        return [{name: value if name == "secret" else int(value) for name, value in row.items()} for row in rows]
    if file.endswith("parquet"):
        return parquet.read_table(file).to_pylist()
    if file.endswith("json"):
        secrets = json.loads(Path(file).read_text())["secrets"]
    else:
        with closing(sqlite3.connect(file)) as database:
            secrets = database.execute("select secret, places from secrets order by number").fetchall()
    rows = []
    for secret, places in secrets:
        first = 0
        for pair in places.split(";"):
            number, last = map(int, pair.split(" "))
            rows.append({"secret": secret, "set_number": number, "first": first, "last": last})
            first = last + 1
    return rows


@pytest.mark.parametrize("ending", ["csv", "parquet", "json", "sqlite"])
def test_tables_in_every_format(asked, blocks, queries, ending):
    """The rows of `table()`, whoever reads them; a table that is there is replaced."""
    for file, plan in (("blocks.cloak", blocks), ("queries.cloak", ml.design(queries, k=10))):
        said = asked("export", file, "-o", f"t.{ending}")
        rows = plan.table().to_pylist()
        assert (said["rows"], said["secrets"], said["lineage"]) == (len(rows), len(queries), plan.lineage.hex())
        assert read_rows(f"t.{ending}") == rows


def test_hashed_labels(asked, run, folder):
    """By a key of their own; what is no key is refused."""
    said = asked("export", "queries.cloak", "-o", "t.json", "--hashed", "queries.key")
    assert said["lineage"] != ml.load("queries.cloak").lineage.hex()
    assert "query" not in Path("t.json").read_text()
    assert run("export", "queries.cloak", "-o", "u.json", "--hashed", "queries.csv")[0] == 2
    assert not Path("u.json").exists()


def test_integers_in_json_survive_javascript(asked, folder):
    """As text: all its numbers are floats, so that places above 2^53 would be rounded. Integer secrets too."""
    plan = ml.design(ml.Prior([2**57 + 1, 2**56 + 3, 2**55 + 5, 3], labels=[2**60 + 1, 2**60 + 2, -7, 0]), k=2)
    plan.save("large.cloak")
    asked("export", "large.cloak", "-o", "t.json")
    rows = plan.table().to_pylist()
    assert any(float(row["last"]) != row["last"] for row in rows)
    text = Path("t.json").read_text()
    assert json.loads(text, parse_int=float) == json.loads(text)
    assert read_rows("t.json") == [row | {"secret": str(row["secret"])} for row in rows]


@pytest.mark.parametrize("ending", ["csv", "parquet", "json", "sqlite"])
def test_tables_that_cannot_be_written(run, folder, ending):
    """One line that names the file as it was given."""
    code, _, err = run("export", "queries.cloak", "-o", f"no/such/folder/t.{ending}")
    assert (code, err) == (1, f"minleak: cannot write no/such/folder/t.{ending}: No such file or directory\n")


def test_odd_labels_in_tables(asked, folder):
    """Quotes, commas, line breaks and letters from everywhere come back as they were."""
    labels = ['a"b', "c,d", "e\nf", "日本", "", " x "]
    ml.design(ml.Prior([1] * 6, labels=labels), 2, layout="blocks").save("odd.cloak")
    for ending in ("csv", "parquet", "json", "sqlite"):
        asked("export", "odd.cloak", "-o", f"t.{ending}")
        assert [row["secret"] for row in read_rows(f"t.{ending}")] == labels


def test_compare_is_the_librarys(run, asked, queries):
    """By bits of a hash, by characters, by a column."""
    by_hash = [int(hashlib.sha1(name.encode()).hexdigest(), 16) >> 157 for name in queries.labels]
    assert asked("compare", "queries.csv", "--prefix", "sha1:3")["success"] == ml.compare(queries, by_hash).success
    said = asked("compare", "queries.csv", "--prefix", "7", "-e", "shannon")
    assert said["buckets"] == 9
    assert said["success"] == ml.compare(queries, [name[:7] for name in queries.labels]).success
    assert list(said["rows"][0]["leakage"]) == ["shannon"]
    named = zip(queries.labels, queries.weights, strict=True)
    rows = [f"{name},{weight},{i % 4}" for i, (name, weight) in enumerate(named)]
    Path("buckets.csv").write_text("\n".join(["secret,count,bucket", *rows]))
    scheme = [i % 4 for i in range(len(queries))]
    assert asked("compare", "buckets.csv", "--by", "bucket")["blocks"] == ml.compare(queries, scheme).blocks
    code, out, _ = run("compare", "buckets.csv", "--by", "bucket")
    assert "next: minleak design buckets.csv -k " in out
    assert code == 0
    assert "40 secrets in 4 buckets" in out


def test_a_column_of_floats_is_refused(run, folder):
    """As parquet keeps them."""
    parquet.write_table(pa.table({"secret": ["a", "b"], "count": [2, 1], "bucket": [0.5, 1.5]}), "floats.parquet")
    code, _, err = run("compare", "floats.parquet", "--by", "bucket")
    assert (code, err.count("\n")) == (2, 1)
    assert "a float: name buckets by text or whole numbers" in err


def test_measure_takes_a_mapping(run, asked, folder):
    """Without a column of probabilities each secret shows the observable of its row, and two are refused."""
    Path("sizes.csv").write_text("secret,observable\ngout,small\nflu,large\ncold,large\n")
    said = asked("measure", "diagnoses.csv", "sizes.csv", "-e", "shannon")
    prior = ml.Prior([5, 3, 2], labels=["flu", "cold", "gout"])
    assert said["leakage"]["shannon"]["leakage"] == ml.leakage(prior, ml.Channel.deterministic([1, 1, 0]), "shannon")
    Path("sizes.csv").write_text("secret,observable\ngout,small\nflu,large\ncold,large\nflu,small\n")
    code, _, err = run("measure", "diagnoses.csv", "sizes.csv")
    assert code == 2
    assert "line 5" in err
    assert "no column 'probability'" in err
    code, _, err = run("measure", "diagnoses.csv", "sizes.csv", "--probability", "p")
    assert code == 2
    assert "no column 'p'" in err


def test_blocks_under_groups_are_valid_and_not_proved_best(run, asked, folder):
    """certify says both, with exit code 1; serve --check takes them."""
    rows = "".join(f"s{i},{90 - i},g{i % 3 // 2}\n" for i in range(30))
    (folder / "grouped.csv").write_text(f"secret,count,group\n{rows}")
    flags = ["--group", "group", "--at-most", "2", "--layout", "blocks", "-o", "grouped.cloak"]
    assert run("design", "grouped.csv", "-k", "4", *flags)[0] == 0
    code, out, _ = run("certify", "grouped.cloak", "grouped.csv")
    assert code == 1
    assert out.startswith("valid, but NOT certified as optimal (checked exactly)")
    assert "not proved: no partition into blocks" in out
    code, out, err = run("serve", "grouped.cloak", "--check")
    assert code == 0, err
