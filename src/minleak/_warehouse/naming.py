"""What is refused by name: missing columns and wrong values, without what may be a secret."""

from __future__ import annotations

from typing import Any

from minleak.errors import InvalidParameter, MinleakError


def shown(value: Any) -> str:
    """A value of a wrong kind, for a message: a table would be shown with its rows."""
    return repr(value) if isinstance(value, str | int | float | None) else type(value).__name__


def check_whole(name: str, number: Any, *, least: int = 1) -> None:
    """Refuse what is no whole number from the least on."""
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise InvalidParameter(f"{name} is a whole number from {least} on, not {shown(number)}")


def check_columns(table: Any, error: type[MinleakError], **wanted: Any) -> None:
    """Refuse a table without one of the columns, each given by the parameter that names it; weight=None names none.

    The first row of a file without a header would be taken for names, so that of those that are there only such are
    listed as hold one that was looked for.

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
    """A short name is in many words, so that it must be the whole."""
    name, wanted = name.casefold(), wanted.casefold()
    return wanted == name or (len(wanted) >= 4 and wanted in name)
