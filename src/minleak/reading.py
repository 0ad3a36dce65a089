"""read_prior: a prior from the files that counts come in."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from minleak._kernels.warming import warm
from minleak.buffers import to_numpy
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
# From so many bytes on reading takes longer than loading the compiler, which is then done meanwhile.
_LARGE = 1 << 25
_BOM = b"\xef\xbb\xbf"
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
        with warm(meanwhile=_is_large(source)):
            return _delimited(content_of(source, name), name, secret, weight, "," if kind == "csv" else "\t")
    data = content_of(source, name)
    if kind == "parquet":
        return _parquet(data, name, secret, weight)
    if kind == "json":
        return _json(data, name)
    return _uniq(data, name)


def kind_of(source: Any, format: str | None) -> tuple[str, str]:
    """The format, and what messages call the source."""
    if isinstance(source, str | os.PathLike):
        name = str(os.fspath(source))
    elif hasattr(source, "read"):
        name = str(getattr(source, "name", "the input"))
    else:
        raise UnreadableFile(f"a prior is read from a path or an open binary file, not {type(source).__name__}")
    if format is not None:
        if format not in FORMATS:
            raise UnreadableFile(f"unknown format {format!r}: one of {', '.join(FORMATS)}")
        return format, name
    ending = os.path.splitext(name.lower().removesuffix(".gz"))[1]
    if ending not in _ENDINGS:
        raise UnreadableFile(
            f"cannot tell the format of {name} from its ending: say format= one of {', '.join(FORMATS)}"
        )
    return _ENDINGS[ending], name


def _is_large(source: Any) -> bool:
    """Whether the file is known to be large; what is wrong with it is said by whoever opens it."""
    try:
        return isinstance(source, str | os.PathLike) and os.path.getsize(source) >= _LARGE
    except (OSError, ValueError):
        return False


def content_of(source: Any, name: str) -> bytes:
    """All bytes of the source, decompressed."""
    is_path = isinstance(source, str | os.PathLike)
    try:
        if is_path:
            with open(source, "rb") as file:
                data = file.read()
        else:
            data = source.read()
    except (OSError, ValueError) as error:  # ValueError: a closed file, or a path with a null byte
        raise UnreadableFile(f"cannot open {name}: {getattr(error, 'strerror', None) or error}") from None
    if isinstance(data, str):
        raise UnreadableFile(f"{name} is open as text: open it in binary mode, 'rb'")
    # A file object may have been decompressed on the way already, whatever its name.
    if name.lower().endswith(".gz") and (is_path or data[:2] == b"\x1f\x8b"):
        try:
            return gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise UnreadableFile(f"{name} is not a whole gzip file: {error}") from None
    return bytes(data)


def _delimited(text: bytes, name: str, secret: str, weight: str, delimiter: str) -> Prior:
    """Two columns of a csv or tsv, read by pyarrow; only to say what is wrong is the file walked line by line."""
    first = [fields for _, fields in islice(_records(text, delimiter), 2)]
    if not first:
        raise UnreadableFile(f"{name} is empty: a header that names its columns is needed")
    _check_utf8(b"".join(first[0]), name)
    _check_columns([_unquoted(field) for field in first[0]], name, secret, weight)
    if len(first) == 1:
        raise UnreadableFile(f"{name} has a header but no rows")

    def where(i: int) -> str:
        line, _ = next(islice(_records(text, delimiter), i + 1, None))
        return f"line {line} of {name}"

    try:
        table = _table(text, delimiter, {secret: pa.string(), weight: None})
        weights = table[weight]
        if not _is_number(weights.type) or weights.null_count or _passes_int64(weights):
            weights = _numbers(_table(text, delimiter, {weight: pa.string()})[weight], where)
        else:
            weights = _taken(weights)
    except pa.ArrowException as error:
        raise _unparsable(text, name, delimiter, error) from None
    return Prior(weights, labels=table[secret], _where=where)


def _table(text: bytes, delimiter: str, columns: dict[str, pa.DataType | None]) -> pa.Table:
    """Some columns of the file, of the types given or (None) as pyarrow infers them."""
    from pyarrow import csv

    def read(block_size: int | None) -> pa.Table:
        return csv.read_csv(
            pa.BufferReader(text),
            read_options=csv.ReadOptions(block_size=block_size),
            parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=b'"' in text),
            convert_options=csv.ConvertOptions(
                include_columns=list(columns),
                column_types={name: kind for name, kind in columns.items() if kind is not None},
                strings_can_be_null=False,
            ),
        )

    try:
        return read(None)
    except pa.ArrowInvalid:
        if len(text) <= 1 << 20:
            raise
        return read(min(len(text), 2**31 - 1))  # a row may be longer than a block


def _records(text: bytes, delimiter: str) -> Iterator[tuple[int, list[bytes]]]:
    """The line on which each record starts, from 1, and its fields; the header first, empty lines left out."""
    end = re.escape(delimiter.encode())
    field = re.compile(rb'("[^"]*(?:""[^"]*)*"?[^%b\r\n]*|[^%b\r\n]*)(%b|\r\n?|\n|\Z)' % (end, end, end))
    begin = at = 3 if text.startswith(_BOM) else 0
    line = 1
    fields: list[bytes] = []
    while at < len(text) or fields:
        found: Any = field.match(text, at)  # matches always, if only nothing before the end
        fields.append(found[1])
        at = found.end()
        if found[2] != delimiter.encode():
            if fields != [b""]:
                yield line, fields
            line += len(re.findall(rb"\r\n?|\n", text[begin:at]))
            begin, fields = at, []


def _unquoted(field: bytes) -> str:
    text = field.decode()
    return text[1:].removesuffix('"').replace('""', '"') if text.startswith('"') else text


def _unparsable(text: bytes, name: str, delimiter: str, error: pa.ArrowException) -> UnreadableFile:
    """What is wrong with a file that pyarrow cannot parse, found by walking it."""
    _check_utf8(text, name)
    columns = 0
    for line, fields in _records(text, delimiter):
        columns = columns or len(fields)
        if len(fields) != columns:
            return UnreadableFile(
                f"line {line} of {name} has {len(fields)} columns where the header has {columns}: "
                f"{delimiter.encode().join(fields)[:60].decode(errors='replace')!r} "
                "(text with delimiters or line breaks belongs in quotes)"
            )
    return UnreadableFile(f"cannot parse {name}: {str(error).splitlines()[0]}")


def _check_utf8(text: bytes, name: str) -> None:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(
            f"line {line} of {name} is not UTF-8 text ({error.reason}): save the file as UTF-8"
        ) from None


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
        _check_utf8(data, name)
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

    _check_utf8(data, name)
    counts, secrets = [], []
    for i, raw in enumerate(io.BytesIO(data.removeprefix(_BOM))):
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
