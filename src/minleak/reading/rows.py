"""Tidy rows: the columns of a csv, tsv or parquet file by name, row after row with the line that it is on."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import pyarrow as pa

from minleak.errors import UnreadableFile
from minleak.reading.delimited import DELIMITERS
from minleak.reading.sources import check_utf8, content_of, kind_of


class TidyRows:
    """A file of named columns; `what` is what messages call its contents."""

    def __init__(self, source: str | os.PathLike[str] | BinaryIO, *, what: str, format: str | None) -> None:
        kind, self.name = kind_of(source, format)
        if kind not in ("csv", "tsv", "parquet"):
            raise UnreadableFile(f"{what} read from csv, tsv or parquet, not {kind}")
        data = content_of(source, self.name)
        self.header, self._rows = self._parquet(data) if kind == "parquet" else self._delimited(data, kind)

    def of(self, columns: Sequence[str], *, hint: str = "") -> Iterator[tuple[int, list[Any]]]:
        """(line, entries of these columns) of each row; every column must be there once."""
        for wanted in columns:
            if self.header.count(wanted) != 1:
                raise UnreadableFile(
                    f"{self.name} has {self.header.count(wanted) or 'no'} column {wanted!r}, where one is needed; "
                    f"its columns are {', '.join(map(repr, self.header))}{hint}"
                )
        places = [self.header.index(wanted) for wanted in columns]
        return ((line, [row[place] for place in places]) for line, row in self._rows)

    def _delimited(self, data: bytes, kind: str) -> tuple[list[str], Iterator[tuple[int, Sequence[Any]]]]:
        check_utf8(data, self.name)
        reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=DELIMITERS[kind])
        header = next(reader, None)
        if header is None:
            raise UnreadableFile(f"{self.name} is empty: a header that names its columns is needed")

        def rows() -> Iterator[tuple[int, list[str]]]:
            for row in reader:
                if row and len(row) != len(header):
                    raise UnreadableFile(
                        f"line {reader.line_num} of {self.name} has {len(row)} columns where the header has "
                        f"{len(header)}"
                    )
                if row:
                    yield reader.line_num, row

        return header, rows()

    def _parquet(self, data: bytes) -> tuple[list[str], Iterator[tuple[int, Sequence[Any]]]]:
        from pyarrow import parquet

        try:
            table = parquet.read_table(pa.BufferReader(data))
        except (pa.ArrowException, OSError) as error:
            raise UnreadableFile(f"cannot parse {self.name} as parquet: {str(error).splitlines()[0]}") from None
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        return list(table.column_names), enumerate(rows, 1)
