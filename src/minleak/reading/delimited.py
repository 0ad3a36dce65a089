"""Delimited text: columns of a csv or tsv by pyarrow, and where in the file something is wrong."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import islice
from typing import Any, BinaryIO

import pyarrow as pa

from minleak.errors import UnreadableFile
from minleak.reading.sources import BOM, check_utf8, content_of

DELIMITERS = {"csv": ",", "tsv": "\t"}
# Files from so many bytes on are parsed as they are read.
LARGE = 1 << 25
# What pyarrow takes at a time unless it is told, and the most that it can; and what we look through at a time.
_BLOCK, _LONGEST, _PIECE = 1 << 20, 2**31 - 1, 1 << 25


class Delimited:
    """A csv or tsv with a header. The text of a large file is never held, but to say what is wrong with it."""

    def __init__(self, source: str | os.PathLike[str] | BinaryIO, name: str, kind: str) -> None:
        self._source, self._delimiter = source, DELIMITERS[kind]
        self._path = _large(source, name)
        self.name = name

    @property
    def large(self) -> bool:
        """Whether it is a large file on disk."""
        return self._path is not None

    @cached_property
    def text(self) -> bytes:
        """All of the file."""
        return content_of(self._source, self.name)

    def header(self) -> list[str]:
        """The names of the columns; a file without rows is refused."""
        first = [fields for _, fields in islice(_records(self._beginning, self._delimiter), 2)]
        if not first:
            raise UnreadableFile(f"{self.name} is empty: a header that names its columns is needed")
        check_utf8(b"".join(first[0]), self.name)
        if len(first) == 1:
            raise UnreadableFile(f"{self.name} has a header but no rows")
        return [_unquoted(field) for field in first[0]]

    def table(self, columns: dict[str, pa.DataType | None]) -> pa.Table:
        """Some columns (all if none are named), of the types given or (None) as pyarrow infers them. Raises
        UnreadableFile, naming the line.
        """
        try:
            return self._found(columns)
        except pa.ArrowException as error:
            raise self._unparsable(error) from None
        except OSError as error:  # of a large file, which is read on the way
            raise UnreadableFile(f"cannot read {self.name}: {os.strerror(error.errno or errno.EIO)}") from None

    def _found(self, columns: dict[str, pa.DataType | None]) -> pa.Table:
        """The columns, once it is known whether there are quotes."""
        if self._path is None or b'"' in self._beginning:
            return self._parsed(columns, quoted=b'"' in self._beginning)
        with ThreadPoolExecutor(1) as pool:  # who has no quotes at the beginning seldom has them later
            quotes = pool.submit(_has_quotes, self._path)
            try:
                table = self._parsed(columns, quoted=False)
                if not quotes.result():
                    return table
            except pa.ArrowInvalid:
                if not quotes.result():
                    raise
        return self._parsed(columns, quoted=True)

    def _parsed(self, columns: dict[str, pa.DataType | None], *, quoted: bool) -> pa.Table:
        """The columns; where there are quotes, line breaks may be inside of them."""
        from pyarrow import csv

        def read(block_size: int | None) -> pa.Table:
            return csv.read_csv(
                pa.BufferReader(self.text) if self._path is None else pa.OSFile(self._path),
                read_options=csv.ReadOptions(block_size=block_size),
                parse_options=csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=quoted),
                convert_options=csv.ConvertOptions(
                    include_columns=list(columns),
                    column_types={name: kind for name, kind in columns.items() if kind is not None},
                    strings_can_be_null=False,
                ),
            )

        try:
            return read(None)
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error):
                raise
            size = len(self.text) if self._path is None else os.path.getsize(self._path)
            return read(min(size, _LONGEST))  # a row is longer than a block

    def where(self, i: int) -> str:
        """The line of row i, counted from 0 after the header, for a message."""
        line, _ = next(islice(_records(self.text, self._delimiter), i + 1, None), (0, []))
        return f"line {line} of {self.name}" if line else f"row {i} of {self.name}, which was changed meanwhile"

    def _unparsable(self, error: pa.ArrowException) -> UnreadableFile:
        """What is wrong with a file that pyarrow cannot parse, found by walking it."""
        check_utf8(self.text, self.name)
        columns = 0
        for line, fields in _records(self.text, self._delimiter):
            columns = columns or len(fields)
            if len(fields) != columns:
                return UnreadableFile(
                    f"line {line} of {self.name} has {len(fields)} columns where the header has {columns}: "
                    f"{self._delimiter.encode().join(fields)[:60].decode(errors='replace')!r} "
                    "(text with delimiters or line breaks belongs in quotes)"
                )
        return UnreadableFile(f"cannot parse {self.name}: {str(error).splitlines()[0]}")

    @cached_property
    def _beginning(self) -> bytes:
        """The text, or so much of it that the first two records are whole."""
        if self._path is not None:
            piece = b""
            with contextlib.suppress(OSError), open(self._path, "rb", buffering=0) as file:  # or the text says why
                piece = file.read(_BLOCK)
            if len(list(islice(_records(piece, self._delimiter), 3))) == 3:
                return piece
        return self.text


def _records(text: bytes, delimiter: str) -> Iterator[tuple[int, list[bytes]]]:
    """The line on which each record starts, from 1, and its fields; the header first, empty lines left out."""
    end = re.escape(delimiter.encode())
    field = re.compile(rb'("[^"]*(?:""[^"]*)*"?[^%b\r\n]*|[^%b\r\n]*)(%b|\r\n?|\n|\Z)' % (end, end, end))
    begin = at = 3 if text.startswith(BOM) else 0
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


def _large(source: Any, name: str) -> bytes | None:
    """The path of a large file on disk; None for others, and for those that cannot be read, which are refused later."""
    if not isinstance(source, str | os.PathLike) or name.lower().endswith(".gz"):
        return None
    try:
        path = os.fsencode(source)
        large = os.path.isfile(path) and os.path.getsize(path) >= LARGE and os.access(path, os.R_OK)
    except (OSError, ValueError):
        return None
    return path if large else None


def _has_quotes(path: bytes) -> bool:
    """Whether there is a quote in a file, read in large pieces: between them other threads may have to be waited
    for.
    """
    piece = bytearray(_PIECE)
    with open(path, "rb", buffering=0) as file:
        while count := file.readinto(piece):
            if piece.find(b'"', 0, count) >= 0:
                return True
    return False
