"""Hostile tables, and the calls of the warehouse that they are given to."""

from __future__ import annotations

import datetime

import ibis
import pandas as pd
import pyarrow as pa

import minleak as ml
from minleak import warehouse

PRIOR = pa.table({"secret": ["a", "b", "c"], "count": [3, 2, 1]})
EVENTS = pa.table({"secret": ["a", "b"], "scope": ["x", "y"], "observable": [1, 2]})
LOG = pa.table({"secret": ["a", "b"] * 30, "observable": ["x", "y", "y"] * 20, "count": [1] * 60})
PLAN = warehouse.design(PRIOR, 2)
THINGS = [
    PRIOR,
    EVENTS,
    pd.DataFrame({"secret": pd.Series(["\ud800", "b"], dtype=object), "count": [1, 2]}),
    pd.DataFrame({"secret": [b"x", datetime.date(2020, 1, 1)], "count": [1, "2"]}),
    pd.DataFrame({1: ["a"], "count": [1]}),
    pa.table({"secret": pa.array([2**30], pa.date32()), "scope": ["x"], "observable": pa.array([9], pa.date32())}),
    pa.table({"secret": ["a"], "observable": pa.array([2**30], pa.date32()), "count": [2**63 - 1]}),
    pa.table({"secret": ["a", "b"], "count": ["9" * 19, "9" * 30], "scope": [b"\xff", b""]}),
    ibis.table({"secret": "string", "count": "int64"}, name="nowhere"),
]


def audited(permutations, **given):
    """An audit that is not asked for much, which would be no error but a long time."""
    return warehouse.audit(permutations=2 if type(permutations) is int and permutations > 99 else permutations, **given)


NAMED = {"secret": "secret", "weight": "count"}
CALLS = {
    "connect": (warehouse.connect, {"engine": "duckdb", "database": None, "memory_limit": None, "spill": None}),
    "read": (warehouse.read, {"path": None, "table": None, "engine": None, "memory_limit": None}),
    "load": (warehouse.load, {"folder": "nowhere", "engine": None}),
    "design": (warehouse.design, {"table": PRIOR, "k": 2, **NAMED, "layout": "stable", "rows": 9}),
    "certify": (warehouse.certify, {"plan": PLAN, "table": PRIOR, **NAMED}),
    "cloak": (
        warehouse.cloak,
        {"plan": PLAN, "events": EVENTS, "key": ml.Key(bytes(32)), "secret": "secret", "scope": "scope"}
        | {"observable": "set", "stand_in": None},
    ),
    "to_plan": (warehouse.to_plan, {"plan": PLAN}),
    "audit": (
        audited,
        {"events": LOG, "secret": "secret", "observable": "observable", "weight": None, "numeric": None}
        | {"permutations": 99, "level": 0.9, "alpha": 0.1, "seed": 1, "limit": 9, "measures": ["shannon"]}
        | {"blocks": None, "attack": None, "enough": None},
    ),
    "Spectrum": (warehouse.Spectrum, {"table": PRIOR, **NAMED}),
}
