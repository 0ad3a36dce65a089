"""read_chain: logs of who was where and when become the chain of their walks."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import minleak as ml
from minleak.errors import UnreadableFile
from minleak.lab.sequences._reading import read_walks

ROWS = [("b", 10, "x"), ("a", 9, "x"), ("a", 10, "y"), ("b", 2, "z"), ("a", 100, "x"), ("b", 10, "y")]
WALKS = [["z", "x", "y"], ["x", "y", "x"]]


def log(rows, head="subject,time,state"):
    return io.BytesIO("\n".join([head, *(",".join(map(str, row)) for row in rows)]).encode() + b"\n")


def test_rows_are_sorted_by_time_as_numbers():
    """9 comes before 10; rows of one time keep their order."""
    assert sorted(read_walks(log(ROWS), format="csv")) == sorted(WALKS)
    read, made = ml.lab.sequences.read_chain(log(ROWS), format="csv"), ml.lab.sequences.Chain.from_sequences(WALKS)
    for a in "xyz":
        assert [read.probability(a, b) for b in "xyz"] == [made.probability(a, b) for b in "xyz"]
    assert dict(zip(read.labels, read.initial.weights.tolist(), strict=True)) == {"x": 1, "y": 0, "z": 1}


def test_dates_parquet_and_orders(tmp_path):
    """Times as ISO text, as timestamps and dates of parquet; an order of two."""
    dated = [(s, f"2026-07-{t:02}T08:00" if t < 32 else "2026-08-01 09:30", x) for s, t, x in ROWS]
    assert sorted(read_walks(log(dated), format="csv")) == sorted(WALKS)
    zoned = [(s, f"2026-07-01T{12 + x:02}:{t % 60:02}:00+{x:02}:00", y) for x, (s, t, y) in enumerate(ROWS[1:3])]
    assert read_walks(log(zoned), format="csv") == [["x", "y"]]  # 12:09 and 12:10 in UTC
    assert read_walks(log([("a", "1.5e9", "x"), ("a", "2e8", "y")]), format="csv") == [["y", "x"]]
    table = pa.table({"subject": [r[0] for r in ROWS], "time": [r[1] for r in ROWS], "state": [r[2] for r in ROWS]})
    stamped = table.set_column(1, "time", table["time"].cast(pa.timestamp("s")))
    finer = table.set_column(1, "time", pa.array([10**9 * r[1] + 1 for r in ROWS], pa.timestamp("ns")))  # as of pandas
    days = table.set_column(1, "time", table["time"].cast(pa.int32()).cast(pa.date32()))
    for number, each in enumerate((table, stamped, finer, days)):
        pq.write_table(each, tmp_path / f"{number}.parquet")
        assert sorted(read_walks(tmp_path / f"{number}.parquet")) == sorted(WALKS)
    second = ml.lab.sequences.read_chain(log(ROWS), order=2, format="csv")
    assert ("x", "y") in list(second.labels)


def test_the_hours_of_the_day():
    """The last state of an hour counts, hours between repeat it, and a gap of more than a day begins a new walk."""
    rows = [
        ("a", "2026-07-01T22:10", "pub"),
        ("a", "2026-07-01T22:50", "bus"),
        ("a", "2026-07-02T01:00", "home"),
        ("a", "2026-07-04T08:00", "work"),
    ]
    assert read_walks(log(rows), clock=24, format="csv") == [
        [(22, "bus"), (23, "bus"), (0, "bus"), (1, "home")],
        [(8, "work")],
    ]


@pytest.mark.parametrize(
    ("rows", "head", "word"),
    [
        (ROWS, "who,time,state", "no column 'subject'"),
        ([("a", "soon", "x")], "subject,time,state", "neither all numbers nor all dates"),
        ([("a", 1, "x"), ("a", "soon", "secret")], "subject,time,state", "line 3"),
        ([("a", "inf", "x")], "subject,time,state", "line 2"),
        ([("a", "2026-07-01T08:00Z", "x"), ("a", "2026-07-01T08:00", "y")], "subject,time,state", "a zone"),
        ([], "subject,time,state", "no rows"),
    ],
)
def test_what_cannot_be_read_is_said(rows, head, word):
    """Where it stands, never what."""
    with pytest.raises(UnreadableFile, match=word) as refused:
        ml.lab.sequences.read_chain(log(rows, head), format="csv")
    assert "soon" not in str(refused.value)
