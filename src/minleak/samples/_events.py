"""Events: pairs of secret and observable, from arrays, tables and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from minleak.core._arrays import Array, Indices
from minleak.core._frames import have_one_index
from minleak.core._labels import Labels
from minleak.core._numbers import spell_numbers
from minleak.core._parameters import is_number, truth
from minleak.core._properties import as_property
from minleak.errors import InvalidParameter, MinleakError, quote
from minleak.io._tables import Column, InputTable, as_values, column_names
from minleak.samples._ragged import as_sequences

# The fewest events worth a bound, and the most for which drawing tables with given margins was tested.
LEAST, MOST = 50, 2**32
# Sequences count as discrete observables if each occurs this often on average.
_REPEATED = 5
# Squares and differences of larger numbers overflow.
_LARGE = 1e150


@dataclass(frozen=True)
class Events:
    """For each row i: the codes x[i] of its secret and y[i] of its observable, the number `times[i]` of events it
    stands for, the observable as numbers `points[i]`, and its block; points and blocks may be None.

    `whole` means that all numbers are whole, so that observables are discrete as well as numeric. `said` says how the
    observables were interpreted. The points of `sequences` are features.
    """

    x: Indices
    y: Indices
    times: Indices
    points: Array | None
    blocks: Indices | None
    secrets: Labels
    observables: int
    whole: bool
    said: str
    sequences: bool = False
    called: tuple[str, str] = ("secret", "observable")

    @property
    def total(self) -> int:
        """The number of events."""
        return int(self.times.sum())

    def in_order(self) -> Events:
        """The rows sorted by secret, observable and block."""
        order = np.lexsort((self.y, self.x) if self.blocks is None else (self.blocks, self.y, self.x))
        points = None if self.points is None else self.points[order]
        blocks = None if self.blocks is None else self.blocks[order]
        return replace(self, x=self.x[order], y=self.y[order], times=self.times[order], points=points, blocks=blocks)


def collect_events(
    secrets: Any,
    observables: Any,
    *,
    times: Any = None,
    blocks: Any = None,
    of: Any = None,
    numeric: bool | None = None,
    where: Callable[[int], str] = "event {}".format,
    error: type[MinleakError] = InvalidParameter,
) -> Events:
    """Check a column of secrets and one or several columns of observables, and code them."""
    numeric = None if numeric is None else truth(numeric, "numeric")
    if not all(have_one_index(secrets, others) for others in (observables, times, blocks, of)):
        raise InvalidParameter(
            "secrets, observables, weights, blocks and properties have different indices: bring all into one order"
        )

    def column(values: Any, role: str) -> Column:
        return Column(as_values(values, f"the {role}s"), role, where, error)

    x, names = _in_order(column(secrets, "secret"))
    if of is not None:
        x, names = _property_of(of, x, names, column)
    ragged = None if numeric is False else as_sequences(observables)
    if ragged is not None:
        observables = ragged.features()
    columns = [column(values, "observable") for values in _observable_columns(observables)]
    for one in columns:
        if len(one) != len(x):
            raise InvalidParameter(
                f"there are {len(x)} secrets and {len(one)} observables: give one observable for each secret"
            )
    found = [None if numeric is False else _as_numbers(one, told=numeric is True) for one in columns]
    numbers = [one for one in found if one is not None]
    points = np.stack(numbers, axis=1) if len(numbers) == len(columns) else None
    counts = _times(times, len(x))
    if len(names) < 2:
        what = "secret" if of is None else "value of the property"
        raise InvalidParameter(f"all events have the same {what}: give events of two or more")
    whole = points is not None and bool((points == np.floor(points)).all() and (np.abs(points) < 2**53).all())
    if ragged is not None:
        y, m = ragged.distinct()
        whole = m * _REPEATED <= len(x)
    else:
        y, m = _distinct_rows([_in_order(one)[0] for one in columns] if points is None else list(points.T))
    if isinstance(blocks, int | np.integer) and not isinstance(blocks, bool):
        if not 1 <= blocks <= len(x):
            raise InvalidParameter(
                f"blocks is how many events in a row make one, from 1 to {len(x)}, not {quote(blocks)}"
            )
        blocks = np.arange(len(x), dtype=np.int64) // int(blocks)
    elif blocks is not None:
        blocks, _ = _in_order(column(blocks, "block"))
        if len(blocks) != len(x):
            raise InvalidParameter(f"there are {len(x)} events and {len(blocks)} blocks: name the block of each event")
    said = _describe(points, whole, len(columns), numeric)
    if ragged is not None:
        said = f"taken as sequences of {ragged.values.shape[1]} column(s), by {len(columns)} features (recognised)"
    return Events(x, y, counts, points, blocks, names, m, whole, said, ragged is not None)


def read_events(
    table: InputTable,
    *,
    secret: str,
    observable: str | Sequence[str],
    weight: str | None,
    blocks: Any,
    of: Any,
    numeric: bool | None,
) -> Events:
    """Read events from named columns of a data frame, an Arrow table or a file (csv, tsv, parquet)."""
    names = [observable] if isinstance(observable, str) else observable
    names = column_names(names, "observable is the name of a column, or several, each once")
    seen = {f"observable {i + 1}" if i else "observable": name for i, name in enumerate(names)}
    beside = {role: name for role, name in (("blocks", blocks), ("of", of)) if isinstance(name, str)}
    numbers = {} if weight is None else {"weight": weight}
    choose = ", ".join(f"{role}=" for role in ("secret", "observable", *numbers, *beside))
    read = table.read({"secret": secret, **seen, **beside}, numbers, choose=choose)
    found = collect_events(
        read["secret"].values,
        pa.table([read[role].values for role in seen], names=list(seen)),
        times=read["weight"].numbers() if numbers else None,
        blocks=read["blocks"].values if "blocks" in beside else blocks,
        of=read["of"].values if "of" in beside else of,
        numeric=numeric,
        where=table.where,
        error=table.error,
    )
    return replace(found, called=(of if isinstance(of, str) else secret, names[0]))


def read_sequences(table: InputTable, *, stream: str, secret: str, observable: str | Sequence[str]) -> Events:
    """Read one event per stream, whose rows in order are a sequence. Columns as in `read_events`."""
    names = [observable] if isinstance(observable, str) else observable
    names = column_names(names, "observable is the name of a column, or several, each once")
    seen = {f"observable {i + 1}" if i else "observable": name for i, name in enumerate(names)}
    read = table.read({"stream": stream, "secret": secret}, seen, choose="stream=, secret=, observable=")
    s, _ = read["stream"].codes()
    x, secrets = read["secret"].codes()
    order = np.argsort(s, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(s)))[:-1]
    of_stream = x[order[starts]]
    differs = x != of_stream[s]
    if differs.any():
        at = table.where(int(np.argmax(differs)))
        raise table.error(f"{at}: the stream has another secret in an earlier row: a stream has one")
    rows = np.stack([read[role].floats() for role in seen], axis=1)[order]
    return collect_events(secrets.at(of_stream), np.split(rows, starts[1:]))


def _property_of(of: Any, x: Indices, secrets: Labels, column: Callable[[Any, str], Column]) -> tuple[Indices, Labels]:
    """The code of a property of each event's secret, and the values in alphabetical order."""
    if isinstance(of, Mapping):
        chosen = as_property(of, secrets, more=True)
        codes, values = _in_order(column(chosen.values.at(chosen.codes), "property"))
        return codes[x], values
    given = column(of, "property")
    codes, values = _in_order(given)
    if len(codes) != len(x):
        raise InvalidParameter(f"there are {len(x)} events and {len(codes)} values of the property: give one for each")
    first = np.zeros(len(secrets), dtype=np.int64)
    first[x[::-1]] = codes[::-1]
    differs = first[x] != codes
    if differs.any():
        at = given.where(int(np.argmax(differs)))
        raise given.error(f"{at} gives a secret a second, different property: a secret has one value")
    return codes, values


