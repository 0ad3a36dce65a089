"""Events: pairs of a secret and what was seen, from arrays, tables and files; numbers are told or recognised."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak._data.labels import Labels
from minleak._data.reading.numbers import spelled_numbers
from minleak._data.reading.table import Table
from minleak.errors import InvalidParameter, MinleakError, UnreadableFile, listed, shown

Codes = npt.NDArray[np.int64]
# Fewer events say nothing that is worth a bound.
LEAST = 50


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
    points: npt.NDArray[np.float64] | None
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
    if numeric is not None and not isinstance(numeric, bool):
        raise InvalidParameter(f"numeric is True, False, or None to recognise numbers, not {shown(numeric)}")
    x, names = _coded(_column(secrets, "the secrets"), "secret", where, error)
    columns = _columns(observables)
    for column in columns:
        if len(column) != len(x):
            raise InvalidParameter(
                f"there are {len(x)} secrets and {len(column)} observables: give one observable for each secret"
            )
    numbers = [None if numeric is False else _numbers(c, numeric is True, where, error) for c in columns]
    found = [column for column in numbers if column is not None]
    points = np.stack(found, axis=1) if len(found) == len(columns) else None
    counts = _times(times, len(x))
    if int(counts.sum()) < LEAST:
        raise InvalidParameter(f"{int(counts.sum())} events say nothing: collect at least {LEAST}")
    if len(names) < 2:
        raise InvalidParameter("all events have one secret: nothing can be learnt of it, give events of two or more")
    whole = points is not None and bool((points == np.floor(points)).all() and (np.abs(points) < 2**53).all())
    y, m = _distinct([_coded(c, "observable", where, error)[0] for c in columns] if points is None else list(points.T))
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


def _column(values: Any, what: str) -> Any:
    """One column as an Arrow array, a vector, or a list."""
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    if hasattr(type(values), "to_numpy") and not isinstance(values, pa.Table):  # a series of pandas or polars
        try:
            values = values.to_numpy()
        except Exception:
            raise InvalidParameter(f"{what} cannot be read as a column: give an array or a list") from None
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InvalidParameter(f"{what} are one column, not an array of {values.ndim} dimensions")
        if np.ma.is_masked(values):
            raise InvalidParameter(f"{what} have masked entries: leave those events out")
        return np.asarray(values)
    return listed(values, f"{what} are an array or a sequence")


def _columns(observables: Any) -> list[Any]:
    """The columns of observables: of a table, of an array of two dimensions, of rows, or the only one."""
    if isinstance(observables, pa.Table | pa.RecordBatch):
        return [observables.column(i) for i in range(observables.num_columns)]
    if hasattr(type(observables), "__dataframe__") and hasattr(observables, "columns"):
        try:
            observables = observables.to_numpy()
        except Exception:  # of whatever it is
            raise InvalidParameter("the observables cannot be read as a table: give an array or columns") from None
    if not isinstance(observables, np.ndarray | pa.Array | pa.ChunkedArray):
        observables = _column(observables, "the observables")
    if (
        isinstance(observables, list)
        and observables
        and all(isinstance(r, list | tuple | np.ndarray) for r in observables)
    ):
        try:
            observables = np.array(observables, dtype=np.float64)
        except Exception:  # of whatever the entries are
            raise InvalidParameter("observables are rows of equally many numbers, or one value each") from None
    if isinstance(observables, np.ndarray) and observables.ndim == 2 and observables.shape[1]:
        return [np.ascontiguousarray(observables[:, j]) for j in range(observables.shape[1])]
    if isinstance(observables, np.ndarray) and observables.ndim != 1:
        raise InvalidParameter(f"observables are a column or rows of numbers, not of shape {observables.shape}")
    return [observables]


def _numbers(column: Any, told: bool, where: Callable[[int], str], error: type[MinleakError]) -> Any:
    """The column as finite floats, or None if it does not hold numbers and was not said to."""
    if isinstance(column, pa.Array | pa.ChunkedArray):
        kind = column.type
        if pa.types.is_dictionary(kind):
            column, kind = column.cast(kind.value_type), kind.value_type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return _spelled(column, told, where, error)
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
            return _refused(told, f"the observables are of type {kind}, which is no number", error)
        if column.null_count:
            return None  # refused as missing where it is coded
        column = column.cast(pa.float64()).to_numpy()
    if isinstance(column, list):
        flags = [isinstance(v, int | float | np.number) and not isinstance(v, bool | complex) for v in column]
        if not any(flags):
            if all(isinstance(v, str) for v in column):
                return _spelled(pa.array(column), told, where, error) if told else None
            return _refused(told, "the observables are no numbers", error)
        if not all(flags):
            return _mixed(flags.index(False), where, error)
        try:
            column = np.array(column, dtype=np.float64)
        except OverflowError:
            raise error("an observable is too large for a float: give numbers below 1e308") from None
    if column.dtype.kind not in "iuf":
        if column.dtype.kind == "O":
            return _numbers(column.tolist(), told, where, error)
        return _refused(told, f"the observables are of type {column.dtype}, which is no number", error)
    column = column.astype(np.float64)
    good = np.isfinite(column)
    if not good.all():
        raise error(f"the observable of {where(int(np.argmin(good)))} is NaN or infinite: leave such events out")
    return column


def _spelled(column: Any, told: bool, where: Callable[[int], str], error: type[MinleakError]) -> Any:
    """Texts that all spell numbers; where most do and some do not, something went wrong in the log."""
    import pyarrow.compute as pc

    texts = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    like = pc.match_substring_regex(texts, r"^\s*[+-]?[0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?\s*$|^\s*[+-]?\.[0-9]+$")
    share = pc.mean(like).as_py() or 0.0
    if share == 0 or (not told and share < 0.5):
        return _refused(told, "the observables are text that spells no numbers", error)
    if share < 1:
        return _mixed(pc.index(like, False).as_py(), where, error)
    return np.asarray(spelled_numbers(texts, "observable", where), dtype=np.float64)


def _mixed(i: int, where: Callable[[int], str], error: type[MinleakError]) -> Any:
    raise error(
        f"the observable of {where(i)} is no number where others are: mend it, or take all as names "
        "(numeric=False, --names)"
    )


def _refused(told: bool, what: str, error: type[MinleakError]) -> None:
    if told:
        raise error(f"{what}: leave out numeric=True, or give numbers")


def _coded(column: Any, role: str, where: Callable[[int], str], error: type[MinleakError]) -> tuple[Codes, Labels]:
    """Numbers from 0 for the values of a column, in the order of how they are written, and the values."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iub":
        values, codes = np.unique(column, return_inverse=True)
        return _in_order(codes.astype(np.int64), Labels.of(values, 0), role)
    if not isinstance(column, pa.Array | pa.ChunkedArray):
        column = column.tolist() if isinstance(column, np.ndarray) else column
        nothing = next((i for i, v in enumerate(column) if v is None or (isinstance(v, float) and v != v)), None)
        if nothing is not None:
            raise error(f"the {role} of {where(nothing)} is missing: leave such events out")
        positions: dict[Any, int] = {}
        try:
            codes = np.array([positions.setdefault(v, len(positions)) for v in column], dtype=np.int64)
        except Exception:  # of whatever the entries are
            raise error(f"{role}s are text, numbers or other things that can be compared, not lists") from None
        return _in_order(codes, Labels.of(positions, 0), role)
    import pyarrow.compute as pc

    if column.null_count:
        raise error(
            f"the {role} of {where(pc.index(column.is_null(), True).as_py())} is missing: leave such events out"
        )
    try:
        coded = column.dictionary_encode() if not pa.types.is_dictionary(column.type) else column
        coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    except pa.ArrowException:
        return _coded([str(v) for v in column.to_pylist()], role, where, error)  # lists, such as the sets of a cloak
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.unify_dictionaries().chunk(0)
    return _in_order(coded.indices.to_numpy().astype(np.int64), Labels.of(coded.dictionary, 0), role)


