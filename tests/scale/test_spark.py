"""What Spark does under the plan: nothing is moved to one executor, a killed task changes nothing."""

from __future__ import annotations

import json
import os
import signal

import numpy as np
import pytest
from tests.scale.conftest import IN_SPARK
from tests.scale.priors import PRIORS, ROWS, K, given, heavy_tail, in_memory, segments

import minleak as ml
from minleak import scale
from minleak.cli._app import main

pytestmark = IN_SPARK


def explained(backend, table):
    import ibis

    rows = backend.raw_sql(f"EXPLAIN EXTENDED {ibis.to_sql(table, dialect='pyspark')}").collect()
    return rows[0][0]


def test_no_global_window(spark, spark_log, tmp_path):
    """Every window of the plan is over partitions, and no shuffle moves all rows to one of them."""
    with open(spark_log, "rb") as log:
        log.seek(0, os.SEEK_END)
        plan = scale.design(given(spark, heavy_tail(), tmp_path), 7, rows=40)
        said = log.read()
    assert said
    physical = explained(spark, plan.table)
    assert physical.count("Window [") >= 3  # the cached plan shows how it was made
    assert "SinglePartition" not in physical
    assert "hashpartitioning(part" in physical
    assert b"No Partition Defined for Window" not in said


def test_the_log_would_tell(spark, spark_log, tmp_path):
    """A window over everything does leave its mark in plan and log, so that the test above can fail."""
    import ibis

    table = given(spark, heavy_tail(), tmp_path)
    bad = table.mutate(start=table["count"].sum().over(ibis.window(order_by="secret", preceding=None, following=0)))
    assert "SinglePartition" in explained(spark, bad)
    with open(spark_log, "rb") as log:
        log.seek(0, os.SEEK_END)
        bad.count().to_pyarrow()
        bad.to_pyarrow()
        assert b"No Partition Defined for Window" in log.read()


def test_a_killed_task(spark, made, spark_log, tmp_path):
    """A worker that is killed in the middle of the design is replaced, and the plan is exactly the same."""
    import ibis

    marker = str(tmp_path / "killed")

    def through(names):
        if len(names):
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return names

    dying = ibis.udf.scalar.pandas(through, signature=(("string",), "string"))
    table, whole = made(spark, "heavy tail")
    killed = scale.design(table.mutate(secret=dying(table.secret)), K, rows=ROWS)
    assert os.path.exists(marker)
    assert "Lost task" in spark_log.read_text()
    assert killed.header == whole.header
    assert segments(killed) == segments(whole)
    assert killed.exact_target == ml.design(in_memory(PRIORS["heavy tail"]), K).exact_target
    assert np.sum([row["weight"] for row in segments(killed)]) == killed.header.tail


def test_the_command_line(spark, tmp_path, monkeypatch, capsys):
    """The same plan by `minleak design --engine spark`, which takes the session that is there."""
    monkeypatch.chdir(tmp_path)
    counts = {f"query-{i}": 1000 // i for i in range(1, 41)}
    rows = "".join(f"{secret},{count}\n" for secret, count in counts.items())
    (tmp_path / "queries.csv").write_text("secret,count\n" + rows)
    with pytest.raises(SystemExit) as ended:
        main(["design", "queries.csv", "-k", "10", "--engine", "spark", "-o", "queries.plan", "--json"])
    assert ended.value.code == 0
    plan = ml.design(ml.Prior.from_counts(counts), 10)
    assert json.loads(capsys.readouterr().out)["success"] == plan.target.max()
    assert scale.load("queries.plan").exact_target == plan.exact_target
