"""Commands inside an engine say what the library says, and leave files that can be used."""

from __future__ import annotations

import os

import pytest

import minleak as ml
from minleak import scale


def test_design_to_a_folder(asked, folder):
    said = asked("design", "queries.csv", "-k", "10", "--engine", "duckdb,memory=1GB", "-o", "queries.plan")
    plan = ml.load("queries.cloak")  # of the same counts, made in memory
    assert said["secrets"] == 40
    shown = asked("show", "queries.cloak")
    for name, row in shown["leakage"].items():
        for kind in ("before", "after", "leakage"):
            assert said["leakage"][name][kind] == pytest.approx(row[kind], rel=1e-12)
    assert said["success_blind"] == shown["success_blind"]
    assert said["success"] == plan.target.max()
    assert said["giant_labels"] == [plan.prior.labels[i] for i in plan.giants]
    stored = scale.load("queries.plan")
    assert stored.exact_target == plan.exact_target
    assert scale.certify(stored, scale.read("queries.csv", engine=stored.table.get_backend()))


def test_design_to_a_cloak(asked, folder):
    asked("design", "queries.csv", "-k", "10", "--engine", "duckdb", "-o", "inside.cloak", "--layout", "circle")
    assert asked("certify", "inside.cloak")["ok"]
    assert len(asked("draw", "inside.cloak", "query-7", "--fresh")["sets"][0]["members"]) == 10


