"""Writing tables that any language reads: .csv, .tsv, .parquet, .json or .sqlite, whole or not at all.

A spreadsheet that opens a table of text takes some labels for formulas: such a table is not written unasked.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from minleak._data.writing import replacing
from minleak.errors import InvalidParameter, MinleakError

if TYPE_CHECKING:
    import pyarrow as pa

    from minleak import Channel, Prior

# Rows written at once.
_ROWS = 1 << 16
# Cells that begin so are formulas for some spreadsheet, in full width too, or become ones when they are saved again.
_FORMULA = r"^[=@+\-\t\r\n\x{ff1d}\x{ff20}\x{ff0b}\x{ff0d}]"
_NUMBER = r"^[+-][0-9]+([.,][0-9]+)?$"


def check_ending(path: str, what: str, endings: Sequence[str]) -> str:
    """The ending of a path, if it is one of those."""
    ending = path.rpartition(".")[2].lower()
    if ending not in endings:
        raise InvalidParameter(f"{what} is written as .{', .'.join(endings)}, not {path!r}")
    return ending


def write_table(rows: pa.Table, path: str, *, raw_labels: bool = False, remedy: str = "write .parquet") -> None:
    """Write a table in the format that the path ends with. In text, labels that a spreadsheet would run as formulas
    are refused unless raw labels are asked for: a program that reads the table needs the label itself.
    """
    ending = path.rpartition(".")[2].lower()
    if ending in ("csv", "tsv") and not raw_labels:
        _refuse_formulas(rows, remedy)
    try:
        with replacing(path) as file:
            WRITERS[ending](rows, file)
    except OSError as error:
        raise MinleakError(f"cannot write {path}: {error.strerror or 'the file system refused'}") from None


def write_channel(channel: Channel, path: str, prior: Prior | None = None) -> None:
    """Rows of secret, observable, probability for every probability that is not zero, which `minleak measure` reads;
    or, as a .cloak, whole numbers to draw from.
    """
    if path.lower().endswith(".cloak"):
        from minleak import mechanisms

        mechanisms.rounded(channel, prior).save(path)
        return
    import numpy as np
    import pyarrow as pa

    matrix = channel.toarray()
    at = np.argwhere(matrix > 0)
    columns = {
        "secret": pa.array([channel.inputs[x] for x in at[:, 0].tolist()]),
        "observable": pa.array([channel.outputs[y] for y in at[:, 1].tolist()]),
        "probability": pa.array(matrix[at[:, 0], at[:, 1]].tolist()),
    }
    write_table(pa.table(columns), path, remedy="write .parquet or .cloak")


def _refuse_formulas(rows: pa.Table, remedy: str) -> None:
    """Refuse a table with texts that are formulas; those that are numbers with a sign are none."""
    import pyarrow as pa
    import pyarrow.compute as pc

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


def _csv(rows: pa.Table, file: BinaryIO, delimiter: str = ",") -> None:
    from pyarrow import csv

    csv.write_csv(rows, file, csv.WriteOptions(delimiter=delimiter))


def _tsv(rows: pa.Table, file: BinaryIO) -> None:
    _csv(rows, file, "\t")


def _parquet(rows: pa.Table, file: BinaryIO) -> None:
    from pyarrow import parquet

    parquet.write_table(rows, file)


def _json(rows: pa.Table, file: BinaryIO) -> None:
    """One list of objects, a line each. Integers are text: JavaScript and others round numbers above 2^53."""
    before = "[\n"
    for batch in rows.to_batches(max_chunksize=_ROWS):
        for row in batch.to_pylist():
            told = {name: str(value) if type(value) is int else value for name, value in row.items()}
            file.write(f"{before}{json.dumps(told)}".encode())
            before = ",\n"
    file.write(b"\n]\n")


def _sqlite(rows: pa.Table, file: BinaryIO) -> None:
    """The table `sets`, with an index by secret and one by set."""
    import sqlite3
    from contextlib import closing

    names = rows.column_names
    try:
        with closing(sqlite3.connect(file.name)) as database, database:
            database.execute(f"create table sets ({', '.join(names)})")
            insert = f"insert into sets values ({', '.join('?' * len(names))})"
            for batch in rows.to_batches(max_chunksize=_ROWS):
                database.executemany(insert, zip(*(column.to_pylist() for column in batch.columns), strict=True))
            database.execute("create index by_secret on sets (secret)")
            database.execute("create index by_set on sets (set_number)")
    except sqlite3.Error as error:
        raise OSError(errno.EIO, str(error)) from None


WRITERS: dict[str, Callable[[pa.Table, BinaryIO], None]] = {
    "csv": _csv,
    "tsv": _tsv,
    "parquet": _parquet,
    "json": _json,
    "sqlite": _sqlite,
}
