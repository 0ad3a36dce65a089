"""read_pairs: which observables each secret may show, and at what cost, from a file of tidy rows."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak.errors import UnreadableFile
from minleak.labels import Labels
from minleak.reading import content_of, kind_of


@dataclass(frozen=True)
class Pairs:
    """allowed[x,y], cost[x,y] (None if the file has no costs) and the observables' labels in order of appearance."""

    allowed: npt.NDArray[np.bool_]
    cost: npt.NDArray[np.float64] | None
    outputs: Labels


def read_pairs(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    inputs: Iterable[Hashable],
    secret: str = "secret",
    observable: str = "observable",
    cost: str = "cost",
    format: str | None = None,
) -> Pairs:
    """The pairs in a csv(.gz), tsv or parquet file with a row for every observable that a secret may show.

    What is not listed is not allowed. The column `cost` may be missing; `inputs` are the secrets in order, for
    instance `prior.labels`. Raises UnreadableFile, naming the line.

    >>> import io
    >>> rows = b"secret,observable,cost\\nflu,hot,0\\nflu,mild,1\\ngout,mild,0.5\\n"
    >>> pairs = read_pairs(io.BytesIO(rows), inputs=["flu", "gout"], format="csv")
    >>> pairs.allowed.tolist(), pairs.cost.tolist()
    ([[True, True], [False, True]], [[0.0, 1.0], [0.0, 0.5]])
    """
    kind, name = kind_of(source, format)
    if kind not in ("csv", "tsv", "parquet"):
        raise UnreadableFile(f"pairs are read from csv, tsv or parquet, not {kind}")
    data = content_of(source, name)
    header, rows = _parquet(data, name) if kind == "parquet" else _delimited(data, name, kind)
    wanted = [secret, observable, *([cost] if cost in header else [])]
    for column in wanted:
        if header.count(column) != 1:
            raise UnreadableFile(
                f"{name} has {header.count(column) or 'no'} column {column!r}, where one is needed; "
                f"its columns are {', '.join(map(repr, header))}"
            )
    places = [header.index(column) for column in wanted]
    secrets = {label: x for x, label in enumerate(inputs)}
    observables: dict[Hashable, int] = {}
    found: dict[tuple[int, int], float] = {}
    for line, row in rows:
        x, y, *price = (row[place] for place in places)
        if x not in secrets:
            raise UnreadableFile(f"line {line} of {name} names a secret that the prior does not have: {str(x)[:40]!r}")
        at = secrets[x], observables.setdefault(y, len(observables))
        if at in found:
            raise UnreadableFile(f"line {line} of {name} lists a pair for the second time: keep one of them")
        found[at] = _number(price[0], cost, line, name) if price else 0.0
    if not found:
        raise UnreadableFile(f"{name} lists no pairs: at least one observable must be allowed")
    allowed = np.zeros((len(secrets), len(observables)), dtype=bool)
    costs = np.zeros(allowed.shape)
    for at, value in found.items():
        allowed[at], costs[at] = True, value
    return Pairs(allowed, costs if len(wanted) == 3 else None, Labels.of(list(observables), len(observables)))


def _number(text: Any, column: str, line: int, name: str) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise UnreadableFile(f"the {column} at line {line} of {name} is {str(text)[:40]!r}, which is no finite number")
    return value


def _delimited(data: bytes, name: str, kind: str) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(f"line {line} of {name} is not UTF-8 text: save the file as UTF-8") from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="," if kind == "csv" else "\t")
    header = next(reader, None)
    if header is None:
        raise UnreadableFile(f"{name} is empty: a header that names its columns is needed")

    def rows() -> Iterator[tuple[int, list[str]]]:
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise UnreadableFile(
                    f"line {reader.line_num} of {name} has {len(row)} columns where the header has {len(header)}"
                )
            yield reader.line_num, row

    return header, rows()


def _parquet(data: bytes, name: str) -> tuple[list[str], Iterator[tuple[int, tuple[Any, ...]]]]:
    from pyarrow import parquet

    try:
        table = parquet.read_table(pa.BufferReader(data))
    except (pa.ArrowException, OSError) as error:
        raise UnreadableFile(f"cannot parse {name} as parquet: {str(error).splitlines()[0]}") from None
    return list(table.column_names), enumerate(zip(*(column.to_pylist() for column in table.columns), strict=True), 1)
