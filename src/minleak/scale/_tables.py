"""Tables as users give them: as Ibis tables, the engine they live in, and checks of their columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minleak.errors import InvalidParameter, MinleakError
from minleak.scale._engines import engine_for
from minleak.scale._engines.base import Engine, ibis_module


def as_table(table: Any) -> Any:
    """An Ibis table: the one given, or a pandas or Arrow table, for DuckDB."""
    found = _as_ibis(table)
    check_names(found.columns, "the table", InvalidParameter)
    return found


def check_names(names: Iterable[str], where: str, error: type[MinleakError]) -> None:
    """Refuse columns whose names differ in case alone: engines ignore case, and would confuse them.

    >>> check_names(["secret", "Count", "count"], "the table", MinleakError)
    Traceback (most recent call last):
    minleak.errors.MinleakError: two columns of the table have one name, but for case, and engines would take the \
first: rename or drop one
    """
    folded = [name.casefold() for name in names if name]
    if len(set(folded)) < len(folded):
        raise error(
            f"two columns of {where} have one name, but for case, and engines would take the first: rename or drop one"
        )


def _as_ibis(table: Any) -> Any:
    ibis = ibis_module()
    if isinstance(table, ibis.expr.types.Table):
        return table
    if hasattr(type(table), "__arrow_c_stream__") or hasattr(type(table), "__dataframe__"):
        try:
            return ibis.memtable(table)
        except Exception as error:  # of pandas, Arrow or Ibis, and its words may hold a secret
            what = type(error).__name__
            raise InvalidParameter(
                f"Ibis cannot take this table ({what}): give each column a name and a type"
            ) from None
    raise InvalidParameter(
        f"a table of an engine is an Ibis table (see scale.read), a pandas or an Arrow table, not "
        f"{type(table).__name__}"
    )


def engine_of(*tables: Any) -> Engine:
    """The one engine that all the tables live in; DuckDB if they are in this process's memory."""
    ibis = ibis_module()
    from ibis.common.exceptions import IbisError
    from ibis.expr import operations as ops

    found: list[Any] = []
    for table in tables:
        try:
            bound = as_table(table).op().find((ops.DatabaseTable, ops.SQLQueryResult))
            backend = ibis.get_backend(table) if bound else None
        except IbisError:
            raise InvalidParameter("the parts of a table live in different engines: read them with one") from None
        if backend is not None and all(backend is not other for other in found):
            found.append(backend)
    if len(found) > 1:
        raise InvalidParameter("the tables live in different connections: read all of them with one backend")
    return engine_for(found[0] if found else None)


def check_columns(table: Any, error: type[MinleakError], **wanted: Any) -> None:
    """Refuse a table without one of the columns, each given by the parameter that names it; weight=None names none.

    In a file without a header the first row would be taken for names. It may hold secrets, so the message lists only
    names that resemble one that was looked for.

    >>> import ibis
    >>> check_columns(ibis.table({"Secret": "string", "ann": "string"}), MinleakError, secret="secret")
    Traceback (most recent call last):
    minleak.errors.MinleakError: there is no column 'secret' among the 2, but 'Secret': say which one with secret=, or \
give a file without a header a first line of names
    """
    if wanted.get("weight", "") is None:
        del wanted["weight"]
    for parameter, column in wanted.items():
        if not isinstance(column, str):
            raise error(f"{parameter} is the name of a column, not {type(column).__name__}")
    for parameter, column in wanted.items():
        if column not in table.columns:
            alike = [repr(name) for name in table.columns if any(_is_like(name, other) for other in wanted.values())]
            raise error(
                f"there is no column {column!r} among the {len(table.columns)}"
                + (f", but {', '.join(alike)}" if alike else "")
                + f": say which one with {parameter}=, or give a file without a header a first line of "
                "names"
            )


def _is_like(name: str, wanted: str) -> bool:
    """A short name is part of many words, so it must be the whole."""
    name, wanted = name.casefold(), wanted.casefold()
    return wanted == name or (len(wanted) >= 4 and wanted in name)
