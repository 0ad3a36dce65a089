"""export: a plan as a table that any language reads."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

from minleak._cli.formulas import refuse_formulas
from minleak._cli.inputs import plan_of
from minleak._cli.options import CloakFile, option
from minleak._cli.output import Answer, working
from minleak._data.writing import replacing
from minleak.errors import InvalidParameter, MinleakError

if TYPE_CHECKING:
    import pyarrow as pa

# Rows written at once.
_ROWS = 1 << 16


def export(
    cloak: CloakFile,
    output: str = option("The table to write: .csv, .parquet, .json or .sqlite.", "-o", "--output", default=...),
    raw_labels: bool = option(
        "Write labels to .csv that begin with =, +, -, @, a tab or a line break: spreadsheets run them as formulas.",
        default=False,
    ),
) -> Answer:
    """Write a plan as a table that any language reads: which secrets are shown together, and how often.

    Blocks have a row for each secret: secret, set_number, weight. What is shown for a secret is all secrets with its
    set_number. Plans that draw their sets have rows of secret, set_number, first, last: draw a whole number from 0 to
    the largest last of the secret's rows, each as likely as the others, and show the set in whose row it lies. In
    .json all integers are text in digits, since many languages round numbers above 2^53: read them as BigInt.

    Example: minleak export queries.cloak -o queries.sqlite
    """
    ending = output.rpartition(".")[2].lower()
    if ending not in _WRITERS:
        raise InvalidParameter(f"a table is written as .{', .'.join(_WRITERS)}, not {output!r}")
    plan = plan_of(cloak)
    with working(f"writing {output}"):
        rows = plan.table()
        if ending == "csv" and not raw_labels:
            refuse_formulas(
                rows["secret"], "write .parquet, .json or .sqlite, or say --raw-labels if programs alone read it"
            )
        try:
            with replacing(output) as file:
                _WRITERS[ending](rows, file)
        except OSError as error:
            raise MinleakError(f"cannot write {output}: {error.strerror or 'the file system refused'}") from None
    data = {"file": output, "rows": len(rows), "columns": rows.column_names}
    return Answer(data, [f"{len(rows):,} rows of {', '.join(rows.column_names)} written to {output}"])


def _csv(rows: pa.Table, file: BinaryIO) -> None:
    from pyarrow import csv

    csv.write_csv(rows, file)


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


_WRITERS: dict[str, Callable[[pa.Table, BinaryIO], None]] = {
    "csv": _csv,
    "parquet": _parquet,
    "json": _json,
    "sqlite": _sqlite,
}
