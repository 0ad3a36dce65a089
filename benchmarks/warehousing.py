"""Inside engines: DuckDB against memory, growth on Spark with its bytes, weight at home, and out of core."""

from __future__ import annotations

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import minleak as ml
from benchmarks.designing import real_priors, weights_of
from benchmarks.timing import Timed, interleaved, line
from minleak import scale


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="minleak-") as folder:
        homes()
        against_memory(Path(folder))
        drawing(Path(folder))
        growth(Path(folder))
        out_of_core(Path(folder))


def prior_file(folder: Path, n: int) -> str:
    """A Parquet file of n secrets with counts of a heavy tail, nearly all different."""
    path = folder / f"prior-{n}.parquet"
    if not path.exists():
        weights = weights_of(n)
        schema = pa.schema({"secret": pa.string(), "count": pa.int64()})
        with pq.ParquetWriter(path, schema) as writer:
            for first in range(0, n, 10**6):
                labels = [f"secret-{i}" for i in range(first, min(n, first + 10**6))]
                writer.write_table(pa.table({"secret": labels, "count": weights[first : first + 10**6]}, schema=schema))
    return str(path)


def homes(k: int = 8) -> None:
    print(f"\nThe part of the weight at home, k = {k}, and the attacker's success after 1, 2, 5, 20 fresh draws.")
    priors = real_priors()
    priors["zipf"] = ml.Prior((10**9 / np.arange(1, 10**6 + 1)).astype(np.int64))
    for name, prior in priors.items():
        table = pa.table({"secret": [f"s{i}" for i in range(len(prior))], "count": prior.weights})
        memory = ml.design(prior, k)
        mass = [memory.u * int(memory.home_weights.sum()) / memory.rest]
        plans = [scale.design(table, k, rows=rows) for rows in (2**16, 2**10)]
        mass += [plan.at_home for plan in plans]
        shown = "  ".join(f"{part:.4f}" for part in mass)
        print(f"{name:<8} n={len(prior):<8} in memory, rows = 65536, rows = 1024: {shown}", flush=True)
        if name != "zipf":
            for what, plan in (("in memory", memory), ("warehouse", scale.to_plan(plans[0]))):
                seen = ml.repeated(plan, [1, 2, 5, 20], trials=50_000)
                cells = "  ".join(f"{s:.4f}" for s in seen.success)
                print(f"{name:<8} {what:<10} {cells}", flush=True)


def against_memory(folder: Path, n: int = 10_000_000, k: int = 10) -> None:
    print(f"\nFrom a Parquet file to a plan, n = {n:,}, k = {k}. Values: the largest part of the target.")
    path = prior_file(folder, n)

    def memory(layout: str) -> float:
        return ml.design(ml.read_prior(path), k, layout=layout).success

    def inside(layout: str) -> float:
        backend = scale.connect()
        plan = scale.design(backend.read_parquet(path), k, layout=layout)
        backend.disconnect()
        return float(plan.target.max())

    for layout in ("circle", "stable"):
        start = time.perf_counter()
        ours = inside(layout)
        middle = time.perf_counter()
        theirs = memory(layout)
        end = time.perf_counter()
        line(
            f"DuckDB, layout {layout}",
            Timed(middle - start, ours),
            "in memory",
            Timed(end - middle, theirs),
            slower=True,
        )
    prior = ml.read_prior(path)
    alone = interleaved({"design": lambda: ml.design(prior, k).n_giants}, runs=1)["design"]
    print(f"{'the design in memory alone, layout stable':<44} {1e3 * alone.seconds:>9.1f} ms")


def drawing(folder: Path, n: int = 1_000_000, events: int = 1_000_000, k: int = 10) -> None:
    print(f"\nDrawing sets of {k} for {events:,} events, n = {n:,}. Values: a checksum.")
    backend = scale.connect()
    plan = scale.design(backend.read_parquet(prior_file(folder, n)), k)
    rng = np.random.default_rng(0)
    secrets = rng.integers(0, n, events)
    log = pa.table({"secret": [f"secret-{i}" for i in secrets], "scope": [f"u{i}" for i in range(events)]})
    pq.write_table(log, folder / "events.parquet")
    key, whole = ml.Key(bytes(32)), scale.to_plan(plan)
    cloak = ml.Cloak(whole, key=key)
    places = {label: i for i, label in enumerate(whole.prior.labels)}
    start = time.perf_counter()
    drawn = scale.cloak(plan, backend.read_parquet(str(folder / "events.parquet")), key=key)
    size = backend.to_pyarrow(drawn.aggregate(members=drawn["set"].length().sum())).to_pylist()[0]["members"]
    middle = time.perf_counter()
    found = cloak.draw_many([places[f"secret-{i}"] for i in secrets], scopes=log["scope"].to_pylist())
    end = time.perf_counter()
    line("DuckDB", Timed(middle - start, int(size)), "Cloak.draw_many", Timed(end - middle, found.size), slower=True)


