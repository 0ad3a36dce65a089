"""read_prior: a prior from the files that counts come in."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from minleak.errors import UnreadableFile
from minleak.prior import Prior

_ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".txt": "uniq",
}
FORMATS = ("csv", "tsv", "parquet", "json", "uniq")


def read_prior(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    secret: str = "secret",
    weight: str = "count",
    format: str | None = None,
) -> Prior:
    """The prior in a file of secrets and their counts (or any weights).

    Parameters
    ----------
    source
        A path, or an open binary file. A name ending in .gz is decompressed.
    secret, weight
        The columns to read from csv, tsv and parquet. In csv and tsv secrets are text; parquet keeps its own type.
    format
        "csv", "tsv", "parquet", "json" (a mapping from secret to weight) or "uniq" (what `sort | uniq -c` prints: a
        count, a space, the secret). Taken from the ending of the name if not given (.txt means uniq).

    Integer weights stay exact, whatever their size. Raises UnreadableFile, naming the line, for rows that cannot be
    parsed and columns that are not there, and InvalidPrior for weights that are no prior. Time: within a small factor
    of what pyarrow itself needs to read the file.

    >>> import io
    >>> read_prior(io.BytesIO(b"secret,count\\nflu,812\\ncold,640\\n"), format="csv")
    Prior(n=2, total=1452, exact)
    """
    kind, name = _kind(source, format)
    try:
        stream = _opened(source)
    except OSError as error:
        raise UnreadableFile(f"cannot open {name}: {error.strerror or error}") from None
    with stream:
        try:
            if kind in ("csv", "tsv"):
                return _delimited(stream.read(), name, secret, weight, "," if kind == "csv" else "\t")
            if kind == "parquet":
                return _parquet(stream.read(), name, secret, weight)
            if kind == "json":
                return _json(stream, name)
            return _uniq(stream, name)
        except (EOFError, gzip.BadGzipFile) as error:
            raise UnreadableFile(f"{name} is not a whole gzip file: {error}") from None
        except UnicodeDecodeError as error:
            raise UnreadableFile(f"{name} is not UTF-8 text: {error.reason} at byte {error.start}") from None


def _kind(source: Any, format: str | None) -> tuple[str, str]:
    name = str(os.fspath(source)) if isinstance(source, str | os.PathLike) else getattr(source, "name", "the input")
    if format is not None:
        if format not in FORMATS:
            raise UnreadableFile(f"unknown format {format!r}: one of {', '.join(FORMATS)}")
        return format, str(name)
    stem = str(name).lower().removesuffix(".gz")
    ending = os.path.splitext(stem)[1]
    if ending not in _ENDINGS:
        raise UnreadableFile(
            f"cannot tell the format of {name} from its ending: say format= one of {', '.join(FORMATS)}"
        )
    return _ENDINGS[ending], str(name)


def _opened(source: Any) -> Any:
    if not isinstance(source, str | os.PathLike):
        return io.BytesIO(source.read())
    path = os.fspath(source)
    if path.endswith(".gz"):
        return gzip.open(path, "rb")
    return open(path, "rb")


def _delimited(text: bytes, name: str, secret: str, weight: str, delimiter: str) -> Prior:
    """Two columns of a csv or tsv. The header is row 1; rows are fewer than lines where a field holds a line break."""
    from pyarrow import csv

    if secret == weight:
        raise UnreadableFile(f"secret and weight both name the column {secret!r}: name two columns")
    header = _header(text, name, delimiter)
    for wanted in (secret, weight):
        if wanted not in header:
            raise UnreadableFile(
                f"{name} has no column {wanted!r}; its columns are {', '.join(map(repr, header))} "
                "(choose them with secret= and weight=)"
            )
        if header.count(wanted) > 1:
            raise UnreadableFile(f"{name} has {header.count(wanted)} columns named {wanted!r}: rename all but one")

    def read(weight_type: pa.DataType | None) -> pa.Table:
        types = {secret: pa.string()} | ({weight: weight_type} if weight_type else {})
        bad: list[Any] = []
        table = csv.read_csv(
            pa.BufferReader(text),
            parse_options=csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=b'"' in text,
                invalid_row_handler=lambda row: bad.append(row) or "skip",  # type: ignore[func-returns-value]
            ),
            convert_options=csv.ConvertOptions(
                include_columns=[secret, weight], column_types=types, strings_can_be_null=False
            ),
        )
        if bad:
            row = bad[0]
            raise UnreadableFile(
                f"{name}: a row has {row.actual_columns} columns where the header has {row.expected_columns}"
                f"{f', row {row.number}' if row.number else ''}: {row.text[:80]!r}"
            )
        return table

    try:
        table = read(None)
        column = table[weight]
        if pa.types.is_floating(column.type) and pc.max(column).as_py() is not None and pc.max(column).as_py() >= 2**63:
            column = _large_integers(read(pa.string())[weight]) or column
    except pa.ArrowInvalid as error:
        raise UnreadableFile(f"cannot parse {name}: {str(error).splitlines()[0]}") from None
    return _prior(column, table[secret], name, lambda i: f"row {i + 2} of {name}")


def _header(text: bytes, name: str, delimiter: str) -> list[str]:
    import csv as plain

    first = text[: text.find(b"\n") + 1 or len(text)].decode("utf-8-sig").rstrip("\r\n")
    if not first:
        raise UnreadableFile(f"{name} is empty or starts with an empty line: a header naming its columns is needed")
    return next(plain.reader([first], delimiter=delimiter))


def _large_integers(column: pa.ChunkedArray) -> list[int] | None:
    """Integers too large for 64 bits, exactly; None if the column holds other numbers too."""
    texts = column.to_pylist()
    return [int(text) for text in texts] if all(re.fullmatch(r"[0-9]+", text) for text in texts) else None


def _parquet(data: bytes, name: str, secret: str, weight: str) -> Prior:
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(pa.BufferReader(data))
        for wanted in (secret, weight):
            if wanted not in file.schema_arrow.names:
                raise UnreadableFile(
                    f"{name} has no column {wanted!r}; its columns are "
                    f"{', '.join(map(repr, file.schema_arrow.names))} (choose them with secret= and weight=)"
                )
        table = file.read(columns=[secret, weight])
    except pa.ArrowInvalid as error:
        raise UnreadableFile(f"cannot parse {name} as parquet: {str(error).splitlines()[0]}") from None
    return _prior(table[weight], table[secret], name, lambda i: f"row {i + 1} of {name}")


def _prior(weights: Any, secrets: pa.ChunkedArray, name: str, where: Callable[[int], str]) -> Prior:
    """A prior of two columns, whose errors speak of the file's rows."""
    if isinstance(weights, pa.ChunkedArray):
        kind = weights.type
        if len(weights) == 0:
            raise UnreadableFile(f"{name} has a header but no rows")
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            i = _first_unparsable(weights)
            raise UnreadableFile(f"the weight at {where(i)} is {weights[i].as_py()!r}, which is not a number")
        if pa.types.is_boolean(kind):
            raise UnreadableFile(f"the weight at {where(0)} is a boolean, not a number")
        if weights.null_count:
            i = pc.index(weights.is_null(), True).as_py()
            raise UnreadableFile(f"the weight at {where(i)} is missing or not a number")
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
            raise UnreadableFile(f"the weights of {name} are of type {kind}, not numbers")
        if pa.types.is_decimal(kind):
            weights = [int(v) if v == int(v) else float(v) for v in weights.to_pylist()]
        else:
            weights = weights.to_numpy()
    if secrets.null_count:
        i = pc.index(secrets.is_null(), True).as_py()
        raise UnreadableFile(f"the secret at {where(i)} is missing")
    return Prior(weights, labels=secrets, _where=where)