def test_rows_are_counted(asked, run, folder):
    """A log, as rows of a table or as lines, is the prior of its counts; both figures are told."""
    counts = {f"query-{i}": 1 + 40 // i for i in range(1, 41)}
    events = [query for query, times in counts.items() for _ in range(times)]
    with open("log.csv", "w") as file:
        file.write("user,query\n" + "".join(f"ann,{query}\n" for query in events))
    with open("queries.log", "w") as file:
        file.write("\n\n".join(events) + "\n")
    with open("counted.csv", "w") as file:
        file.write("secret,count\n" + "".join(f"{query},{times}\n" for query, times in counts.items()))
    inside = ["-k", "4", "--engine", "duckdb"]
    counted = asked("design", "counted.csv", *inside)
    assert asked("design", "log.csv", *inside, "--weight", "1", "--secret", "query") == counted
    assert asked("design", "queries.log", *inside) == counted
    assert counted["in_the_world"]["events"] == len(events)
    assert counted["in_the_world"]["success"] > 1.01 * counted["success"]
    few = asked("design", "counted.csv", *inside, "--events", "150")["in_the_world"]
    assert few["events"] == 150
    assert few["success"] > counted["in_the_world"]["success"]
    code, out, _ = run("design", "queries.log", *inside)
    assert code == 0
    assert f"in the true population about {counted['in_the_world']['success']:.4g}" in out
    table = out.split("\n\n")[1].splitlines()
    assert table[1].split() == ["entropy", "before", "after", "leakage", "in", "the", "world"]
    assert table[2].split()[-1] == f"{counted['leakage']['shannon']['in_the_world']:.6g}"
    in_memory = asked("design", "log.csv", "-k", "4", "--weight", "1", "--secret", "query")
    assert in_memory == asked("design", "counted.csv", "-k", "4")
    assert in_memory["in_the_world"]["success"] == pytest.approx(counted["in_the_world"]["success"], rel=0.02)
    ks = ["--ks", "4", "--max-success", "30%"]
    swept = asked("sweep", "log.csv", "--weight", "1", "--secret", "query", *ks)
    assert swept == asked("sweep", "counted.csv", *ks)
    (folder / "counted.txt").write_text("3 a\n2 b\n")
    for file, other, why in (
        ("counted.txt", "--clean", "counts already"),
        ("log.csv", "--gains=user", "read one row per event"),
    ):
        code, _, err = run("design", file, "--weight", "1", "--secret", "query", other, "-k", "4")
        assert code == 2
        assert why in err


def test_an_empty_log_has_no_rows(run, folder):
    open("none.log", "w").close()
    code, _, err = run("design", "none.log", "-k", "4", "--engine", "duckdb")
    assert code == 2
    assert "no rows" in err


def test_tables_of_a_database(asked, folder):
    import duckdb

    with duckdb.connect("counts.duckdb") as made:
        made.execute("CREATE TABLE asked AS SELECT * FROM 'queries.csv'")
        made.execute("CREATE TABLE seen AS SELECT * FROM 'events.csv'")
    said = asked("design", "counts.duckdb", "-k", "10", "--engine", "duckdb,table=asked")
    assert said["success"] == ml.load("queries.cloak").target.max()
    arguments = ["--secret", "query", "--observable", "size", "--engine"]
    from_table = asked("audit", "counts.duckdb", *arguments, "duckdb,table=seen")
    from_file = asked("audit", "events.csv", *arguments, "duckdb")
    assert from_table == from_file
    assert from_file["rejected"]


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
@pytest.mark.parametrize(
    ("source", "table", "words"),
    [
        ("nowhere.csv", "", "cannot open nowhere.csv: there is no such file or folder"),
        ("nowhere.duckdb", ",table=counts", "cannot open nowhere.duckdb"),
        ("queries.csv", ",table=counts", "queries.csv is no database"),
        ("queries.key", "", "queries.key holds neither Parquet"),
    ],
)
def test_what_is_not_there_is_said_before_an_engine_starts(run, monkeypatch, engine, source, table, words):
    from minleak.scale import _sources as sources

    monkeypatch.setattr(sources, "connect", lambda *_, **__: pytest.fail("an engine was started"))
    code, _, err = run("design", source, "-k", "3", "--engine", engine + table)
    assert code == 2
    assert words in err
    assert err.count("\n") == 1


def test_tables_of_no_engine(run, typed):
    """A database goes with DuckDB, a table without one with Spark; stdin is called so."""
    typed(b"")
    for arguments, words in [
        (["-", "--engine", "duckdb,table=counts"], "for DuckDB give the file of the database"),
        (["-", "--engine", "duckdb"], "the first line of stdin is empty"),
        (["queries.csv", "--engine", "abacus"], "unknown engine 'abacus'"),
        (["queries.csv", "--engine", "spark,memory=1GB"], "--engine takes memory= for duckdb only"),
    ]:
        code, _, err = run("design", *arguments, "-k", "3")
        assert code == 2
        assert words in err


def test_spark_reads_no_database(run, folder):
    (folder / "counts.duckdb").write_bytes(b"")
    code, _, err = run("design", "counts.duckdb", "-k", "3", "--engine", "spark,table=counts")
    assert code == 2
    assert "database is for DuckDB, not for Spark" in err


def test_a_refused_design_leaves_nothing(run, folder):
    before = set(os.listdir())
    code, _, err = run("design", "queries.csv", "-k", "10", "--engine", "duckdb", "--weight", "secret", "-o", "x.plan")
    assert code == 2
    assert "whole number" in err
    assert set(os.listdir()) == before


def test_a_requirement_and_cleaning_inside_an_engine_are_those_in_memory(asked, folder):
    """The least k by the distinct counts; blanks of every kind and normal forms as in memory."""
    counts = {f"query-{i}": 4000 // i for i in range(1, 200)}
    with open("counted.csv", "w") as file:
        file.write("secret,count\n" + "".join(f"{query},{times}\n" for query, times in counts.items()))
    for more in ([], ["--on-counts"]):
        ours = asked("design", "counted.csv", "--max-success", "18%", "--engine", "duckdb", *more)
        assert ours["k"] == asked("design", "counted.csv", "--max-success", "18%", *more)["k"]
    blanks = " \t\u00a0\u2003\u3000\u0085\x0b\x1c"
    with open("odd.log", "w") as file:
        file.write("flu\ncafe\u0301\ncaf\u00e9\n\n" + "".join(f"{blank}flu x{blank}\n" for blank in blanks) + " \n" * 3)
    inside, memory = (asked("design", "odd.log", "-k", "2", "--clean", *more) for more in (["--engine", "duckdb"], []))
    assert inside["secrets"] == memory["secrets"] == 3
    assert inside["leakage"]["shannon"]["before"] == pytest.approx(memory["leakage"]["shannon"]["before"])
