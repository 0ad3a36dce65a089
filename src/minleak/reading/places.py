"""read_places: the coordinates of the secrets, from columns of the file that their prior is read from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak.errors import UnreadableFile
from minleak.reading.delimited import Delimited
from minleak.reading.sources import content_of, kind_of

Array = npt.NDArray[np.float64]


def read_places(
    source: str | os.PathLike[str] | BinaryIO, *, columns: Sequence[str], format: str | None = None
) -> Array:
    """The numbers in the named columns of a csv, tsv or parquet file, a row for each row of the file.

    The file is one that `read_prior` reads, so that row i has the place of secret i. Raises UnreadableFile for columns
    that are not there and entries that are no numbers, naming the row.

    >>> import io
    >>> text = b"secret,count,lat,lon\\nLima,10,-12.05,-77.04\\n"
    >>> read_places(io.BytesIO(text), columns=["lat", "lon"], format="csv")
    array([[-12.05, -77.04]])
    """
    kind, name = kind_of(source, format)
    if kind not in ("csv", "tsv", "parquet"):
        raise UnreadableFile(f"coordinates are read from csv, tsv or parquet, which have columns, not from {kind}")
    table = _parquet(content_of(source, name), name) if kind == "parquet" else Delimited(source, name, kind).table({})
    missing = [column for column in columns if column not in table.column_names]
    if missing:
        there = ", ".join(map(repr, table.column_names))
        raise UnreadableFile(f"{name} has no column {missing[0]!r}; its columns are {there}")
    return np.stack([_numbers(table[column], column, name) for column in columns], axis=1)


def _parquet(data: bytes, name: str) -> pa.Table:
    from pyarrow import parquet

    try:
        return parquet.read_table(pa.BufferReader(data))
    except (pa.ArrowException, OSError) as error:
        raise UnreadableFile(f"cannot parse {name}: {str(error).splitlines()[0]}") from None


def _numbers(column: pa.ChunkedArray, called: str, name: str) -> Array:
    """A column as floats; what is missing or text is refused by its row, counted from 1 after the header."""
    try:
        numbers = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowException:
        numbers = np.array([_number(value) for value in column.to_pylist()])
    bad = ~np.isfinite(numbers)
    if bad.any():
        row = int(np.argmax(bad))
        raise UnreadableFile(f"row {row + 1} of {name} has {column[row].as_py()!r} in {called!r}: it must be a number")
    return np.asarray(numbers, dtype=np.float64)


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return float("nan")
