"""Result: the base class of what functions return, with conversion to a dictionary, text and HTML."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import Any, ClassVar

from minleak.core._plain import plain, visible
from minleak.core._text_tables import ROUNDING, Table, html, word

# Values of a list printed at most.
_PRINTED = 8


class Result:
    """The base class of every result, each a frozen dataclass.

    The fields are reported, except those with `repr=False`, and so are the properties named in `reported`. A subclass
    that is not printed as a table of them overrides `to_parts`; one with a picture has `chart()`.
    """

    #: Properties that are reported beside the fields.
    reported: ClassVar[tuple[str, ...]] = ()
    #: Floats nearer to zero than this are printed as 0: 0 where small figures have their digits.
    zero_below: ClassVar[float] = ROUNDING
    #: What `chart()` shows, if there is one.
    charted: ClassVar[str] = "chart"

    def to_dict(self) -> dict[str, Any]:
        """All reported values in JSON's types: infinities are text, bytes hexadecimal, labels text or integers."""
        return {name: plain(getattr(self, name)) for name in reported_names(type(self))}

    def to_parts(self) -> list[str | Table]:
        """The result as lines of text and tables, in the order in which they are printed."""
        values, tables = [], []
        for name in reported_names(type(self)):
            value = getattr(self, name)
            if isinstance(value, tuple) and value and all(isinstance(row, Result) for row in value):
                tables.append(table_of(type(value[0]), value, title=_spaced(name)))
            else:
                values.append([_spaced(name), "none" if value is None else _short(value)])
        return [*([Table("", (), values, self.zero_below)] if values else []), *tables]

    def __str__(self) -> str:
        lines: list[str] = []
        for part in self.to_parts():
            if isinstance(part, Table) and part.title and lines:
                lines.append("")
            lines.append(str(part) if isinstance(part, Table) else visible(part, keep="\n\t"))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return "\n".join(
            part.to_html() if isinstance(part, Table) else f"<p>{html(part)}</p>" for part in self.to_parts()
        )


def table_of(kind: type[Result], rows: Sequence[Result], *, title: str = "", zero_below: float = ROUNDING) -> Table:
    """Results of one class as the rows of a table with a column for each reported field."""
    names = reported_names(kind)
    cells = [[_short(getattr(row, name)) for name in names] for row in rows]
    return Table(title, [_spaced(name) for name in names], cells, zero_below)


def by_first(rows: Sequence[Result]) -> dict[str, Any]:
    """Results of one class as a dictionary keyed by their first field."""
    dicts = [row.to_dict() for row in rows]
    return {str(row.pop(next(iter(row)))): row for row in dicts}


def reported_names(cls: type) -> list[str]:
    """The names of the reported fields and properties of a class of results."""
    return [field.name for field in fields(cls) if field.repr] + list(getattr(cls, "reported", ()))


def fields_of(cls: type) -> list[tuple[str, str, str]]:
    """(name, type, text) of each reported field or property: the text is the string below a field in the source, the
    docstring of a property, or else the sentence in the docstring of the class that has the name in backticks.
    """
    below = dict(_strings_below(cls))
    docs = " ".join((base.__doc__ or "").split(">>>")[0] for base in cls.__mro__ if is_dataclass(base))
    sentences = re.split(r"(?<=[.;])\s+", " ".join(docs.split()))
    found = []
    for name in reported_names(cls):
        of_property = getattr(inspect.getattr_static(cls, name, None), "__doc__", None)
        own = of_property if name in getattr(cls, "reported", ()) else below.get(name)
        named = next((sentence for sentence in sentences if re.search(rf"`{name}\b", sentence)), "")
        found.append((name, _type_of(cls, name), " ".join((own or named).split())))
    return found


def _strings_below(cls: type) -> Iterator[tuple[str, str]]:
    """(field, text) of the strings below the fields of a class and its bases, in the source."""
    for base in reversed(cls.__mro__):
        if not is_dataclass(base) or "__annotations__" not in base.__dict__:
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0].body  # type: ignore[attr-defined]
        for field, below in pairwise(body):
            if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
                yield ast.unparse(field.target), ast.literal_eval(below.value)


def _type_of(cls: type, name: str) -> str:
    for base in cls.__mro__:
        if name in inspect.get_annotations(base):
            return str(inspect.get_annotations(base)[name])
    returns = inspect.get_annotations(inspect.getattr_static(cls, name).fget).get("return", "")
    return str(returns)


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _short(value: Any) -> Any:
    """A value that fits into a cell; a list is shortened."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    if isinstance(value, Result):
        return ", ".join(
            f"{_spaced(name)} {word(_short(getattr(value, name)))}" for name in reported_names(type(value))
        )
    if hasattr(value, "to_dict"):
        return repr(value)
    if len(getattr(value, "shape", ())) > 1:
        return f"{' x '.join(map(str, value.shape))} numbers"
    if isinstance(value, Mapping) and any(isinstance(item, Result) for item in value.values()):
        value = list(value)
    told = plain(value)
    if isinstance(told, dict):
        told = [f"{name}: {word(_short(item))}" for name, item in told.items()]
    if isinstance(told, list):
        first = ", ".join(word(_short(item)) for item in told[:_PRINTED])
        return first if len(told) <= _PRINTED else f"{first}, ... ({len(told):,})"
    return told
