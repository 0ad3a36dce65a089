"""Whatever the public functions are given, only errors of minleak come out of them, and none shows a secret."""

from __future__ import annotations

import datetime

import ibis
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.warehouse.priors import given as in_engine

import minleak as ml
from minleak import warehouse
from minleak.errors import InvalidParameter, InvalidPrior

PRIOR = pa.table({"secret": ["a", "b", "c"], "count": [3, 2, 1]})
EVENTS = pa.table({"secret": ["a", "b"], "scope": ["x", "y"], "observable": [1, 2]})
WRONG = st.sampled_from(
    [
        None,
        True,
        -1,
        0,
        2,
        10**30,
        float("nan"),
        "",
        "secret",
        "\ud800",
        "a\0b",
        b"bytes",
        [],
        {},
        ("a",),
        datetime.date(2020, 1, 1),
        object(),
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
)


@pytest.fixture(scope="module")
def plan():
    return warehouse.design(PRIOR, 2)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_only_errors_of_minleak(plan, data):
    """Each function with one or two arguments replaced."""
    key = ml.Key(bytes(32))
    calls = {
        warehouse.connect: {"engine": "duckdb", "database": None, "memory_limit": None, "spill": None},
        warehouse.read: {"path": None, "table": None, "backend": None, "memory_limit": None},
        warehouse.load: {"folder": "nowhere", "backend": None},
        warehouse.design: {
            "table": PRIOR,
            "k": 2,
            "secret": "secret",
            "weight": "count",
            "layout": "stable",
            "rows": 9,
        },
        warehouse.certify: {"plan": plan, "table": PRIOR, "secret": "secret", "weight": "count"},
        warehouse.cloak: {"events": EVENTS, "plan": plan, "key": key, "secret": "secret", "scope": "scope"}
        | {"output": "set", "stand_in": None},
        warehouse.to_plan: {"plan": plan},
        warehouse.audit: {"events": EVENTS, "secret": "secret", "observable": "observable", "weight": None}
        | {
            "resamples": 2,
            "permutations": 99,
            "level": 0.9,
            "alpha": 0.1,
            "seed": 1,
            "limit": 9,
            "measures": ["shannon"],
        },
        warehouse.Spectrum: {"table": PRIOR, "secret": "secret", "weight": "count"},
    }
    function = data.draw(st.sampled_from(list(calls)))
    names = data.draw(st.lists(st.sampled_from(list(calls[function])), min_size=1, max_size=2, unique=True))
    given_now = {name: data.draw(WRONG, label=name) for name in names}
    if function is warehouse.audit and any(
        type(given_now.get(n)) is int and given_now[n] > 99 for n in ("resamples", "permutations")
    ):
        return  # no error, but a long time
    said = ""
    try:
        function(**(calls[function] | given_now))
    except ml.MinleakError as error:
        said = str(error)
    assert "\n" not in said or "k" in names  # a cap is checked, and shown, for all designs alike


def test_counts_of_nineteen_digits():
    """Up to 2^63 - 1; what is larger is refused for that."""
    large = pa.table({"secret": ["a", "b"], "count": ["1000000000000000001", "2"]})
    assert warehouse.design(large, 2).header.total == 10**18 + 3
    for count in ("9223372036854775808", "1" * 30, "1\n", "", "+1", " 1", "١"):
        with pytest.raises(InvalidPrior, match=r"digits alone, below 2\^63"):
            warehouse.design(pa.table({"secret": ["a", "b"], "count": [count, "2"]}), 2)


def test_no_header(duckdb, tmp_path):
    """The first event of a log without a header is not shown."""
    (tmp_path / "log.csv").write_text("hidden-a,hidden-b,7\nhidden-c,hidden-d,8\n")
    log = warehouse.read(tmp_path / "log.csv", backend=duckdb)
    plan = warehouse.design(in_engine(duckdb, PRIOR, tmp_path), 2)
    for action in (
        lambda: warehouse.design(log, 2),
        lambda: warehouse.audit(log),
        lambda: warehouse.Spectrum(log),
        lambda: warehouse.cloak(log, plan, key=ml.Key(bytes(32))),
        lambda: warehouse.certify(plan, PRIOR, weight="hits"),
    ):
        with pytest.raises(ml.MinleakError, match=r"no column 'secret' among the 3: say|no column 'hits'") as refused:
            action()
        assert "hidden" not in str(refused.value)


def test_a_full_disk(plan, tmp_path, monkeypatch):
    """It is said, rather than that the data cannot be read."""
    import duckdb

    def full(*_):
        raise duckdb.IOException('Could not write file "x": No space left on device')

    monkeypatch.setattr(type(plan.table.get_backend()), "to_pyarrow", full)
    with pytest.raises(InvalidParameter, match="the disk is full"):
        plan.save(tmp_path / "plan")
    assert list(tmp_path.iterdir()) == []
