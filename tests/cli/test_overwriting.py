"""What commands overwrite: what they wrote themselves, and nothing else."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

PAD = ["pad", "files.csv", "--budget", "5%"]
OPTIMISE = ["optimise", "diagnoses.csv", "pairs.csv", "--budget", "0.5"]
# Every way of a command to write a file: all but its name.
WRITERS = {
    "cloak": [
        ["design", "queries.csv", "-k", "3", "-o"],
        ["design", "queries.csv", "-k", "3", "--engine", "duckdb", "-o"],
        ["update", "queries.cloak", "tomorrow.csv", "-o"],
        [*OPTIMISE, "-o"],
    ],
    "chain": [["chain", "fit", "visits.csv", "-o"]],
    "csv": [
        ["export", "queries.cloak", "-o"],
        [*PAD, "-o"],
        [*OPTIMISE, "-o"],
        ["export", "blocks.cloak", "--partitions", "-o"],
        ["export", "blocks.cloak", "--partitions", "--hashed", "queries.key", "-o"],
    ],
    "tsv": [[*OPTIMISE, "-o"]],
    "json": [["export", "queries.cloak", "-o"], [*PAD, "-o"], ["pad", "streams.csv", "--frames", "-o"]],
    "parquet": [["export", "queries.cloak", "-o"], [*OPTIMISE, "-o"]],
    "sqlite": [["export", "queries.cloak", "-o"]],
    "html": [
        ["report", "queries.cloak", "-o"],
        ["design", "queries.csv", "-k", "3", "--report"],
        ["sweep", "queries.csv", "--chart"],
    ],
    "svg": [["sweep", "queries.csv", "--chart"]],
    "png": [["sweep", "queries.csv", "--chart"]],
}
CASES = [(ending, command) for ending, commands in WRITERS.items() for command in commands]


@pytest.fixture
def files(run, folder):
    """The files that the commands above read, beside those of the examples."""
    assert run("design", "queries.csv", "-k", "4", "--layout", "blocks", "-o", "blocks.cloak")[0] == 0
    rows = [f"{s},t{s % 3},{10 * j},{1 + s % 3 + j % 4}" for s in range(30) for j in range(5)]
    (folder / "streams.csv").write_text("\n".join(["stream,secret,time,size", *rows]) + "\n")
    return folder


@pytest.mark.parametrize(("ending", "command"), CASES, ids=lambda case: case if isinstance(case, str) else case[0])
def test_nothing_foreign_is_overwritten(run, files, ending, command):
    """Its own file again, and an empty one: yes. A key, counts, or another file of the same ending: no."""
    name = f"out.{ending}"
    Path(name).touch()
    for _ in range(2):
        code, _, err = run(*command, name)
        assert code == 0, err
    for content in (Path("queries.key").read_bytes(), Path("queries.csv").read_bytes(), b"\0" * 5000):
        Path(name).write_bytes(content)
        code, _, err = run(*command, name)
        assert code == 2, err
        assert "must be a new file, or one that minleak" in err
        assert Path(name).read_bytes() == content


@pytest.mark.parametrize("ending", ["parquet", "sqlite"])
def test_data_in_the_same_format_is_not_overwritten(run, files, ending):
    """A table of one's own looks like an exported one to its first bytes."""
    name = f"own.{ending}"
    if ending == "parquet":
        parquet.write_table(pa.table({"secret": ["a"], "count": [1]}), name)
    else:
        with sqlite3.connect(name) as database:
            database.execute("create table secrets (name text)")
        database.close()
    content = Path(name).read_bytes()
    code, _, err = run("export", "queries.cloak", "-o", name)
    assert (code, Path(name).read_bytes()) == (2, content)
    assert "holds something else" in err


@pytest.mark.parametrize(
    "command",
    [
        ["export", "table.csv", "-o", "table.csv"],
        ["pad", "table.csv", "--budget", "5%", "-o", "./table.csv"],
        ["pad", "table.csv", "--budget", "5%", "-o", "link.csv"],
        ["optimise", "diagnoses.csv", "table.csv", "--budget", "1", "-o", "table.csv"],
        ["report", "queries.cloak", "-o", "page.html", "--held-out", "page.html"],
        ["update", "queries.cloak", "queries2.cloak", "-o", "queries2.cloak"],
    ],
)
def test_no_input_is_overwritten(run, files, command):
    """Even if it looks like a file of the command's own."""
    Path("table.csv").write_text('"secret","observable","probability"\nabove,padded\n')
    Path("link.csv").symlink_to("table.csv")
    Path("page.html").write_text('<meta name="generator" content="minleak">')
    Path("queries2.cloak").write_bytes(Path("queries.cloak").read_bytes())
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    code, _, err = run(*command)
    assert code == 2
    assert err == "minleak: -o must be a new file; got a file that the command reads. Choose another name.\n"
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_two_outputs_are_two_files(run, files):
    code, _, err = run("sweep", "queries.csv", "--chart", "a.html", "--report", "a.html")
    assert (code, err) == (2, "minleak: --chart must be a new file; got also --report. Choose another name.\n")


def test_an_update_may_replace_the_plan(run, files):
    assert run("update", "queries.cloak", "tomorrow.csv", "-o", "queries.cloak")[0] == 0


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (["design", "queries.csv", "-k", "2", "-o", "x.csv"], "a plan is written as .cloak, not 'x.csv'"),
        (["design", "queries.csv", "-k", "2", "-o", "queries.key"], "must be a new file"),
        (["design", "queries.csv", "-k", "2", "-o", "new.key"], "a plan is written as .cloak, not 'new.key'"),
        (["update", "queries.cloak", "tomorrow.csv", "-o", "x.json"], "a plan is written as .cloak, not 'x.json'"),
        (["chain", "fit", "visits.csv", "-o", "x.cloak"], "a chain is written as .chain, not 'x.cloak'"),
    ],
)
def test_endings_say_what_is_written(run, files, command, what):
    """A plan under another name would be taken for something else."""
    key = Path("queries.key").read_bytes()
    code, _, err = run(*command)
    assert code == 2
    assert what in err
    assert Path("queries.key").read_bytes() == key
    assert not Path("x.csv").exists()
