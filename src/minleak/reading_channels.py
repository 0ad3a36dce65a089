"""read_channel: a channel from a file of tidy rows (secret, observable, probability)."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, BinaryIO

import pyarrow as pa

from minleak.channel import Channel
from minleak.errors import InvalidChannel, UnreadableFile
from minleak.reading import content_of, kind_of


def read_channel(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    secret: str = "secret",
    observable: str = "observable",
    probability: str = "probability",
    inputs: Iterable[Hashable] | None = None,
    format: str | None = None,
) -> Channel:
    """The channel in a csv(.gz), tsv or parquet file with a row for every p(observable given secret) that is not zero.

    `inputs` fixes the order of the secrets, for instance to `prior.labels`. Raises UnreadableFile or InvalidChannel,
    naming the row.

    >>> import io
    >>> rows = b"secret,observable,probability\\nflu,hot,0.9\\nflu,cold,0.1\\ngout,cold,1\\n"
    >>> read_channel(io.BytesIO(rows), format="csv")
    Channel(2 secrets, 2 observables, sparse with 3 non-zeros)
    """
    kind, name = kind_of(source, format)
    if kind not in ("csv", "tsv", "parquet"):
        raise UnreadableFile(f"a channel is read from csv, tsv or parquet, not {kind}")
    columns = (secret, observable, probability)
    data = content_of(source, name)
    rows = _parquet(data, name, columns) if kind == "parquet" else _delimited(data, name, columns, kind)
    try:
        return Channel.from_rows(rows, inputs=inputs)
    except InvalidChannel as error:
        raise InvalidChannel(f"{name}: {error}") from None


def _delimited(data: bytes, name: str, columns: tuple[str, ...], kind: str) -> Iterator[tuple[str, str, float]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(f"line {line} of {name} is not UTF-8 text: save the file as UTF-8") from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="," if kind == "csv" else "\t")
    header = next(reader, None)
    if header is None:
        raise UnreadableFile(f"{name} is empty: a header that names its columns is needed")
    places = _places(header, name, columns)
    for row in reader:
        if not row:
            continue
        if len(row) != len(header):
            raise UnreadableFile(
                f"line {reader.line_num} of {name} has {len(row)} columns where the header has {len(header)}"
            )
        x, y, number = (row[place] for place in places)
        try:
            yield x, y, float(number)
        except ValueError:
            raise UnreadableFile(
                f"the probability at line {reader.line_num} of {name} is {number[:40]!r}, which is not a number"
            ) from None


def _parquet(data: bytes, name: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, Any, Any]]:
    from pyarrow import parquet

    try:
        table = parquet.read_table(pa.BufferReader(data))
    except (pa.ArrowException, OSError) as error:
        raise UnreadableFile(f"cannot parse {name} as parquet: {str(error).splitlines()[0]}") from None
    _places(table.column_names, name, columns)
    return zip(*(table[column].to_pylist() for column in columns), strict=True)


def _places(header: list[str], name: str, columns: tuple[str, ...]) -> list[int]:
    for wanted in columns:
        if header.count(wanted) != 1:
            raise UnreadableFile(
                f"{name} has {header.count(wanted) or 'no'} column {wanted!r}, where one is needed; "
                f"its columns are {', '.join(map(repr, header))} (choose them with secret=, observable=, probability=)"
            )
    return [header.index(wanted) for wanted in columns]