def _in_order(codes: Codes, names: Labels, role: str) -> tuple[Codes, Labels]:
    """In the order of how they are written, so that the order of the rows does not matter."""
    try:
        written = np.array([str(name) for name in names])
    except Exception:  # of whatever they are
        raise InvalidParameter(f"some {role}s have no writing, as years past 9999: cast them") from None
    order = np.argsort(written, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], Labels(tuple(names[int(i)] for i in order))


def _distinct(columns: Sequence[Any]) -> tuple[Codes, int]:
    """Codes of the distinct rows of some columns, and how many there are."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, inner = np.unique(column, return_inverse=True)
        codes = np.unique(codes * len(values) + inner, return_inverse=True)[1]
    return codes, int(codes.max()) + 1 if len(codes) else 0


def _times(times: Any, n: int) -> Codes:
    if times is None:
        return np.ones(n, dtype=np.int64)
    given = np.asarray(times)
    if given.shape != (n,) or given.dtype.kind not in "iu" or (given < 0).any():
        raise InvalidParameter("weights are whole numbers from 0 on, how many events each row stands for")
    return given.astype(np.int64)


def _blocks(blocks: Any, n: int, where: Callable[[int], str], error: type[MinleakError]) -> Codes:
    if isinstance(blocks, int | np.integer) and not isinstance(blocks, bool):
        if not 1 <= blocks <= n:
            raise InvalidParameter(f"blocks is how many events in a row make one, from 1 to {n}, not {blocks}")
        return np.arange(n, dtype=np.int64) // int(blocks)
    codes, _ = _coded(_column(blocks, "the blocks"), "block", where, error)
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
    names = (
        [observable]
        if isinstance(observable, str)
        else listed(observable, "observable is the name of a column, or several")
    )
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InvalidParameter("observable is the name of a column, or several, each once")
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
    wanted = {
        "secret": secret,
        "observable": names,
        "weight": weight,
        "blocks": blocks if isinstance(blocks, str) else None,
    }
    for parameter, name in (
        (p, n) for p, given in wanted.items() for n in (given if isinstance(given, list) else [given])
    ):
        if name is not None and (not isinstance(name, str) or arrow.column_names.count(name) != 1):
            raise InvalidParameter(f"the table has no column {shown(name)}: say which one with {parameter}=")
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
