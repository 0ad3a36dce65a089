"""The key stays in Python: no SQL, no query plan and no log holds it."""

from __future__ import annotations

import base64
import logging

import ibis
import pyarrow as pa
import pytest
from tests.scale.priors import given, heavy_tail

import minleak as ml
from minleak import scale
from minleak.errors import InvalidParameter, UnknownSecret

SECRET = bytes((7 * i + 3) % 251 for i in range(32))
SHOWN = [
    SECRET.hex(),
    SECRET.hex().upper(),
    base64.b64encode(SECRET).decode().rstrip("="),
    repr(SECRET)[2:-1],
    str(list(SECRET))[1:-1],
]


def texts(backend, expression):
    """What an engine says about an expression: its SQL and its plans."""
    sql = ibis.to_sql(expression, dialect=backend.name)
    yield str(sql)
    yield repr(expression)
    if backend.name == "duckdb":
        yield str(backend.raw_sql(f"EXPLAIN {sql}").fetchall())
    else:
        frame = backend.raw_sql(str(sql))
        yield frame._jdf.queryExecution().toString()
        yield frame._jdf.queryExecution().logical().toString()


def test_the_key_is_nowhere(backend, made, spark_log, tmp_path, caplog, capfd):
    """In hexadecimal, base64 or as bytes."""
    caplog.set_level(logging.DEBUG)
    key = ml.Key(SECRET)
    events = pa.table({"secret": ["Zürich 7 'x'", "Zürich 59 'x'"], "scope": ["ann", "bob"]})
    drawn = scale.cloak(made(backend, "heavy tail")[1], given(backend, events, tmp_path), key=key)
    assert "secret" not in drawn.columns
    assert len(drawn.to_pyarrow()) == 2
    seen = list(texts(backend, drawn))
    assert any("SELECT" in text for text in seen)
    if backend.name == "pyspark":
        log = spark_log.read_text()
        assert len(log) > 10_000  # at level info it says a lot
        seen.append(log)
    seen += [caplog.text, *capfd.readouterr()]
    for text in seen:
        for shown in SHOWN:
            assert shown not in text


def test_the_search_can_find(duckdb):
    """A key that is a literal of a query is found by the search above."""
    leaking = ibis.literal(SECRET.hex()).name("key").as_table()
    assert any(SECRET.hex() in text for text in texts(duckdb, leaking))


def test_refusals_name_no_secret(duckdb, tmp_path):
    """Unknown secrets are refused, counted, not named; with a stand-in they show its set."""
    plan = scale.design(given(duckdb, heavy_tail(60), tmp_path), 5)
    events = given(duckdb, pa.table({"secret": ["hidden-thing", "Zürich 7 'x'"], "scope": ["u", "u"]}), tmp_path)
    with pytest.raises(UnknownSecret) as refused:
        scale.cloak(plan, events, key=ml.Key(SECRET))
    assert "hidden-thing" not in str(refused.value)
    assert "1 pairs" in str(refused.value)
    drawn = scale.cloak(plan, events, key=ml.Key(SECRET), stand_in="Zürich 9 'x'", keep_secret=True)
    rows = {row["secret"]: row["set"] for row in drawn.to_pyarrow().to_pylist()}
    alone = given(duckdb, pa.table({"secret": ["Zürich 9 'x'"], "scope": ["u"]}), tmp_path)
    assert rows["hidden-thing"] == scale.cloak(plan, alone, key=ml.Key(SECRET)).to_pyarrow()["set"][0].as_py()
    with pytest.raises(InvalidParameter, match="stand-in"):
        scale.cloak(plan, events, key=ml.Key(SECRET), stand_in="nobody")
