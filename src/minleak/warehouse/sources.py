"""read: a table of an engine from Parquet, from separated values, or from a database."""

from __future__ import annotations

import glob
import os
from typing import Any

from minleak.errors import UnreadableFile
from minleak.warehouse.engines import ENGINES, connect

_TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_DATABASE = (".duckdb", ".db", ".ddb")


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
        these kinds; or a DuckDB database file (.duckdb, .ddb, .db), with `table`.
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
    kind = _kind(name)
    try:
        if kind == "parquet":
            return backend.read_parquet(_pattern(name, backend, (".parquet", ".pq")))
        endings = tuple(f"{end}{packed}" for end, mark in _TEXT.items() if mark == kind for packed in ("", ".gz"))
        return ENGINES[backend.name](backend).read_text(_pattern(name, backend, endings), kind)
    except Exception as error:  # each engine has errors of its own
        raise UnreadableFile(f"cannot read {name}: {str(error).strip().splitlines()[0]}") from None


def _kind(name: str) -> str:
    """ "parquet", or the delimiter of separated values."""
    files = [name] if os.path.isfile(name) else sorted(glob.glob(os.path.join(glob.escape(name), "*")))
    for file in files:
        ending = os.path.splitext(file.lower().removesuffix(".gz"))[1]
        if ending in (".parquet", ".pq"):
            return "parquet"
        if ending in _TEXT:
            return _TEXT[ending]
    raise UnreadableFile(f"{name} holds neither Parquet (.parquet, .pq) nor separated values (.csv, .tsv)")


def _pattern(name: str, backend: Any, endings: tuple[str, ...]) -> Any:
    """What the engine is told to read: Spark takes a folder whole, DuckDB a list of its files."""
    if os.path.isfile(name) or backend.name == "pyspark":
        return name
    return [file for file in sorted(glob.glob(os.path.join(glob.escape(name), "*"))) if file.lower().endswith(endings)]


def _named(backend: Any, table: str, where: str) -> Any:
    try:
        return backend.table(table)
    except Exception:  # each engine has errors of its own
        raise UnreadableFile(f"{where} has no table {table!r}") from None
