"""Priors that the warehouse is tried on, as Arrow tables, and how they get into an engine."""

from __future__ import annotations

import secrets

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import minleak as ml

# The cap and the rows of a partition that plans are made with.
K, ROWS = 7, 40


def table_of(weights, labels=None):
    labels = [f"s{i}" for i in range(len(weights))] if labels is None else labels
    return pa.table({"secret": labels, "count": pa.array(weights, type=pa.int64())})


def in_memory(table):
    return ml.Prior(table["count"].to_numpy(), labels=table["secret"].to_pylist())


def heavy_tail(n=400, seed=0):
    """A few giants, many ties, some zeros, secrets that are no plain letters."""
    rng = np.random.default_rng(seed)
    weights = (rng.zipf(1.4, n) % 100_000).astype(np.int64)
    weights[: n // 20] = 0
    weights[-1] = 3 * weights.sum()
    return table_of(weights, [f"Zürich {i} 'x'" for i in range(n)])


PRIORS = {
    "heavy tail": heavy_tail(),
    "spread": table_of(np.random.default_rng(1).integers(1, 10**9, 350)),
    "integers": table_of(np.random.default_rng(2).integers(0, 9, 300), list(range(-150, 150))),
}


def given(backend, table, folder):
    """The table as the engine's own, from a Parquet file."""
    path = folder / f"{secrets.token_hex(8)}.parquet"
    pq.write_table(table, path)
    return backend.read_parquet(str(path))


def segments(plan):
    """The rows of a plan in a fixed order."""
    rows = plan.table.to_pyarrow().to_pylist()
    return sorted(rows, key=lambda row: (row["position"], row["ring"]))
