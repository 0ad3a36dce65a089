"""read_prior: a prior from the files that counts come in."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from minleak._kernels.warming import warm
from minleak.buffers import to_numpy
from minleak.errors import UnreadableFile
from minleak.labels import Labels
from minleak.prior import Prior
from minleak.reading.delimited import Delimited
from minleak.reading.sources import BOM, check_utf8, content_of, kind_of

_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


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

    Text is UTF-8. Integer weights stay exact, whatever their size. Raises UnreadableFile, naming the line, for rows
    that cannot be parsed and columns that are not there, and InvalidPrior for weights that are no prior. Time: within
    a small factor of what pyarrow itself needs to read the file.

    >>> import io
    >>> read_prior(io.BytesIO(b"secret,count\\nflu,812\\ncold,640\\n"), format="csv")
    Prior(n=2, total=1452, exact)
    """
    kind, name = kind_of(source, format)
    if kind in ("csv", "tsv"):
        file = Delimited(source, name, kind)
        with warm(meanwhile=file.large):
            return _delimited(file, secret, weight)
    data = content_of(source, name)
    if kind == "parquet":
        return _parquet(data, name, secret, weight)
    if kind == "json":
        return _json(data, name)
    return _uniq(data, name)


def _delimited(file: Delimited, secret: str, weight: str) -> Prior:
    """Two columns of a csv or tsv, read by pyarrow; only to say what is wrong is the file walked line by line."""
    _check_columns(file.header(), file.name, secret, weight)
    table = file.table({secret: pa.string(), weight: None})
    weights = table[weight]
    if not _is_number(weights.type) or weights.null_count or _passes_int64(weights):
        weights = _numbers(file.table({weight: pa.string()})[weight], file.where)
    else:
        weights = _taken(weights)
    labels = Labels.of(table[secret], table.num_rows)
    del table
    pa.default_memory_pool().release_unused()  # twice as much as the columns themselves, if the file is large
    return Prior(weights, labels=labels, _where=file.where)


def _check_columns(columns: list[str], name: str, secret: str, weight: str) -> None:
    if secret == weight:
        raise UnreadableFile(f"secret and weight both name the column {secret!r}: name two columns")
    for wanted in (secret, weight):
        if wanted not in columns:
            raise UnreadableFile(
                f"{name} has no column {wanted!r}; its columns are {', '.join(map(repr, columns))} "
                "(choose them with secret= and weight=)"
            )
        if columns.count(wanted) > 1:
            raise UnreadableFile(f"{name} has {columns.count(wanted)} columns named {wanted!r}: rename all but one")


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _passes_int64(weights: pa.ChunkedArray) -> bool:
    """Whether pyarrow may have read integers as floats because they are too large for 64 bits."""
    import pyarrow.compute as pc

    return bool(pa.types.is_floating(weights.type) and pc.max(weights).as_py() >= 2**63)


def _taken(column: pa.ChunkedArray) -> np.ndarray[Any, Any]:
    """The numbers of a column as an array that nobody else will write to, which a prior keeps without copying."""
    numbers = np.concatenate([to_numpy(chunk) for chunk in column.chunks])
    numbers.flags.writeable = False
    return numbers


def _numbers(column: pa.ChunkedArray, where: Callable[[int], str]) -> list[int | float]:
    """The numbers that texts spell, integers exactly."""
    numbers: list[int | float] = []
    for i, text in enumerate(column.to_pylist()):
        digits = text.strip()
        if not digits:
            raise UnreadableFile(f"the weight at {where(i)} is missing: give 0 for a secret that cannot occur")
        if _INTEGER.fullmatch(digits):
            numbers.append(_integer(digits, i, where))
        elif _NUMBER.fullmatch(digits):
            numbers.append(float(digits))
        else:
            raise UnreadableFile(f"the weight at {where(i)} is {text[:40]!r}, which is not a number")
    return numbers


def _integer(digits: str, i: int, where: Callable[[int], str]) -> int:
    try:
        return int(digits)
    except ValueError:  # Python's limit, some thousands of digits, against texts that take minutes to convert
        raise UnreadableFile(f"the weight at {where(i)} has {len(digits)} digits, more than can be read") from None


def _parquet(data: bytes, name: str, secret: str, weight: str) -> Prior:
    import pyarrow.compute as pc
    from pyarrow import parquet

    def where(i: int) -> str:
        return f"row {i + 1} of {name}"

    try:
        file = parquet.ParquetFile(pa.BufferReader(data))
        _check_columns(file.schema_arrow.names, name, secret, weight)
        table = file.read(columns=[secret, weight])
    except (pa.ArrowException, OSError) as error:
        raise UnreadableFile(f"cannot parse {name} as parquet: {str(error).splitlines()[0]}") from None
    secrets, weights = table[secret], table[weight]
    if len(weights) == 0:
        raise UnreadableFile(f"{name} has no rows")
    for column, what in ((secrets, "secret"), (weights, "weight")):
        if column.null_count:
            raise UnreadableFile(f"the {what} at {where(pc.index(column.is_null(), True).as_py())} is missing")
    kind = weights.type
    if pa.types.is_decimal(kind):
        weights = [int(value) if value == int(value) else float(value) for value in weights.to_pylist()]
    elif _is_number(kind):
        weights = _taken(weights)
    else:
        raise UnreadableFile(
            f"the weight at {where(0)} is of type {kind}, which is not a number: store integers or floats"
        )
    if pa.types.is_nested(secrets.type):
        raise UnreadableFile(
            f"the secret at {where(0)} is of type {secrets.type}, which is no name: store text or integers"
        )
    return Prior(weights, labels=secrets, _where=where)


def _json(data: bytes, name: str) -> Prior:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key, value in items:
            if key in mapping:
                raise UnreadableFile(f"{name} gives the secret {key!r} twice: add up its weights")
            mapping[key] = value
        return mapping

    try:
        mapping = json.loads(data, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise UnreadableFile(f"cannot parse {name}: {error.msg} at line {error.lineno}") from None
    except UnreadableFile:
        raise
    except RecursionError:
        raise UnreadableFile(f"cannot parse {name}: its brackets are nested too deeply") from None
    except ValueError:
        check_utf8(data, name)
        raise UnreadableFile(f"cannot parse {name}: an integer has more digits than can be read") from None
    if not isinstance(mapping, dict):
        raise UnreadableFile(f"{name} holds a {type(mapping).__name__}, not a mapping from secret to weight")
    if not mapping:
        raise UnreadableFile(f"{name} holds an empty mapping: a prior needs at least one secret")
    secrets = list(mapping)
    return Prior(list(mapping.values()), labels=secrets, _where=lambda i: f"{secrets[i]!r} of {name}")


def _uniq(data: bytes, name: str) -> Prior:
    def where(i: int) -> str:
        return f"line {i + 1} of {name}"

    check_utf8(data, name)
    counts, secrets = [], []
    for i, raw in enumerate(io.BytesIO(data.removeprefix(BOM))):
        line = raw.decode().removesuffix("\n").removesuffix("\r")
        count, space, secret = line.lstrip(" ").partition(" ")
        if not (space and count.isascii() and count.isdigit()):
            raise UnreadableFile(
                f"{where(i)} is not a count, a space and a secret, as `sort | uniq -c` prints it: {line[:60]!r}"
            )
        counts.append(_integer(count, i, where))
        secrets.append(secret)
    if not counts:
        raise UnreadableFile(f"{name} is empty: a prior needs at least one secret")
    return Prior(counts if max(counts) >= 2**63 else np.array(counts, dtype=np.int64), labels=secrets, _where=where)
