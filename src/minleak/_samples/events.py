"""Events: pairs of a secret and what was seen, from arrays, tables and files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from minleak._data.arrays import Array
from minleak._data.frames import aligned
from minleak._data.labels import Labels
from minleak._data.parameters import truth
from minleak._data.reading.table import Table, column_names
from minleak._samples.columns import Codes, Column, as_column, as_columns, distinct
from minleak.errors import InvalidParameter, MinleakError, UnreadableFile, shown

# Fewer events say nothing that is worth a bound; the loop that draws tables with given margins was seen to be right up
# to so many.
LEAST, MOST = 50, 2**32


@dataclass(frozen=True)
class Events:
    """x[i], the code of the secret of row i; y[i], that of the observable, each distinct one alike; `times[i]`, how
    many events the row stands for; `points[i]`, what was seen as numbers, or None; `blocks[i]`, or None.

    `whole` is whether all numbers are whole, so that observables are discrete as well as numeric. `said` is how the
    observables were taken, in words.
    """

    x: Codes
    y: Codes
    times: Codes
    points: Array | None
    blocks: Codes | None
    secrets: Labels
    observables: int
    whole: bool
    said: str

    @property
    def total(self) -> int:
        """How many events there are."""
        return int(self.times.sum())

    def in_order(self) -> Events:
        """The rows by secret, observable and block."""
        order = np.lexsort((self.y, self.x) if self.blocks is None else (self.blocks, self.y, self.x))
        points = None if self.points is None else self.points[order]
        blocks = None if self.blocks is None else self.blocks[order]
        return replace(self, x=self.x[order], y=self.y[order], times=self.times[order], points=points, blocks=blocks)


def events_of(
    secrets: Any,
    observables: Any,
    *,
    times: Any = None,
    blocks: Any = None,
    numeric: bool | None = None,
    where: Callable[[int], str] = "event {}".format,
    error: type[MinleakError] = InvalidParameter,
) -> Events:
    """The events in a column of secrets and one or several columns of observables, all checked."""
    numeric = None if numeric is None else truth(numeric, "numeric")
    if not all(aligned(secrets, others) for others in (observables, times, blocks)):
        raise InvalidParameter("the secrets and what is beside them have different indices: bring all into one order")
    x, names = Column(as_column(secrets, "the secrets"), where, error).coded("secret")
    columns = [Column(values, where, error) for values in as_columns(observables)]
    for column in columns:
        if len(column.values) != len(x):
            raise InvalidParameter(
                f"there are {len(x)} secrets and {len(column.values)} observables: give one observable for each secret"
            )
    numbers = [None if numeric is False else column.numbers(told=numeric is True) for column in columns]
    found = [column for column in numbers if column is not None]
    points = np.stack(found, axis=1) if len(found) == len(columns) else None
    counts = _times(times, len(x))
    if len(names) < 2:
        raise InvalidParameter("all events have one secret: nothing can be learnt of it, give events of two or more")
    whole = points is not None and bool((points == np.floor(points)).all() and (np.abs(points) < 2**53).all())
    y, m = distinct([column.coded("observable")[0] for column in columns] if points is None else list(points.T))
    if blocks is not None:
        blocks = _blocks(blocks, len(x), where, error)
    return Events(x, y, counts, points, blocks, names, m, whole, _said(points, whole, len(columns), numeric))


def _said(points: Any, whole: bool, columns: int, numeric: bool | None) -> str:
    if points is None:
        kind = "discrete" if columns == 1 else f"discrete, {columns} columns together"
        return f"{kind}: only equal observables are alike"
    kind = "one number" if columns == 1 else f"vectors of {columns} numbers"
    found = "told" if numeric else "recognised"
    return f"{kind}{', whole' if whole else ''} ({found})"


def _times(times: Any, n: int) -> Codes:
    given = np.ones(n, dtype=np.int64) if times is None else np.asarray(times)
    if given.shape != (n,) or given.dtype.kind not in "iu" or (given < 0).any():
        raise InvalidParameter("weights are whole numbers from 0 on, how many events each row stands for")
    total = int(given.sum(dtype=np.float64))  # exact as far as it is taken
    if total < LEAST:
        raise InvalidParameter(f"{total} events say nothing: collect at least {LEAST}")
    if total > MOST:
        raise too_many(total)
    return given.astype(np.int64)


def too_many(events: int) -> InvalidParameter:
    """The refusal of more events than can be permuted."""
    return InvalidParameter(
        f"{events} events are more than the permutations can count, {MOST}: take a sample, or divide the weights by "
        "the same number"
    )


def _blocks(blocks: Any, n: int, where: Callable[[int], str], error: type[MinleakError]) -> Codes:
    if isinstance(blocks, int | np.integer) and not isinstance(blocks, bool):
        if not 1 <= blocks <= n:
            raise InvalidParameter(f"blocks is how many events in a row make one, from 1 to {n}, not {shown(blocks)}")
        return np.arange(n, dtype=np.int64) // int(blocks)
    codes, _ = Column(as_column(blocks, "the blocks"), where, error).coded("block")
    if len(codes) != n:
        raise InvalidParameter(f"there are {n} events and {len(codes)} blocks: name the block of each event")
    return codes


def events_in(
    source: Any,
    *,
    secret: str,
    observable: str | Sequence[str],
    weight: str | None,
    blocks: Any,
    numeric: bool | None,
    format: str | None,
) -> Events:
    """The events in a table (Arrow, pandas) or in a file (csv, tsv, parquet), by the names of its columns."""
    names = [observable] if isinstance(observable, str) else observable
    names = column_names(names, "observable is the name of a column, or several, each once")
    if isinstance(source, str | os.PathLike) or hasattr(source, "read"):
        roles = {"secret": secret, **{_role(i): name for i, name in enumerate(names)}}
        if isinstance(blocks, str):
            roles["blocks"] = blocks
        table = Table(source, format=format, what="events are")
        read = table.read(roles, {"weight": weight} if weight is not None else {})
        return events_of(
            read["secret"],
            pa.table([read[_role(i)] for i in range(len(names))], names=list(map(str, range(len(names))))),
            times=read.get("weight"),
            blocks=read["blocks"] if isinstance(blocks, str) else blocks,
            numeric=numeric,
            where=table.where,
            error=UnreadableFile,
        )
    try:
        arrow = pa.table(source)
    except Exception:  # of whatever the source is
        raise InvalidParameter(
            f"events are arrays of secrets and observables, a table, or a file, not {type(source).__name__}"
        ) from None
    asked = [("secret", secret), *(("observable", name) for name in names), ("weight", weight)]
    for parameter, name in [*asked, ("blocks", blocks)] if isinstance(blocks, str) else asked:
        found = arrow.column_names.count(name)
        if found != 1 and (name, parameter) != (None, "weight"):
            many = f"{found} columns" if found else "no column"
            raise InvalidParameter(f"the table has {many} {shown(name)}: say which one with {parameter}=")
    return events_of(
        arrow[secret],
        arrow.select(names),
        times=None if weight is None else arrow[weight].to_numpy(),
        blocks=arrow[blocks] if isinstance(blocks, str) else blocks,
        numeric=numeric,
        where="row {}".format,
    )


def _role(i: int) -> str:
    return "observable" if i == 0 else f"observable {i + 1}"
