"""Tables that a call keeps in the engine are dropped whatever happens: they hold raw rows."""

from __future__ import annotations

import ibis
import pyarrow as pa
import pytest
from tests.scale.priors import given, heavy_tail

import minleak as ml
from minleak import scale
from minleak.errors import InvalidParameter, InvalidPrior, MinleakError
from minleak.scale import _drawing as drawing
from minleak.scale._engines.base import Engine

PRIOR = heavy_tail(60)
KEY = ml.Key(bytes(32))


@pytest.fixture
def engine():
    return scale.connect("duckdb")


def kept(backend):
    """The tables in the engine that minleak keeps there."""
    found = backend.raw_sql("SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views()")
    return {name for (name,) in found.fetchall() if name.startswith("minleak_")}


@pytest.fixture
def table(engine, tmp_path):
    return lambda **columns: given(engine, pa.table(columns), tmp_path)


def test_a_chain_that_is_refused(engine, table):
    log = table(subject=["ann", "ann"], time=[1, 1], state=["home", "work"])
    with pytest.raises(InvalidPrior, match="two states at one time"):
        scale.chain(log)
    assert not kept(engine)


def test_counted_rows(engine, table):
    """Whether they are refused or not: what stays is the plan."""
    log = table(secret=["ann", None, "bob"])
    with pytest.raises(InvalidPrior, match="have no secret"):
        scale.design(log, 2, weight=None)
    with pytest.raises(InvalidPrior):
        scale.Spectrum(log, weight=None)
    assert not kept(engine)
    whole = log.filter(log.secret.notnull())
    assert scale.Spectrum(whole, weight=None).entropy("shannon") == 1.0
    assert not kept(engine)
    plan = scale.design(whole, 2, weight=None)
    assert kept(engine) == {plan.table.op().name}


@pytest.mark.parametrize("call", range(1, 16, 2))
def test_an_engine_that_fails_at_any_query(call, engine, table, monkeypatch, tmp_path):
    """Of a design from a log to a folder, and of draws from it."""
    counts = dict(zip(PRIOR["secret"].to_pylist(), PRIOR["count"].to_pylist(), strict=True))
    log = table(secret=[name for name, count in counts.items() for _ in range(min(count, 9))])
    events = table(secret=log.limit(5).to_pyarrow()["secret"], scope=["a"] * 5)
    arrow, calls = Engine.arrow, []

    def failing(self, table):
        calls.append(table)
        if len(calls) == call:
            raise InvalidParameter("the engine has not enough memory")
        return arrow(self, table)

    plan = scale.design(log, 5, weight=None, folder=tmp_path / "whole")
    monkeypatch.setattr(Engine, "arrow", failing)
    tasks = [
        lambda: scale.design(log, 5, weight=None, folder=tmp_path / "again"),
        lambda: scale.cloak(plan, events, key=KEY),
    ]
    for task in tasks:
        calls.clear()
        before = kept(engine)
        try:
            task()
        except MinleakError:
            assert kept(engine) == before


def test_draws_that_are_refused(engine, table, monkeypatch):
    """The check of what was drawn comes after both tables were kept."""
    plan = scale.design(table(secret=PRIOR["secret"], count=PRIOR["count"]), 5)
    events = table(secret=PRIOR["secret"], scope=["ann"] * 60)
    before = kept(engine)
    monkeypatch.setattr(drawing, "count_if", lambda _condition: ibis.literal(0))
    with pytest.raises(MinleakError):
        scale.cloak(plan, events, key=KEY)
    assert kept(engine) == before
    monkeypatch.undo()
    shown = scale.cloak(plan, events, key=KEY)
    assert len(kept(engine) - before) == 1  # what the result reads
    assert len(shown.to_pyarrow()) == 60