def _first_unparsable(column: pa.ChunkedArray) -> int:
    for i, text in enumerate(column.to_pylist()):
        try:
            float(text)
        except (TypeError, ValueError):
            return i
    return 0


def _json(stream: BinaryIO, name: str) -> Prior:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(items)
        if len(mapping) < len(items):
            names = [key for key, _ in items]
            twice = next(key for i, key in enumerate(names) if key in names[:i])
            raise UnreadableFile(f"{name} gives the secret {twice!r} twice")
        return mapping

    try:
        mapping = json.load(stream, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise UnreadableFile(f"cannot parse {name}: {error.msg} at line {error.lineno}") from None
    if not isinstance(mapping, dict):
        raise UnreadableFile(f"{name} holds a {type(mapping).__name__}, not a mapping from secret to weight")
    return Prior(list(mapping.values()), labels=list(mapping))


def _uniq(stream: BinaryIO, name: str) -> Prior:
    counts, secrets = [], []
    for number, line in enumerate(io.TextIOWrapper(stream, encoding="utf-8", newline="\n"), start=1):
        count, space, secret = line.rstrip("\n").lstrip(" ").partition(" ")
        if not (space and count.isascii() and count.isdigit()):
            raise UnreadableFile(
                f"line {number} of {name} is not a count, a space and a secret, as `sort | uniq -c` prints it"
            )
        counts.append(int(count))
        secrets.append(secret)
    return Prior(
        counts if counts and max(counts) >= 2**63 else np.array(counts, dtype=np.int64),
        labels=secrets,
        _where=lambda i: f"line {i + 1} of {name}",
    )
