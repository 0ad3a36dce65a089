"""Plans in an engine that last: sets stay, new secrets get parts, and memory says the same."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from tests.scale.priors import given

import minleak as ml
from minleak import scale
from minleak.errors import InvalidParameter, InvalidPrior, PendingSecret, UnknownSecret, UnreadableFile

KEY = ml.Key(bytes(range(32)))
K = 5


def counts(first: int, last: int) -> dict[str, int]:
    return {f"s{i}": 1000 // (i + 1) for i in range(first, last)}


def rows_of(day: dict) -> pa.Table:
    return pa.table({"secret": list(day), "count": list(day.values())})


def asked(*secrets: str) -> pa.Table:
    return pa.table({"event": range(len(secrets)), "scope": ["ann"] * len(secrets), "secret": list(secrets)})


def shown(plan, events, **said) -> list[tuple]:
    found = scale.cloak(plan, events, key=KEY, **said).order_by("event").to_pyarrow()
    return [tuple(row) for row in found["set"].to_pylist()]


@pytest.fixture
def table(duckdb, tmp_path):
    """A function that puts rows into DuckDB."""
    return lambda rows: given(duckdb, rows, tmp_path)


@pytest.fixture
def plan(table):
    return scale.design(table(rows_of(counts(0, 40))), K)


def test_listed_secrets_keep_their_sets_and_new_ones_get_a_part(table, plan):
    old = ["s0", "s3", "s7", "s39"]
    before = shown(plan, table(asked(*old)))
    newer = scale.update(plan, table(rows_of(counts(1, 50))), cohort=1)
    assert (newer.version, len(newer.parts), newer.lineage.hex()) == (2, 2, plan.header.digest)
    after = shown(newer, table(asked(*old, "s45")))
    assert after[:4] == before
    assert "s45" in after[4]
    assert not set(after[4]) & set(counts(0, 40))
    assert scale.certify(newer).ok
    memory = scale.to_plan(newer)
    assert ml.certify(memory).ok
    cloak = ml.Cloak(memory, key=KEY)
    assert [cloak.draw(secret, scope="ann") for secret in [*old, "s45"]] == after


def test_the_ledger_is_that_of_memory(backend, tmp_path):
    """In each engine."""

    def table(rows):
        return given(backend, rows, tmp_path)

    plan = scale.design(table(rows_of(counts(0, 40))), K)
    days = [counts(1, 43), counts(5, 47), counts(2, 60)]
    memory = ml.design(counts(0, 40), K)
    engine = plan
    for day, number in zip(days, (1, 2, 5), strict=True):
        engine = scale.update(engine, table(rows_of(day)), cohort=2, day=number)
        memory = memory.update(day, cohort=2, day=number)
    found, wanted = scale.to_plan(engine).ledger, memory.ledger
    series = ("counts", "pools", "first", "last")
    by_label = [
        {name: tuple(int(getattr(ledger, one)[i]) for one in series) for i, name in enumerate(ledger.labels)}
        for ledger in (found, wanted)
    ]
    assert by_label[0] == by_label[1]
    daily = ("days", "shares", "totals")
    assert all(getattr(found, one).tolist() == getattr(wanted, one).tolist() for one in daily)
    same = ("day", "began", "version", "listed")
    assert all(getattr(found, one) == getattr(wanted, one) for one in same)
    assert [set(part.prior.labels) for part in scale.to_plan(engine).parts] == [
        set(part.prior.labels) for part in memory.parts
    ]


def test_secrets_that_wait_are_refused_by_a_name_of_their_own(table, plan):
    newer = scale.update(plan, table(rows_of(counts(0, 42))))
    assert newer.pending.order_by("secret").to_pyarrow()["secret"].to_pylist() == ["s40", "s41"]
    with pytest.raises(PendingSecret):
        shown(newer, table(asked("s3", "s41")))
    with pytest.raises(UnknownSecret, match="does not know"):
        shown(newer, table(asked("s3", "never")))
    assert "s39" in shown(newer, table(asked("s41", "never")), stand_in="s39")[0]


def test_a_folder_holds_the_parts_and_is_extended(table, plan, duckdb, tmp_path):
    folder = tmp_path / "lineage"
    second = scale.update(plan, table(rows_of(counts(0, 50))), cohort=1)
    second.save(folder)
    part = {path: path.read_bytes() for path in (folder / "part-000000").rglob("*.parquet")}
    loaded = scale.load(folder, engine=duckdb)
    assert repr(loaded) == repr(second)
    third = scale.update(loaded, rows_of(counts(0, 60)), cohort=1)
    third.save(folder)
    assert part == {path: path.read_bytes() for path in (folder / "part-000000").rglob("*.parquet")}
    assert len(scale.load(folder, engine=duckdb).parts) == 3
    assert scale.certify(scale.load(folder, engine=duckdb)).ok
    with pytest.raises(InvalidParameter, match="holds version 3 of this lineage, and this is version 2"):
        second.save(folder)
    other = scale.update(scale.design(rows_of(counts(0, 30)), K), rows_of(counts(0, 40)), cohort=1)
    with pytest.raises(InvalidParameter, match="another lineage"):
        other.save(folder)


def test_of_two_updates_of_one_version_one_wins(duckdb, tmp_path):
    del duckdb
    folder = tmp_path / "lineage"
    scale.update(scale.design(rows_of(counts(0, 40)), K), rows_of(counts(0, 50)), cohort=1).save(folder)
    one, other = (scale.update(scale.load(folder), rows_of(counts(0, n)), cohort=1) for n in (60, 61))
    one.save(folder)
    with pytest.raises(InvalidParameter, match="another update may have been written meanwhile"):
        other.save(folder)
    assert len(scale.load(folder).parts) == 3


def test_counts_that_cannot_be_entered_are_refused_in_one_line(table, plan):
    day = table(rows_of(counts(0, 45)))
    newer = scale.update(plan, day)
    with pytest.raises(InvalidParameter, match="days go forwards"):
        scale.update(newer, day, day=1)
    with pytest.raises(InvalidParameter, match="none of the plan's labels"):
        scale.update(plan, table(rows_of({"other": 3})))
    with pytest.raises(InvalidPrior, match="cast them to the plan's type"):
        scale.update(plan, table(pa.table({"secret": [1, 2], "count": [3, 4]})))
    with pytest.raises(InvalidPrior, match="negative"):
        scale.update(plan, table(pa.table({"secret": ["s1", "s2"], "count": [3, -4]})))


def test_a_changed_ledger_or_header_is_noticed(duckdb, tmp_path):
    folder = tmp_path / "lineage"
    made = scale.update(scale.design(rows_of(counts(0, 40)), K), rows_of(counts(0, 50)), cohort=1)
    made.save(folder)
    loaded = scale.load(folder, engine=duckdb)
    moved = loaded.ledger.mutate(part=(loaded.ledger.secret == "s3").ifelse(1, loaded.ledger.part))
    tampered = type(loaded)(loaded.parts, moved, loaded.calendar)
    assert not scale.certify(tampered).ok
    with pytest.raises(UnreadableFile):
        shown(tampered, asked("s3"))
    header = json.loads((folder / "lineage.json").read_text())
    for change in ({"format": "x"}, {"parts": 0}, {"day": -1}, {"lineage": "00"}, {"recent": [[1]]}, {"version": "2"}):
        (folder / "lineage.json").write_text(json.dumps(header | change))
        with pytest.raises(UnreadableFile):
            scale.load(folder, engine=duckdb)
