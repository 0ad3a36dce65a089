"""The one face of a result: frozen fields, `to_dict()` for programs, `str()` and `_repr_html_` for people.

A result is a frozen dataclass that is a `Result`. It says in `_face` what a person should read, as sentences and
tables; one printer here makes text and HTML of it. Nobody renders a result a second time: commands print it, notebooks
show it, `--json` is `to_dict()`, and the documentation of its fields is made from the fields.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from inspect import getdoc
from typing import Any, ClassVar, get_args, get_type_hints

# A number in a table that is nearer to zero is what is left of a difference of floats.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Table:
    """Rows of values under named columns: the first is text, the others are numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    title: str = ""


@dataclass(frozen=True)
class Face:
    """What a person reads: sentences, a line each, then tables."""

    lines: Sequence[str] = ()
    tables: Sequence[Table] = ()


class Result:
    """What a function found.

    A subclass is a frozen dataclass. Each field says in its annotation what it is, `Annotated[float, "the chance of one
    guess"]`; fields that begin with an underscore are for ourselves. `_also` names properties that belong to the result
    as its fields do.
    """

    _also: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, in values that JSON has but for infinities and NaN."""
        return {name: plain(getattr(self, name)) for name in _names(type(self))}

    def _face(self) -> Face:
        """What a person reads: here the fields, one below the other."""
        told = [(name.replace("_", " "), value) for name, value in self.to_dict().items() if not _is_long(value)]
        return Face(tables=[Table(["", type(self).__name__], told)])

    def __str__(self) -> str:
        return as_text(self._face())

    def _repr_html_(self) -> str:
        return as_html(self._face())


def described(kind: type) -> Iterator[tuple[str, str]]:
    """(name, what it is) for each field of a class of results, for the documentation."""
    hints = get_type_hints(kind, include_extras=True)
    for name in _names(kind):
        said = [text for text in get_args(hints.get(name)) if isinstance(text, str)]
        own = vars(kind).get(name) or next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        yield name, said[0] if said else (getdoc(own) or "").split("\n\n")[0].replace("\n", " ")


def _names(kind: type) -> list[str]:
    own = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    return [name for name in (*own, *getattr(kind, "_also", ())) if not name.startswith("_")]


def plain(value: Any) -> Any:
    """The value in what JSON has: numbers, text, lists and objects; bytes in hexadecimal, other labels as text."""
    if isinstance(value, Result):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in _names(type(value))}
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, bytes):
        return value.hex()
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Sequence | set | frozenset):
        return [plain(item) for item in value]
    return str(value)


def _key(key: Any) -> str:
    return str(getattr(key, "name", key))


def _is_long(value: Any) -> bool:
    return isinstance(value, dict | list)


# -- text ------------------------------------------------------------------------------------------------------------


def as_text(face: Face) -> str:
    """Sentences and aligned tables, with an empty line between them."""
    parts = ["\n".join(visible(line) for line in face.lines)] if face.lines else []
    return "\n\n".join(parts + [_aligned(table) for table in face.tables])


def _aligned(table: Table) -> str:
    from rich.cells import cell_len

    cells = [[*table.columns], *([cell(value) for value in row] for row in table.rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    lines = [visible(table.title)] if table.title else []
    for row in cells:
        gaps = [" " * (width - cell_len(text)) for width, text in zip(widths, row, strict=True)]
        line = [row[0] + gaps[0], *(gap + text for gap, text in zip(gaps[1:], row[1:], strict=True))]
        lines.append("  ".join(line).rstrip())
    return "\n".join(lines)


def cell(value: Any) -> str:
    """A value in a table."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: ""}[value]
    if isinstance(value, float):
        return "0" if abs(value) < _ROUNDING else "inf" if math.isinf(value) else f"{value:.6g}"
    return field_text(value)


def field_text(label: Any) -> str:
    r"""A label in a table or a record: visible, with \\ for a backslash, so that it can be read back."""
    return visible((label.hex() if isinstance(label, bytes) else str(label)).replace("\\", "\\\\"))


def visible(text: str, *, keep: str = "") -> str:
    r"""Text whose every character can be seen: others are written as in Python, such as \n, \x1b and \u202e."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text)


# -- HTML ------------------------------------------------------------------------------------------------------------


def as_html(face: Face) -> str:
    """The same for a notebook or a page; every text is escaped."""
    parts = [f"<p>{html.escape(visible(line))}</p>" for line in face.lines]
    for table in face.tables:
        title = f"<caption>{html.escape(visible(table.title))}</caption>" if table.title else ""
        head = "".join(f"<th>{html.escape(name)}</th>" for name in table.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell(value))}</td>" for value in row) + "</tr>" for row in table.rows
        )
        parts.append(f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
    return f'<div class="minleak">{"".join(parts)}</div>'