def refuse_too_many(events: int) -> None:
    """Refuse more events than can be permuted."""
    if events > MOST:
        raise InvalidParameter(
            f"{events} events are more than the permutations can count, {MOST}: take a sample, or divide the weights "
            "by the same number"
        )


def _observable_columns(observables: Any) -> list[Any]:
    """The columns of a table, of a matrix, of rows, or the single column."""
    if hasattr(observables, "__dataframe__") or isinstance(observables, pa.Table | pa.RecordBatch):
        table = pa.table(observables)
        if not table.num_columns:
            raise InvalidParameter("the observables are a table without columns: give one or more")
        return list(table.columns)
    if isinstance(observables, list | tuple) and observables and isinstance(observables[0], list | tuple | np.ndarray):
        try:
            observables = np.array(observables, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InvalidParameter("observables are rows of equally many numbers, or one value each") from None
    if np.ma.is_masked(observables):
        raise InvalidParameter("the observables have masked entries: leave those events out")
    if isinstance(observables, np.ndarray) and observables.ndim == 2 and observables.shape[1]:
        return [np.ascontiguousarray(column) for column in observables.T]
    if isinstance(observables, np.ndarray) and observables.ndim != 1:
        raise InvalidParameter(f"observables are a column or rows of numbers, not of shape {observables.shape}")
    return [observables]


def _as_numbers(column: Column, *, told: bool) -> Array | None:
    """The column as finite floats, or None if it holds no numbers and was not said to. A column in which most entries
    are numbers, but not all, is refused.
    """
    import pyarrow.compute as pc

    values, why_not, at = column.check_complete(nan=False).values, "", -1
    if column.is_text:
        good = spell_numbers(values)
        at = pc.index(good, False).as_py()
        if (pc.mean(good).as_py() or 0.0) < (1e-300 if told else 0.5):
            why_not = "text that spells no numbers"
    elif isinstance(values, list):
        flags = [is_number(value) for value in values]
        at = -1 if all(flags) else flags.index(False)
        if not any(flags):
            why_not = "no numbers"
    elif not (pa.types.is_integer(kind := values.type) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        why_not = f"of type {kind}, which is no number"
    if why_not:
        if told:
            raise column.error(f"the observables are {why_not}: leave out numeric=True, or give numbers")
        return None
    if at >= 0:
        raise column.error(
            f"the observable at {column.where(at)} is no number where others are: mend it, or take all as names "
            "(numeric=False, --names)"
        )
    floats = replace(column, is_spelled=True).floats()
    large = np.abs(floats) >= _LARGE
    if large.any():
        at = int(np.argmax(large))
        raise column.error(f"the observable at {column.where(at)} is beyond {_LARGE:g}: leave such events out")
    return floats


def _in_order(column: Column) -> tuple[Indices, Labels]:
    """Codes of the entries in alphabetical order, so that the order of the rows does not matter, and the entries.
    Lists, such as the sets of a cloak, count as text.
    """
    if isinstance(column.values, pa.Array) and pa.types.is_nested(column.values.type):
        column = replace(column, values=[str(value) for value in column.values.to_pylist()])
    codes, names = column.check_complete().codes()
    order = np.argsort(np.array([str(name) for name in names]), kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], Labels(tuple(names.at(order)))


def _distinct_rows(columns: Sequence[Any]) -> tuple[Indices, int]:
    """Codes of the distinct rows of some columns, and their number."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, inner = np.unique(column, return_inverse=True)
        codes = np.unique(codes * len(values) + inner, return_inverse=True)[1]
    return codes, int(codes.max()) + 1 if len(codes) else 0


def _times(times: Any, n: int) -> Indices:
    given = np.ones(n, dtype=np.int64) if times is None else np.asarray(times)
    if given.shape != (n,) or given.dtype.kind not in "iu" or (given < 0).any():
        raise InvalidParameter("weights are whole numbers from 0 on, how many events each row stands for")
    total = int(given.sum(dtype=np.float64))  # exact up to the limit
    if total < LEAST:
        raise InvalidParameter(f"{total} events are too few: collect at least {LEAST}")
    refuse_too_many(total)
    return given.astype(np.int64)


def _describe(points: Any, whole: bool, columns: int, numeric: bool | None) -> str:
    if points is None:
        kind = "discrete" if columns == 1 else f"discrete, {columns} columns together"
        return f"{kind}: only equal observables are alike"
    numbers = "whole numbers" if whole else "numbers"
    kind = numbers if columns == 1 else f"vectors of {columns} {numbers}"
    return f"taken as {kind} ({'as asked' if numeric else 'recognised'})"
