"""read: a table of an engine from Parquet, from separated values, or from a database."""

from __future__ import annotations

import csv
import glob
import gzip
import os
import zlib
from typing import Any

from minleak.errors import UnreadableFile
from minleak.warehouse.engines import ENGINES, connect, what_failed

_PARQUET = (".parquet", ".pq")
_TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_DATABASE = (".duckdb", ".db", ".ddb")

# What Spark takes for a pattern in the name of a file.
_GLOB = "\\{}[]*?"


def read(
    path: str | os.PathLike[str] | None = None,
    *,
    table: str | None = None,
    backend: Any = None,
    memory_limit: str | None = None,
) -> Any:
    """An Ibis table of a file, of a folder of files, or of a table that the engine knows.

    Parameters
    ----------
    path
        Parquet (.parquet, .pq) or separated values with a header (.csv, .tsv, .gz too), or a folder of files of one of
        these kinds with the same columns (for Spark in the same order); or a DuckDB database file (.duckdb, .ddb, .db),
        with `table`.
    table
        The name of a table: in the database at `path`, or one that the backend knows.
    backend
        An Ibis connection, see `connect`; DuckDB if not given, and always for a database file.
    memory_limit
        How much memory DuckDB may take where it is started here, such as "1GB".

    All columns of separated values are text, so that a secret 007 stays itself; `design` and `audit` take counts
    written in digits. Nothing is read before it is asked for.

    >>> read("no/such/folder")
    Traceback (most recent call last):
    minleak.errors.UnreadableFile: cannot open no/such/folder: there is no such file or folder
    """
    if path is None:
        if table is None or backend is None:
            raise UnreadableFile("say the path of a file or folder, or a table and the backend that knows it")
        return _named(backend, table, "the backend")
    name = os.fspath(path)
    if not os.path.exists(name):
        raise UnreadableFile(f"cannot open {name}: there is no such file or folder")
    if name.lower().endswith(_DATABASE):
        if table is None:
            raise UnreadableFile(f"{name} is a database: say which table of it to read")
        if backend is not None and backend.name != "duckdb":
            raise UnreadableFile(f"{name} is read by DuckDB alone; give Spark Parquet, or a table that it knows")
        return _named(connect("duckdb", database=name, memory_limit=memory_limit), table, name)
    if table is not None:
        raise UnreadableFile(f"{name} is no database (.duckdb, .ddb, .db), so it has no table {table!r}")
    backend = connect("duckdb", memory_limit=memory_limit) if backend is None else backend
    kind, files = _files(name)
    if kind != "parquet":
        _check_headers(files, kind, in_order=backend.name == "pyspark")
        _check_name(name, files, backend)
    try:
        if kind == "parquet":
            return backend.read_parquet(parquet_of(name, files, backend))
        return ENGINES[backend.name](backend).read_text(files, kind)
    except Exception as error:  # each engine has errors of its own, and their words may hold a secret
        raise UnreadableFile(f"cannot read {name} {what_failed(error)}") from None


def parquet_of(name: str, files: list[str], backend: Any) -> Any:
    """What the engine is told to read: Spark a file or a folder as a whole, DuckDB a list of files."""
    if backend.name != "pyspark":
        return files
    return "".join(f"\\{c}" if c in _GLOB else c for c in name)


def _files(name: str) -> tuple[str, list[str]]:
    """ "parquet" or the delimiter of separated values, and the files of this kind: the one, or those of the folder."""
    found: dict[str, list[str]] = {}
    for file in [name] if os.path.isfile(name) else sorted(glob.glob(os.path.join(glob.escape(name), "*"))):
        ending = os.path.splitext(file.lower().removesuffix(".gz"))[1]
        kind = "parquet" if file.lower().endswith(_PARQUET) else _TEXT.get(ending)
        hidden = file != name and os.path.basename(file).startswith("_")  # Spark leaves these out
        if kind is not None and not hidden:
            found.setdefault(kind, []).append(file)
    if not found:
        raise UnreadableFile(f"{name} holds neither Parquet (.parquet, .pq) nor separated values (.csv, .tsv)")
    if len(found) > 1:
        one, other = (os.path.basename(files[0]) for files in list(found.values())[:2])
        raise UnreadableFile(
            f"{name} holds files of several kinds, such as {one} and {other}: keep one kind in a folder"
        )
    return found.popitem()


def _check_headers(files: list[str], delimiter: str, *, in_order: bool) -> None:
    """Refuse files whose columns differ. Names are not shown: without a header, they would be secrets."""
    first = _header(files[0], delimiter)
    for file in files[1:]:
        header = _header(file, delimiter)
        if header != first and (in_order or sorted(header) != sorted(first)):
            how = "in another order" if sorted(header) == sorted(first) else "not the same"
            raise UnreadableFile(f"the columns of {files[0]} and of {file} are {how}: give all files one header")


def _header(file: str, delimiter: str) -> list[str]:
    opened = gzip.open if file.lower().endswith(".gz") else open
    try:
        with opened(file, "rt", encoding="utf-8-sig", newline="") as text:
            header = next(csv.reader(text, delimiter=delimiter), [])
    except OSError as error:
        raise UnreadableFile(f"cannot read {file}: {error.strerror or 'it is damaged'}") from None
    except (EOFError, UnicodeError, zlib.error, csv.Error):
        raise UnreadableFile(f"cannot read {file}: it is damaged, or no text in UTF-8") from None
    if not header:
        raise UnreadableFile(f"the first line of {file} is empty: it must be the header")
    return header


def _check_name(name: str, files: list[str], backend: Any) -> None:
    """Spark takes names of separated values for patterns, and has no way to say that they are none."""
    if backend.name == "pyspark" and any(c in _GLOB for file in files for c in file):
        raise UnreadableFile(f"Spark does not read {name}: rename it and its files without any of {_GLOB}")


def _named(backend: Any, table: str, where: str) -> Any:
    try:
        return backend.table(table)
    except Exception:  # each engine has errors of its own
        raise UnreadableFile(f"{where} has no table {table!r}") from None
