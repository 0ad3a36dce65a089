"""read_chain: a chain from a log of who was where and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from minleak.core._arrays import Array, Indices
from minleak.core._labels import Labels
from minleak.core._numbers import spell_numbers
from minleak.core._parameters import whole
from minleak.io._formats import open_table
from minleak.io._sources import Source
from minleak.io._tables import Column
from minleak.lab.sequences._chain import Chain
from minleak.lab.sequences._fitting import check_smoothing, count_walks

# How many units of a time stamp an hour has.
_HOUR = {"s": 3.6e3, "ms": 3.6e6, "us": 3.6e9, "ns": 3.6e12}
# Hours after which a subject that was not seen is taken for a new walk, by the clock.
_GAP = 24


def read_chain(
    source: Source | Any,
    *,
    subject: str = "subject",
    time: str = "time",
    state: str = "state",
    order: int = 1,
    smoothing: float | str = "witten-bell",
    clock: int | None = None,
    format: str | None = None,
) -> Chain:
    """The chain of a log in a csv(.gz), tsv or parquet file or a data frame, with a row for each time at which a
    subject was in a state.

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
    source: Source | Any,
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
    table = open_table(source, format=format, what="walks are")
    columns = table.read({"subject": subject, "time": time, "state": state}, {})
    subjects, _ = columns["subject"].codes()
    states, labels = columns["state"].codes()
    when = _times(columns["time"], table.name)
    order = np.lexsort((when, subjects))
    ends = np.append(np.flatnonzero(np.diff(subjects[order])) + 1, len(order))
    return labels, states[order], ends, when[order]


def _times(column: Column, name: str) -> Array:
    """Times as numbers: as they are, or in hours where they are dates."""
    times = column.values
    if column.is_text and not spell_numbers(times[:1])[0].as_py():
        times = _dates(column, name)
    elif isinstance(times, pa.Array) and pa.types.is_date(times.type):
        times = times.cast(pa.timestamp("ms"))
    if isinstance(times, pa.Array) and pa.types.is_timestamp(times.type):
        return np.asarray(times.cast(pa.int64()).to_numpy() / _HOUR[times.type.unit])
    return column.floats()


def _dates(column: Column, name: str) -> pa.Array:
    """Texts as times: all without a zone, or all with one."""
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(column.values)
    for zone in (None, "UTC"):
        try:
            return texts.cast(pa.timestamp("us", zone))
        except pa.ArrowInvalid:
            continue
    raise column.error(
        f"the times of {name} are neither all numbers nor all dates such as 2026-07-11T08:30, all with a zone or all "
        f"without, see {column.where(0)}"
    )
