"""read: an engine's table from Parquet, separated values, lines or a database."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import zlib
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from minleak.errors import UnreadableFile
from minleak.io._formats import find_format
from minleak.io._logs import recognise_log
from minleak.io._sources import open_gzip
from minleak.scale._engines import connect, engine_for, start
from minleak.scale._engines.base import QUOTING, Engine, path_text, shown
from minleak.scale._tables import check_names

_DELIMITERS = {"csv": ",", "tsv": "\t"}
_LINES = "lines"
_KINDS = ("parquet", *_DELIMITERS, _LINES)
DATABASES = (".duckdb", ".ddb", ".db")
# How many bytes of a file of lines are examined.
_LOOKED_AT = 1 << 16


def read(
    path: str | os.PathLike[str] | None = None,
    *,
    table: str | None = None,
    engine: Any = None,
    memory_limit: str | None = None,
    format: str | None = None,
) -> Any:
    """An Ibis table of a file, a folder of files, or a table that the engine knows.

    Parameters
    ----------
    path
        Parquet (.parquet, .pq), separated values with a header (.csv, .tsv, .gz too) or lines (.log), or a folder of
        files of one of these kinds with the same columns (for Spark in the same order); or a DuckDB database file
        (.duckdb, .ddb, .db), with `table`.
    table
        The name of a table: in the database at `path`, or one that the engine knows.
    engine
        An Ibis connection, or the name of an engine to start, see `connect`; DuckDB if not given, and always for a
        database file.
    memory_limit
        How much memory DuckDB may take where it is started here, such as "1GB".
    format
        "parquet", "csv", "tsv" or "lines", whatever the ending. Lines are a log with one secret each, in the column
        `secret`; empty ones are left out. `design` counts them with weight=None.

    All columns of separated values are text, so that a secret 007 stays itself; `design` and `audit` take counts
    written in digits. A path names one file or folder: nothing is a pattern, and folders such as day=7/ add no column.
    Rows are read when they are needed, except that the checksums of .gz files are verified at once.

    >>> read("no/such/folder")
    Traceback (most recent call last):
    minleak.errors.UnreadableFile: cannot open no/such/folder: there is no such file or folder
    """
    if path is None:
        if table is None or engine is None:
            raise UnreadableFile("say the path of a file or folder, or a table and the engine that knows it")
        return _find_table(_start(engine, memory_limit), table, "the engine")
    name = path_text(path)
    if not os.path.exists(name):
        raise UnreadableFile(f"cannot open {name}: there is no such file or folder")
    if name.lower().endswith(DATABASES):
        if table is None:
            raise UnreadableFile(f"{name} is a database: say which table of it to read")
        return _find_table(_start(engine, memory_limit, database=name), table, name)
    if table is not None:
        raise UnreadableFile(f"{name} is no database ({', '.join(DATABASES)}), so it has no table {shown(table)}")
    form, files = _files(name, format)
    running = engine_for(_start(engine, memory_limit))
    if form == _LINES:
        return _lines(running, files, name, format)
    names = _columns(files, form, any_order=running.goes_by_names)
    try:
        found = running.read_parquet(files) if form == "parquet" else running.read_text(files, form, names)
    except UnreadableFile:
        raise
    except Exception as error:  # each engine has errors of its own, and their words may hold a secret
        where = "" if form == "parquet" else _bad_line(files, form, len(names))
        raise UnreadableFile(f"cannot read {name} ({type(error).__name__}){where}") from None
    if any(there != here for there, here in zip(found.columns, names, strict=True) if here):
        raise UnreadableFile(f"the engine names the columns of {name} otherwise than the file: choose plainer names")
    return found


def _start(engine: Any, memory_limit: str | None, database: str | None = None) -> Any:
    """The connection given, or a new one: by the engine's name, or of the same kind for a database."""
    if engine is None or isinstance(engine, str):
        return connect(engine or "duckdb", database=database, memory_limit=memory_limit)
    if database is not None:
        return start(type(engine_for(engine)), database=database, memory_limit=memory_limit)
    return engine


def _files(name: str, format: str | None) -> tuple[str, list[str]]:
    """ "parquet", "lines" or the delimiter of separated values, and the file or the files of the folder."""
    if format is not None and format not in _KINDS:
        raise UnreadableFile(f"an engine reads {', '.join(_KINDS)}, not {shown(format)}: read it in memory")
    found: dict[str, list[str]] = {}
    # resolve links here: engines would remove .. from a path before they follow them
    folder, alone = (name, None) if os.path.isdir(name) else (os.path.dirname(name), os.path.basename(name))
    for file in [alone] if alone is not None else sorted(os.listdir(name)):
        with contextlib.suppress(UnreadableFile):  # of an ending that no format has
            kind = find_format(file, format)
            if kind in _KINDS and (alone or not file.startswith(("_", "."))):  # Spark skips these
                path = path_text(os.path.join(os.path.realpath(folder), file))
                found.setdefault(_DELIMITERS.get(kind, kind), []).append(path)
    if not found:
        raise UnreadableFile(
            f"{name} holds neither Parquet (.parquet, .pq) nor separated values (.csv, .tsv) nor lines (.log)"
        )
    if len(found) > 1:
        one, other = (os.path.basename(files[0]) for files in list(found.values())[:2])
        raise UnreadableFile(
            f"{name} holds files of several kinds, such as {one} and {other}: keep one kind in a folder"
        )
    return found.popitem()


