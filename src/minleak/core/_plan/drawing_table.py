"""DrawingTable: what other languages draw from, and its files. The rows of a plan by secret and by set, with hashed
labels if need be, and the digest by which a table is known: runtimes/spec.md says the same.

.csv and .parquet have a row for each secret and set; .json and .sqlite, from which programs draw, are by secret and by
set. Each holds the header and the digest, and is written whole or not at all. A spreadsheet that opens a table of text
takes some labels for formulas: such a table is not written unasked.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from minleak.core._arrays import Indices
from minleak.core._file.replacing import replace_file
from minleak.core._keys import Key
from minleak.core._label_bytes import labels_in_bytes
from minleak.core._plan.drawable import Listed
from minleak.core._plan.partition import Partition
from minleak.core._plan.streams import hmac_sha256, message
from minleak.core._result import Result
from minleak.errors import InvalidKey, InvalidParameter, MinleakError

FORMAT = "minleak table 1"
# So many records are hashed together.
BLOCK = 16
_KEY = 32
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


@dataclass(frozen=True, eq=False)
class DrawingTable:
    """The rows of a plan, and what a program must know to draw from them.

    `secrets` are the labels, in order; `begins` tells which rows of `places` (`set_number`, `first`, `last`) are each
    one's. `labels` says what is asked for, "text" or "integers"; `hashed` is empty, or the name of the key that the
    labels are hashed by; `keyed` says whether draws need a key and a scope.
    """

    secrets: pa.Array
    begins: Indices
    places: pa.Table
    lineage: bytes
    version: int
    labels: str
    hashed: str
    keyed: bool

    @classmethod
    def of(cls, plan: Listed, key: bytes | None = None) -> DrawingTable:
        """The table of a plan, with labels hashed by the key if there is one."""
        rows = plan.table()
        firsts, lineage, name = rows["first"], plan.lineage, ""
        begins = np.append(np.flatnonzero(pc.equal(firsts, pa.scalar(0).cast(firsts.type))), len(firsts))
        secrets = _one(rows["secret"].take(pa.array(begins[:-1])))
        labels = "integers" if pa.types.is_integer(secrets.type) else "text"
        if key is not None:
            keyed = hmac_sha256(check_label_key(key))
            secrets = pa.array(keyed(message(b"label", label)).hex() for label in labels_in_bytes(secrets.to_pylist()))
            lineage, name = keyed(message(b"lineage", lineage)), keyed(message(b"name"))[:8].hex()
        return cls(secrets, begins, rows.drop(["secret"]), lineage, plan.version, labels, name, plan.randomised)

    @cached_property
    def rows(self) -> pa.Table:
        """The table with a row for each secret and set: `secret`, `set_number`, `first`, `last`."""
        return self.places.add_column(0, "secret", self.secrets.take(pa.array(self._numbers())))

    def _numbers(self) -> Indices:
        """The number of the secret of each row."""
        return np.repeat(np.arange(len(self.secrets)), np.diff(self.begins))

    @cached_property
    def lines(self) -> pa.Array:
        """For each secret its sets, each with the last place that leads to it: "0 14;2 20"."""
        columns = _text(self.places["set_number"]), _text(self.places["last"])
        pairs = pc.binary_join_element_wise(*columns, pa.scalar(" ", pa.large_string()))
        return _join(pairs, self.begins, ";")

    @cached_property
    def sets(self) -> pa.Array:
        """For each set the numbers of its members, in the order of the secrets: "0 1 7"."""
        by_set = Partition.by_codes(np.asarray(self.places["set_number"]))
        numbers, begins = self._numbers()[by_set.members], by_set.begins
        same = np.diff(numbers) == 0  # a secret with two rows of a set is its member once
        same[begins[1:-1] - 1] = False
        again = np.flatnonzero(same) + 1
        if len(again):
            begins, numbers = begins - np.searchsorted(again, begins), np.delete(numbers, again)
        return _join(_text(pa.array(numbers)), begins, " ")

    @cached_property
    def blocks(self) -> bytes:
        """The SHA-256 of each sixteen secrets with their places, then of each sixteen sets."""
        kind = b"i" if pa.types.is_integer(self.secrets.type) else b"s"
        names = pc.binary_join_element_wise(pa.scalar(kind, pa.large_binary()), _bytes(_text(self.secrets)), _nothing())
        return _hash_blocks(_prefix(names, _bytes(self.lines))) + _hash_blocks(_prefix(_bytes(self.sets)))

    @cached_property
    def digest(self) -> bytes:
        """32 bytes that stand for all of it."""
        head = "".join(f"{value}\n" for value in self.header.values())
        return hashlib.sha256(head.encode() + self.blocks).digest()

    @cached_property
    def header(self) -> dict[str, str]:
        """What is said before the rows, in the order in which it is hashed."""
        said: dict[str, Any] = {"format": FORMAT, "lineage": self.lineage.hex(), "version": self.version}
        said |= {"labels": self.labels, "hashed": self.hashed, "keyed": "yes" if self.keyed else "no"}
        said |= {"secrets": len(self.secrets), "sets": len(self.sets)}
        return {name: str(value) for name, value in said.items()}


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _text(column: Any) -> pa.Array:
    """Text or whole numbers as text, with offsets that never run out."""
    return _one(column).cast(pa.large_string())


def _nothing() -> pa.Scalar:
    """What stands between joined parts; not made on import, since the first scalar of Arrow loads pandas."""
    return pa.scalar(b"", pa.large_binary())


def _bytes(column: pa.Array) -> pa.Array:
    return column.cast(pa.large_binary())


def _join(texts: pa.Array, begins: Indices, between: str) -> pa.Array:
    """The texts from each beginning to the next, as one."""
    lists = pa.ListArray.from_arrays(pa.array(begins.astype(np.int32)), _one(texts))
    return pc.binary_join(lists, pa.scalar(between, pa.large_string()))


def _prefix(*columns: pa.Array) -> pa.Array:
    """The columns side by side, each value after its length in four bytes."""
    parts = []
    for column in columns:
        lengths = np.asarray(pc.binary_length(column)).astype(">u4")
        parts += [pa.Array.from_buffers(pa.binary(4), len(column), [None, pa.py_buffer(lengths)]).cast("large_binary")]
        parts += [column]
    return pc.binary_join_element_wise(*parts, _nothing())


def _hash_blocks(records: pa.Array) -> bytes:
    """The SHA-256 of each block of records, one after the other."""
    offsets = np.frombuffer(records.buffers()[1], dtype=np.int64)[records.offset : records.offset + len(records) + 1]
    data, ends = memoryview(records.buffers()[2] or b""), np.append(offsets[:-1:BLOCK], offsets[-1]).tolist()
    return b"".join(hashlib.sha256(data[begin:end]).digest() for begin, end in pairwise(ends))


def check_label_key(key: bytes) -> bytes:
    """A key that labels are hashed by; with a shorter one, or none, who has the hashes could guess the labels."""
    if len(key) != _KEY:
        raise InvalidKey(f"labels are hashed by a key of {_KEY} bytes: make one with `minleak keygen`")
    return key


# -- files -------------------------------------------------------------------------------------------------------------


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


def export(
    plan: Listed,
    path: str | os.PathLike[str],
    *,
    hashed: Key | bytes | None = None,
    raw_labels: bool = False,
) -> ExportedTable:
    """Write the table to a file, from which programs in any language make the same draws: runtimes/spec.md.

    Parameters
    ----------
    path
        The file, written atomically: .json or .sqlite for the runtimes, .csv or .parquet for your own programs.
    hashed
        A key, or its 32 bytes: every label is replaced by its keyed hash, in requests, draws and sets alike. That
        is another lineage: do not show hashes to a subject who was shown labels.
    raw_labels
        Write labels to .csv that a spreadsheet would run as formulas.

    O(rows): 10^6 secrets, k = 10, are 7.9 million rows, and .sqlite took 11 s of a busy processor.

    >>> import os, tempfile
    >>> import minleak as ml
    >>> plan = ml.design({"flu": 5, "cold": 3, "gout": 2}, k=2)
    >>> ml.export(plan, os.path.join(tempfile.mkdtemp(), "table.json")).secrets
    3
    """
    if not isinstance(plan, Listed):
        raise InvalidParameter(
            f"a table must be of a plan of listed secrets; got {type(plan).__name__}. Draw from its .cloak file, with "
            "minleak.Cloak."
        )
    path = os.fsdecode(path)
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


def _head(table: DrawingTable) -> dict[str, str]:
    return {**table.header, "digest": table.digest.hex()}


def _csv(table: DrawingTable, file: BinaryIO) -> None:
    """A fifth column holds the header in its first cell, so that every reader of csv still reads the rows."""
    from pyarrow import csv

    rows = table.rows
    said = pa.concat_arrays([pa.array([json.dumps(_head(table))]), pa.array([""]).take(pa.nulls(len(rows) - 1, "i8"))])
    csv.write_csv(rows.append_column("table", said), file)


def _parquet(table: DrawingTable, file: BinaryIO) -> None:
    from pyarrow import parquet

    parquet.write_table(table.rows.replace_schema_metadata({"minleak": json.dumps(_head(table))}), file)


def _json(table: DrawingTable, file: BinaryIO) -> None:
    """One object, with a line for each secret and each set. Whole numbers are text: many languages round large ones."""
    quote = json.encoder.encode_basestring_ascii
    head = {name: value for name, value in _head(table).items() if name not in ("secrets", "sets")}
    file.write(f'{json.dumps(head)[:-1]}, "secrets": ['.encode())
    for number, secret, line in _number_rows(table.secrets.cast(pa.string()), table.lines):
        file.write(f'{"," if number else ""}\n[{quote(secret)}, "{line}"]'.encode())
    file.write(b'\n], "sets": [')
    for number, members in _number_rows(table.sets):
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
            database.executemany("insert into header values (?, ?)", [*_head(table).items(), ("blocks", table.blocks)])
            database.executemany("insert into secrets values (?, ?, ?)", _number_rows(table.secrets, table.lines))
            database.executemany("insert into sets values (?, ?)", _number_rows(table.sets))
            database.execute(_SCHEMA[3])
            database.execute("commit")
    except sqlite3.Error as error:
        raise OSError(errno.EIO, str(error)) from None


def _number_rows(*columns: pa.Array) -> Iterator[tuple[Any, ...]]:
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
