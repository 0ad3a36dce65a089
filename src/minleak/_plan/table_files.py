"""Files of tables: .csv and .parquet with a row for each secret and set; .json and .sqlite, from which programs draw,
by secret and by set. Each holds the header and the digest, and is written whole or not at all.

A spreadsheet that opens a table of text takes some labels for formulas: such a table is not written unasked.
"""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from minleak._face.result import Result
from minleak._file.replacing import replace_file
from minleak._plan.drawing_table import DrawingTable
from minleak.errors import InvalidParameter, MinleakError

if TYPE_CHECKING:
    from minleak._draw.keys import Key
    from minleak._plan.base import BasePlan

# Records written at once.
_RECORDS = 1 << 16
# Cells that begin so are formulas for some spreadsheet, in full width too, or become ones when they are saved again.
_FORMULA = r"^[=@+\-\t\r\n\x{ff1d}\x{ff20}\x{ff0b}\x{ff0d}]"
_NUMBER = r"^[+-][0-9]+([.,][0-9]+)?$"
# For a file that nobody else opens yet: no journal, and 100 MB of pages in memory.
_QUICK = (
    "journal_mode = off",
    "synchronous = off",
    "locking_mode = exclusive",
    "page_size = 16384",
    "cache_size = -100000",
)
_SCHEMA = (
    "create table header (name text primary key, value) without rowid",
    "create table secrets (number integer primary key, secret, places text)",
    "create table sets (number integer primary key, members text)",
    "create unique index by_secret on secrets (secret)",
)


@dataclass(frozen=True)
class ExportedTable(Result):
    """A table that was written."""

    digest: str
    """What the table is known by, in hexadecimal: programs that are told it refuse every other one."""
    lineage: str
    """That of the plan, in hexadecimal; with hashed labels, one of its own."""
    version: int
    """Which version of the lineage it is."""
    secrets: int
    """How many secrets it lists."""
    sets: int
    """How many sets."""
    rows: int
    """How many pairs of a secret and a set it may be shown in."""


def export_table(plan: BasePlan, path: str, hashed: Key | bytes | None, *, raw_labels: bool) -> ExportedTable:
    """Write the table of a plan in the format that the path ends with."""
    ending = path.rpartition(".")[2].lower()
    if ending not in WRITERS:
        raise InvalidParameter(f"a table is written as .{', .'.join(WRITERS)}, not {path!r}")
    table = DrawingTable.of(plan, hashed if hashed is None or isinstance(hashed, bytes) else hashed.reveal())
    if ending == "csv" and not raw_labels:
        remedy = "write .parquet, .json or .sqlite, or say raw_labels= if programs alone read it"
        refuse_formulas(pa.table({"secret": table.secrets}), remedy)
    try:
        with replace_file(path) as file:
            WRITERS[ending](table, file)
    except OSError as error:
        raise MinleakError(f"cannot write {path}: {error.strerror or 'the file system refused'}") from None
    sizes = len(table.secrets), len(table.sets), len(table.places)
    return ExportedTable(table.digest.hex(), table.lineage.hex(), table.version, *sizes)


def refuse_formulas(rows: pa.Table, remedy: str) -> None:
    """Refuse a table with texts that are formulas; those that are numbers with a sign are none."""
    found: set[Any] = set()
    for column in rows.columns:
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            formula, number = (pc.match_substring_regex(column, pattern) for pattern in (_FORMULA, _NUMBER))
            found.update(column.filter(pc.and_not(formula, number)).unique().to_pylist())
    if found:
        raise InvalidParameter(
            f"{len(found):,} labels begin with =, +, -, @, a tab or a line break, which a spreadsheet that opens the "
            f"table would run as formulas: {remedy}"
        )


def _headed(table: DrawingTable) -> dict[str, str]:
    return {**table.header, "digest": table.digest.hex()}


def _csv(table: DrawingTable, file: BinaryIO) -> None:
    """A fifth column holds the header in its first cell, so that every reader of csv still reads the rows."""
    from pyarrow import csv

    rows = table.rows
    said = pa.concat_arrays(
        [pa.array([json.dumps(_headed(table))]), pa.array([""]).take(pa.nulls(len(rows) - 1, "i8"))]
    )
    csv.write_csv(rows.append_column("table", said), file)


def _parquet(table: DrawingTable, file: BinaryIO) -> None:
    from pyarrow import parquet

    parquet.write_table(table.rows.replace_schema_metadata({"minleak": json.dumps(_headed(table))}), file)


def _json(table: DrawingTable, file: BinaryIO) -> None:
    """One object, with a line for each secret and each set. Whole numbers are text: many languages round large ones."""
    quote = json.encoder.encode_basestring_ascii
    head = {name: value for name, value in _headed(table).items() if name not in ("secrets", "sets")}
    file.write(f'{json.dumps(head)[:-1]}, "secrets": ['.encode())
    for number, secret, line in _numbered(table.secrets.cast(pa.string()), table.lines):
        file.write(f'{"," if number else ""}\n[{quote(secret)}, "{line}"]'.encode())
    file.write(b'\n], "sets": [')
    for number, members in _numbered(table.sets):
        file.write(f'{"," if number else ""}\n"{members}"'.encode())
    file.write(b"\n]}\n")


def _sqlite(table: DrawingTable, file: BinaryIO) -> None:
    """The header, the secrets with an index by their labels, and the sets."""
    try:
        with closing(sqlite3.connect(file.name, isolation_level=None)) as database:
            for pragma in (*_QUICK, f"application_id = {MARK}"):
                database.execute(f"pragma {pragma}")
            database.execute("begin")
            for statement in _SCHEMA[:3]:
                database.execute(statement)
            database.executemany(
                "insert into header values (?, ?)", [*_headed(table).items(), ("blocks", table.blocks)]
            )
            database.executemany("insert into secrets values (?, ?, ?)", _numbered(table.secrets, table.lines))
            database.executemany("insert into sets values (?, ?)", _numbered(table.sets))
            database.execute(_SCHEMA[3])
            database.execute("commit")
    except sqlite3.Error as error:
        raise OSError(errno.EIO, str(error)) from None


def _numbered(*columns: pa.Array) -> Iterator[tuple[Any, ...]]:
    """The rows of columns, each after its number."""
    for begin in range(0, len(columns[0]), _RECORDS):
        values = [column.slice(begin, _RECORDS).to_pylist() for column in columns]
        yield from zip(range(begin, begin + len(values[0])), *values, strict=True)


# What says in the head of a database that it is a table.
MARK = int.from_bytes(b"mltb", "big")
WRITERS: dict[str, Callable[[DrawingTable, BinaryIO], None]] = {
    "csv": _csv,
    "parquet": _parquet,
    "json": _json,
    "sqlite": _sqlite,
}
