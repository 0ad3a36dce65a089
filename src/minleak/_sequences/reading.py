"""read_chain: a chain from a log of who was where and when."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from minleak._data.arrays import Array, Indices
from minleak._data.labels import Labels
from minleak._data.parameters import whole
from minleak._data.reading.table import Table, finite, spelled_numbers, stored_numbers
from minleak._sequences.chain import Chain
from minleak._sequences.fitting import check_smoothing, count_walks
from minleak.errors import UnreadableFile

# How many units of a time stamp an hour has.
_HOUR = {"s": 3.6e3, "ms": 3.6e6, "us": 3.6e9, "ns": 3.6e12}
# Hours after which a subject that was not seen is taken for a new walk, by the clock.
_GAP = 24


def read_chain(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    subject: str = "subject",
    time: str = "time",
    state: str = "state",
    order: int = 1,
    smoothing: float | str = "witten-bell",
    clock: int | None = None,
    format: str | None = None,
) -> Chain:
    """The chain of a log in a csv(.gz), tsv or parquet file: a row for each time at which a subject was in a state.

    The rows of a subject, sorted by time, are a walk; rows of one time keep the file's order. Times are numbers, dates
    or times as ISO 8601 writes them (2026-07-11T08:30), all of one kind; those with a zone are taken in UTC. `order`
    and `smoothing` are those of `Chain.from_sequences`. With a `clock` such as 24 states are pairs (hour, state): of
    each hour the last state is taken, an hour without one repeats the one before, and a gap of more than a day ends a
    walk; numbers are hours.

    Raises UnreadableFile, naming the line.

    >>> import io
    >>> log = b"who,when,where\\nann,1,home\\nann,2,work\\nbob,1,home\\nann,3,home\\nbob,2,shop\\n"
    >>> read_chain(io.BytesIO(log), subject="who", time="when", state="where", format="csv")
    Chain(3 states, 3 transitions, back-off)
    """
    check_smoothing(smoothing)
    if clock is None and whole(order, "order") == 1:
        labels, codes, ends, _ = _walks(source, subject, time, state, format)
        return Chain(**count_walks(labels, codes, ends, smoothing))
    walks = read_walks(source, subject=subject, time=time, state=state, clock=clock, format=format)
    return Chain.from_sequences(walks, order=order, smoothing=smoothing, clock=clock)


def read_walks(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    subject: str = "subject",
    time: str = "time",
    state: str = "state",
    clock: int | None = None,
    format: str | None = None,
) -> list[list[Any]]:
    """The walks of such a log, as lists of states."""
    labels, codes, ends, times = _walks(source, subject, time, state, format)
    names = list(labels)
    parts = list(zip(np.split(codes, ends[:-1]), np.split(times, ends[:-1]), strict=True))
    if clock is None:
        return [[names[code] for code in walk] for walk, _ in parts]
    period = whole(clock, "clock", most=1 << 20)
    return [found for walk, when in parts for found in _by_the_hour(walk, when, names, period)]


def _by_the_hour(walk: Indices, when: Array, names: list[Any], period: int) -> Iterator[list[Any]]:
    """The walk as pairs (hour, state), an hour after the other."""
    last = dict(zip(np.floor(when).astype(np.int64).tolist(), walk.tolist(), strict=True))  # the last of each hour
    found: list[Any] = []
    hours = list(last)
    for hour, after in zip(hours, [*hours[1:], None], strict=True):
        away = 1 if after is None else after - hour
        found += [((hour + i) % period, names[last[hour]]) for i in range(away if away <= _GAP else 1)]
        if after is None or away > _GAP:
            yield found
            found = []


def _walks(
    source: Any, subject: str, time: str, state: str, format: str | None
) -> tuple[Labels, Indices, Indices, Array]:
    """States, and the walks of all subjects end to end as positions of them, where each ends, and their times."""
    table = Table(source, format=format, what="walks are")
    columns = table.read({"subject": subject, "time": time, "state": state}, {})
    who, where = (columns[name].combine_chunks().dictionary_encode() for name in ("subject", "state"))
    when = _times(columns["time"], table)
    subjects = who.indices.to_numpy().astype(np.int64)
    order = np.lexsort((when, subjects))
    ends = np.append(np.flatnonzero(np.diff(subjects[order])) + 1, len(order))
    return Labels.of(where.dictionary, 0), where.indices.to_numpy().astype(np.int64)[order], ends, when[order]


def _times(column: pa.ChunkedArray, table: Table) -> Array:
    """Times as numbers: as they are, or in hours where they are dates."""
    import pyarrow.compute as pc

    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        if _is_number(column[0].as_py()):
            return finite(spelled_numbers(column, "time", table.where), "time", table.where)
        column = _dates(pc.utf8_trim_whitespace(column), table)
    elif pa.types.is_date(column.type):
        column = column.cast(pa.timestamp("ms"))
    if pa.types.is_timestamp(column.type):
        return np.asarray(column.cast(pa.int64()).to_numpy() / _HOUR[column.type.unit])
    return finite(stored_numbers(column, "time", table.where), "time", table.where)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _dates(column: pa.ChunkedArray, table: Table) -> pa.ChunkedArray:
    """Texts as times: all without a zone, or all with one."""
    for zone in (None, "UTC"):
        try:
            return column.cast(pa.timestamp("us", zone))
        except pa.ArrowInvalid:
            continue
    raise UnreadableFile(
        f"the times of {table.name} are neither all numbers nor all dates such as 2026-07-11T08:30, all with a zone or "
        f"all without, see {table.where(0)}"
    )