_SPARK = """
import json, sys, time
from pyspark.sql import SparkSession
folder, k = sys.argv[1], 10
builder = SparkSession.builder.master("local[2]")
for name, value in {
    "spark.driver.memory": "4g", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "8",
    "spark.eventLog.enabled": "true", "spark.eventLog.dir": "file:" + folder, "spark.eventLog.compress": "false",
    "spark.local.dir": folder,
}.items():
    builder = builder.config(name, value)
session = builder.getOrCreate()
session.sparkContext.setLogLevel("ERROR")
from minleak import scale
backend = scale.connect("spark")
scale.design(backend.read_parquet(sys.argv[2]), k)  # warm
times = []
for i, path in enumerate(sys.argv[3:]):
    session.sparkContext.setJobGroup(str(i), path)
    start = time.perf_counter()
    scale.design(backend.read_parquet(path), k, folder=f"{folder}/plan-{i}")
    times.append(time.perf_counter() - start)
print(json.dumps(times))
session.stop()
"""


def growth(folder: Path, sizes: tuple[int, ...] = (10**5, 10**6, 10**7)) -> None:
    print("\nSpark on this machine, local[2], layout stable, Parquet to Parquet: time, and what its event log counts.")
    logs = folder / "logs"
    logs.mkdir()
    files = [prior_file(folder, n) for n in sizes]
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _SPARK, str(logs), files[0], *files],
        capture_output=True,
        text=True,
        env=environment,
    )
    if done.returncode:
        print(done.stderr[-2000:])
        return
    seconds = json.loads(done.stdout.splitlines()[-1])
    totals = _event_log(logs, len(sizes))
    for n, taken, total in zip(sizes, seconds, totals, strict=True):
        each = {name: value / n for name, value in total.items()}
        print(
            f"n = {n:>11,}  {taken:>7.1f} s; for each secret {1e6 * each['run']:.2f} µs in tasks, "
            f"{1e6 * each['cpu']:.2f} µs of a CPU, {each['shuffled']:.1f} bytes shuffled, {each['read']:.1f} read, "
            f"{each['written']:.1f} written",
            flush=True,
        )
    slopes = np.diff(np.log(seconds)) / np.diff(np.log(sizes))
    print("growth exponents from size to size: " + ", ".join(f"{slope:.2f}" for slope in slopes))


def _event_log(logs: Path, runs: int) -> list[dict[str, float]]:
    """Sums over the tasks of each run, told apart by job group."""
    files = [path for path in glob.glob(f"{logs}/**/*", recursive=True) if os.path.isfile(path) and "events" in path]
    files = files or [path for path in glob.glob(f"{logs}/local-*") if os.path.isfile(path)]
    group: dict[int, int] = {}
    totals = [dict.fromkeys(("run", "cpu", "shuffled", "read", "written"), 0.0) for _ in range(runs)]
    for row in (json.loads(text) for path in files for text in Path(path).read_text().splitlines()):
        if row["Event"] == "SparkListenerJobStart" and "spark.jobGroup.id" in row.get("Properties", {}):
            group |= dict.fromkeys(row["Stage IDs"], int(row["Properties"]["spark.jobGroup.id"]))
        if row["Event"] == "SparkListenerTaskEnd" and row["Stage ID"] in group and "Task Metrics" in row:
            total, task = totals[group[row["Stage ID"]]], row["Task Metrics"]
            total["run"] += task["Executor Run Time"] / 1e3
            total["cpu"] += task["Executor CPU Time"] / 1e9
            total["shuffled"] += task["Shuffle Write Metrics"]["Shuffle Bytes Written"]
            total["read"] += task["Input Metrics"]["Bytes Read"]
            total["written"] += task["Output Metrics"]["Bytes Written"]
    return totals


_LIMITED = """
import sys, time
from minleak import scale
path, folder, limit, layout = sys.argv[1:]
def peak():
    with open("/proc/self/status") as status:
        return next(int(row.split()[1]) * 1024 for row in status if row.startswith("VmHWM"))
backend = scale.connect("duckdb", memory_limit=limit, spill=folder + "/spill")
backend.raw_sql("SET threads = 2")
start = time.perf_counter()
plan = scale.design(backend.read_parquet(path), 10, layout=layout, folder=folder + "/plan-" + layout)
print(f"{layout:<8} {time.perf_counter() - start:.0f} s, peak memory {peak() / 2**30:.2f} GiB, {plan}", flush=True)
"""


def out_of_core(folder: Path, n: int = 50_000_000, limit: str = "1GB") -> None:
    print(
        f"\nOut of core: {n:,} secrets in DuckDB with memory_limit {limit}, from Parquet to Parquet, in a new process."
    )
    path = prior_file(folder, n)
    for layout in ("circle", "stable"):
        done = subprocess.run(
            [sys.executable, "-c", _LIMITED, path, str(folder), limit, layout], capture_output=True, text=True
        )
        print(done.stdout.strip() or done.stderr.strip().splitlines()[-1], flush=True)
        shutil.rmtree(folder / f"plan-{layout}", ignore_errors=True)


if __name__ == "__main__":
    main()