def _lines(engine: Engine, files: list[str], name: str, format: str | None) -> Any:
    """The lines of the files that are not empty."""
    try:
        for file in files:
            with _bytes_of(file) as content:
                head = content.read(_LOOKED_AT)
                kind = None if format is not None else recognise_log(head)
                if kind is not None:
                    raise UnreadableFile(
                        f"{file} is a log of the format {kind}, which is counted in memory for its distinct secrets: "
                        "read_prior(..., field='path'); or say format='lines' to take whole lines for secrets"
                    )
                if b"\0" in head:
                    raise UnreadableFile(f"{file} has NUL bytes: an engine reads lines that end in line breaks")
        found = engine.read_lines(files)
    except UnreadableFile:
        raise
    except OSError as error:
        raise UnreadableFile(f"cannot read {file}: {error.strerror or 'it is damaged'}") from None
    except Exception as error:  # each engine has errors of its own, and their words may hold a secret
        raise UnreadableFile(f"cannot read {name} ({type(error).__name__}): lines must all end alike") from None
    return found.filter(found.secret.notnull() & (found.secret != ""))


def _columns(files: list[str], kind: str, *, any_order: bool) -> list[str]:
    """The names of the columns, the same in all files. Messages do not show them: without a header they are secrets."""
    first: list[tuple[str, ...]] = []
    for file in files:
        if not os.path.isfile(file):
            raise UnreadableFile(f"{file} is no file")
        found = _parquet_columns(file) if kind == "parquet" else _header(file, kind)
        check_names((name for name, *_ in found), file, UnreadableFile)
        first = first or found
        if found != first and not (any_order or kind == "parquet" or sorted(found) != sorted(first)):
            raise UnreadableFile(f"the columns of {files[0]} and of {file} are in another order: give all one header")
        if sorted(found) != sorted(first):
            raise UnreadableFile(f"{files[0]} and {file} have different columns, or types of them: make them the same")
    return [name for name, *_ in first]


def _parquet_columns(file: str) -> list[tuple[str, ...]]:
    """The names of the columns, each with the stored types of its leaves."""
    try:
        with pq.ParquetFile(file) as opened:
            names, stored = opened.schema_arrow.names, opened.schema
    except (OSError, ValueError, pa.ArrowException):
        raise UnreadableFile(f"cannot read {file}: it is damaged, cut, or no Parquet") from None
    leaves = [stored.column(i) for i in range(len(stored))]
    kinds = [(leaf.path, leaf.physical_type, str(leaf.logical_type)) for leaf in leaves]
    return [(name, *(str(kind) for kind in kinds if kind[0].partition(".")[0] == name)) for name in names]


def _header(file: str, delimiter: str) -> list[tuple[str, ...]]:
    try:
        with _open_text(file) as text:
            header = next(csv.reader(text, delimiter=delimiter), [])
    except OSError as error:
        raise UnreadableFile(f"cannot read {file}: {error.strerror or 'it is damaged'}") from None
    except (EOFError, UnicodeError, zlib.error, csv.Error):
        raise UnreadableFile(f"cannot read {file}: it is damaged, or no text in UTF-8") from None
    if not header:
        raise UnreadableFile(f"the first line of {file} is empty: it must be the header")
    return [(name.strip(),) for name in header]


def _open_text(file: str) -> Any:
    return io.TextIOWrapper(_bytes_of(file), encoding="utf-8-sig", newline="")


def _bytes_of(file: str) -> Any:
    return open_gzip(file, file) if file.lower().endswith(".gz") else open(file, "rb")


def _bad_line(files: list[str], delimiter: str, columns: int) -> str:
    """For a message: where a file that an engine refused has rows of another length or misplaced quotes."""
    for file in files:
        with _open_text(file) as text:
            lines = csv.reader(text, delimiter=delimiter, strict=True)
            try:
                wrong = any(row and len(row) != columns for row in lines)
            except (csv.Error, UnicodeError, OSError, EOFError, zlib.error):
                wrong = True
            if wrong:
                return f": look at line {lines.line_num} of {file}, where {columns} columns belong ({QUOTING})"
    return f": line ends of one kind and {columns} columns in each row are needed ({QUOTING})"


def _find_table(backend: Any, table: str, where: str) -> Any:
    try:
        return backend.table(table)
    except Exception:  # each engine has errors of its own
        raise UnreadableFile(f"{where} has no table {shown(table)}") from None
