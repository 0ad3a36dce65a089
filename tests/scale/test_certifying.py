"""The certificate by queries fails for every plan that is not whole, and its checks are those that the theory needs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.scale.priors import given, heavy_tail, segments

from minleak import scale
from minleak.scale._lineage import begin

PRIOR = heavy_tail(160)


@pytest.fixture(scope="module")
def plan(duckdb, tmp_path_factory):
    return scale.design(given(duckdb, PRIOR, tmp_path_factory.mktemp("prior")), 5, rows=16)


def at_home(rows):
    return next(i for i, row in enumerate(rows) if row["ring"] > 0)


def on_ring(rows):
    return next(i for i, row in enumerate(rows) if row["ring"] == 0)


def idle(rows):
    return next(i for i, row in enumerate(rows) if row["ring"] < 0)


def changed(rows, place, **values):
    return [row | values if i == place else row for i, row in enumerate(rows)]


def swapped(rows, a, b, column):
    return changed(changed(rows, a, **{column: rows[b][column]}), b, **{column: rows[a][column]})


def another_home(rows):
    first = at_home(rows)
    return next(i for i, row in enumerate(rows) if row["ring"] > 0 and row["ring"] != rows[first]["ring"])


TAMPERED = {
    "a segment is missing": lambda rows: rows[1:],
    "a segment stands twice": lambda rows: [*rows, rows[on_ring(rows)]],
    "a segment is shifted": lambda rows: changed(rows, on_ring(rows), start=rows[on_ring(rows)]["start"] + 1),
    "a segment is lighter": lambda rows: changed(rows, on_ring(rows), weight=rows[on_ring(rows)]["weight"] - 1),
    "a segment changed its owner": lambda rows: changed(rows, on_ring(rows), secret="Zürich 70 'x'"),
    "a home lost a member to another": lambda rows: changed(rows, at_home(rows), ring=rows[another_home(rows)]["ring"]),
    "two homes are one": lambda rows: [
        row | {"ring": rows[at_home(rows)]["ring"]} if row["ring"] == rows[another_home(rows)]["ring"] else row
        for row in rows
    ],
    "owners swapped between homes": lambda rows: swapped(rows, at_home(rows), another_home(rows), "secret"),
    "numbers swapped": lambda rows: swapped(rows, at_home(rows), another_home(rows), "position"),
    "an idle secret has weight": lambda rows: changed(rows, idle(rows), weight=1),
    "an idle secret is missing": lambda rows: [row for i, row in enumerate(rows) if i != idle(rows)],
    "idle secrets in one large set": lambda rows: [row | {"ring": -1} if row["ring"] < 0 else row for row in rows],
    "a home goes to the common ring": lambda rows: [
        row | {"ring": 0} if row["ring"] == rows[at_home(rows)]["ring"] else row for row in rows
    ],
}


def test_whole(plan, duckdb, tmp_path):
    """The plan itself, and its rows in another order, are certified."""
    rows = segments(plan)[::-1]
    again = scale.WarehousePlan(given(duckdb, pa.Table.from_pylist(rows), tmp_path), plan.header)
    found = scale.certify(again, given(duckdb, PRIOR, tmp_path))
    assert found.ok, str(found)
    assert found.exact
    assert not found.own_prior
    assert scale.certify(plan)


def test_without_a_prior_it_is_the_plans_own(plan):
    """A plan, or a lineage of it, is certified for the weights that it holds, and the certificate says so."""
    for subject in (plan, begin(plan)):
        found = scale.certify(subject)
        assert found.ok
        assert found.own_prior
        assert "the prior is the plan's own" in str(found)


@pytest.mark.parametrize("what", TAMPERED)
def test_tampered_segments(what, plan, duckdb, tmp_path):
    rows = TAMPERED[what](segments(plan))
    assert rows != segments(plan)
    table = given(duckdb, pa.Table.from_pylist(rows), tmp_path)
    assert not scale.certify(scale.WarehousePlan(table, plan.header), given(duckdb, PRIOR, tmp_path)), what


@pytest.mark.parametrize(
    "change",
    [
        {"u": 4},
        {"k": 6},
        {"tail": 1},
        {"total": 10**6},
        {"length": 1},
        {"at_home": 0},
        {"idle": 0},
        {"n": 159},
        {"giants": ()},
    ],
)
def test_tampered_headers(change, plan):
    assert not scale.certify(scale.WarehousePlan(plan.table, replace(plan.header, **change)))


def test_a_giant_that_is_none(plan, duckdb, tmp_path):
    """A secret that is on rings and among the giants is seen."""
    giants = ((*plan.header.giants[0],), ("Zürich 70 'x'", 1))
    assert not scale.certify(scale.WarehousePlan(plan.table, replace(plan.header, giants=giants)))


@pytest.mark.parametrize("change", ["weight", "name", "more", "fewer", "giant"])
def test_another_prior(change, plan, duckdb, tmp_path):
    """The prior that the plan is compared with must be its own, secret by secret."""
    names, counts = PRIOR["secret"].to_pylist(), PRIOR["count"].to_numpy().copy()
    place = int(np.flatnonzero(counts > 1)[0])
    if change == "weight":
        counts[place] += 1
    elif change == "giant":
        counts[-1] += 1
    elif change == "name":
        names[place] = "somebody else"
    elif change == "more":
        names, counts = [*names, "one more"], np.append(counts, 0)
    else:
        names, counts = names[1:], counts[1:]
    other = given(duckdb, pa.table({"secret": names, "count": counts}), tmp_path)
    found = scale.certify(plan, other)
    assert [check.what for check in found.checks if not check.ok] == ["the weights are the prior's"]
