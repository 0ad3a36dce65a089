"""Delimited text, csv and tsv. pyarrow reads the columns; the csv module reads the header and finds bad lines."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from minleak.errors import UnreadableFile
from minleak.io._sources import BOM, check_utf8
from minleak.io._tables import InputTable

# The longest row that pyarrow can read, and the bytes searched for quotes at a time.
_LONGEST, _PIECE = 2**31 - 1, 1 << 24
# What tells a header from a row: this many lines, names of columns, and what is written for a missing number.
_ROWS = 20
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_ .-]{0,29}")
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_NOTHING = ("na", "nan", "none", "null", "missing", "unknown", "inf")


class Csv(InputTable):
    """Fields between commas, named by the first line. As in RFC 4180, a field with delimiters, line breaks or quotes is
    in quotes, and each quote inside is written twice.
    """

    endings: ClassVar[tuple[str, ...]] = (".csv",)
    delimiter: ClassVar[str] = ","
    is_text = True

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data, name)
        first = next(self._records(), None)
        if first is None:
            raise UnreadableFile(f"{self.name} is empty: a header that names its columns is needed")
        self.header = first[1]

    @property
    def has_sure_header(self) -> bool:  # type: ignore[override]
        """Whether the first line looks like names above values: no field occurs below, and there is a column of
        numbers. Otherwise it may be a row, and hold a secret.
        """
        with contextlib.suppress(UnreadableFile):
            header, *rows = [fields for _, fields in itertools.islice(self._records(), _ROWS)]
            alike = [fields for fields in rows if len(fields) == len(header)]
            named = all(_NAME.fullmatch(name) and name.lower() not in _NOTHING for name in header)
            apart = not any(name in fields for name in header for fields in alike)
            return named and apart and any(all(map(_NUMBER.fullmatch, column)) for column in zip(*alike, strict=True))
        return False

    def load(self, labels: Sequence[str], numbers: Sequence[str]) -> list[Any]:
        """Labels as text. Numbers as 64-bit integers or floats if pyarrow surely read them right, else as text."""
        if b'"' in self.data and not self._is_well_quoted():
            deque(self._records(strict=True), maxlen=0)  # a quote inside an unquoted field is an ordinary letter
        found = self._parsed({**dict.fromkeys(labels, pa.string()), **dict.fromkeys(numbers)})
        hexadecimal = any(x in self.data and b"0" + x in self.data for x in (b"x", b"X"))  # 0x10 would be 16
        others = [name for name in numbers if hexadecimal or not _are_numbers(found[name])]
        texts = self._parsed(dict.fromkeys(others, pa.string())) if others else None
        return [texts[name] if texts and name in others else found[name] for name in (*labels, *numbers)]

    def _parsed(self, types: dict[str, pa.DataType | None]) -> pa.Table:
        """Columns of the given types, or for None of the type that pyarrow infers."""
        from pyarrow import csv as arrow_csv

        def read(block_size: int | None) -> pa.Table:
            return arrow_csv.read_csv(
                pa.BufferReader(self.data),
                read_options=arrow_csv.ReadOptions(block_size=block_size),
                parse_options=arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=b'"' in self.data),
                convert_options=arrow_csv.ConvertOptions(
                    include_columns=list(types),
                    column_types={name: kind for name, kind in types.items() if kind is not None},
                    strings_can_be_null=False,
                ),
            )

        try:
            try:
                return read(None)
            except pa.ArrowInvalid as error:
                if "straddl" not in str(error):
                    raise
                return read(min(len(self.data), _LONGEST))  # a row is longer than a block
        except pa.ArrowException:
            raise self._what_is_wrong() from None

    def where(self, i: int) -> str:
        with contextlib.suppress(UnreadableFile):  # an earlier field may be longer than the csv module reads
            for number, (line, _) in enumerate(self._records()):
                if number == i + 1:
                    return f"line {line} of {self.name}"
        return f"row {i + 1} after the header of {self.name}"

    def _records(self, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
        """The line on which each record starts, from 1, and its fields; the header first, empty lines left out."""
        text = io.TextIOWrapper(io.BytesIO(self.data), encoding="utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=self.delimiter, strict=strict)
        line = 1
        try:
            for fields in reader:
                if fields:
                    yield line, fields
                line = reader.line_num + 1
        except UnicodeDecodeError:
            check_utf8(self.data, self.name)
        except csv.Error as error:
            if "expected after" in str(error):
                what = 'text after a closing quote: write a quote inside of quotes twice, as "", not with a backslash'
            else:
                what = f"a quote that is never closed, or a field of more than {csv.field_size_limit():,} characters"
            raise UnreadableFile(f"line {line} of {self.name} has {what}") from None

    def _what_is_wrong(self) -> UnreadableFile:
        """Why pyarrow cannot parse the file, found by the csv module."""
        check_utf8(self.data, self.name)
        header = rows = 0
        with contextlib.suppress(UnreadableFile):
            for line, fields in self._records():
                rows += 1
                header = header or len(fields)
                if len(fields) != header:
                    return UnreadableFile(
                        f"line {line} of {self.name} has {len(fields)} columns where the header has {header} "
                        "(text with delimiters or line breaks belongs in quotes)"
                    )
            if rows == 1:
                return UnreadableFile(f"{self.name} has a header but no rows")
        return self.unparsable("a row is too long, or has more or fewer columns than the header")

    def _is_well_quoted(self) -> bool:
        """Whether all quotes enclose whole fields or are doubled inside: every parser then reads the same fields."""
        codes = np.frombuffer(self.data, dtype=np.uint8)
        border = np.zeros(256, dtype=bool)
        border[list(b'\r\n"' + self.delimiter.encode())] = True
        first, last = len(BOM) if self.data.startswith(BOM) else 0, len(codes) - 1
        inside = 0
        for begin in range(0, len(codes), _PIECE):
            at = begin + np.flatnonzero(codes[begin : begin + _PIECE] == ord('"'))
            opening, closing = at[inside::2], at[1 - inside :: 2]
            before, after = codes[opening[opening > first] - 1], codes[closing[closing < last] + 1]
            if not (border[before].all() and border[after].all()):
                return False
            inside = (inside + len(at)) % 2
        return inside == 0


def _are_numbers(column: pa.ChunkedArray) -> bool:
    """Whether pyarrow inferred what is written. Floats may be large integers, unless one has a fraction."""
    import pyarrow.compute as pc

    if column.null_count or column.type not in (pa.int64(), pa.float64()):
        return False
    if column.type == pa.int64():
        return True
    return bool(pc.all(pc.is_finite(column)).as_py() and pc.any(pc.not_equal(column, pc.floor(column))).as_py())


class Tsv(Csv):
    """Fields between tabs, otherwise as in csv."""

    endings = (".tsv", ".tab")
    delimiter = "\t"
