"""Table: a source and a format become columns, all checks on the way, and a row can be named in messages."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, BinaryIO

import pyarrow as pa

from minleak._data.reading.formats import FORMATS, kind_of
from minleak._data.reading.numbers import spelled_numbers, stored_numbers
from minleak._data.reading.sources import content_of, name_of
from minleak.errors import UnreadableFile


class Table:
    """The columns of a file. `what` needs names for its columns, which some formats do not have; None if it does not.

    >>> import io
    >>> table = Table(io.BytesIO(b"secret,count\\nflu,812\\n"), format="csv")
    >>> table.read({"secret": "secret"}, {"weight": "count"})["weight"], table.where(0)
    (array([812]), 'line 2 of the input')
    """

    def __init__(
        self, source: str | os.PathLike[str] | BinaryIO, *, format: str | None, what: str | None = None
    ) -> None:
        self.name = name_of(source)
        kind = kind_of(self.name, format)
        self._file = FORMATS[kind](content_of(source, self.name), self.name)
        self._header = self._file.header()
        if what is not None and self._header is None:
            raise UnreadableFile(f"{what} read from csv, tsv or parquet, which name their columns, not {kind}")

    def where(self, i: int) -> str:
        """Where row i stands, counted from 0, for a message."""
        return self._file.where(i)

    def has(self, column: str) -> bool:
        """Whether a column has that name, perhaps in other capitals, which `read` then refuses."""
        return isinstance(column, str) and column.casefold() in [name.casefold() for name in self._header or []]

    def read(self, labels: Mapping[str, str], numbers: Mapping[str, str], *, choose: str = "") -> dict[str, Any]:
        """By their roles, such as the weight, the columns of these names: labels as Arrow or a list, numbers as a
        vector or a list. `choose` is how the caller names them, if not by the roles.
        """
        wanted = {**labels, **numbers}
        self._check_names(wanted, choose or ", ".join(f"{role}=" for role in wanted))
        columns = dict(zip(wanted, self._file.columns(list(labels.values()), list(numbers.values())), strict=True))
        if not len(next(iter(columns.values()))):
            raise UnreadableFile(
                f"{self.name} has {'a header but ' if self._file.spells_numbers and self._header else ''}no rows"
            )
        return {role: self._checked(role, column, role in numbers) for role, column in columns.items()}

    def _checked(self, role: str, column: Any, is_number: bool) -> Any:
        """A column with nothing missing, as it is handed out."""
        import pyarrow.compute as pc

        if not isinstance(column, pa.ChunkedArray):
            return column
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        missing = column.is_null(nan_is_null=not is_number)
        if pc.any(missing).as_py():
            raise UnreadableFile(f"the {role} at {self.where(pc.index(missing, True).as_py())} is missing")
        if is_number:
            spelled = self._file.spells_numbers and not pa.types.is_integer(column.type)
            return (spelled_numbers if spelled else stored_numbers)(column, role, self.where)
        if pa.types.is_nested(column.type):
            raise UnreadableFile(
                f"the {role} at {self.where(0)} is of type {column.type}, which is no name: store text or integers"
            )
        return column

    def _check_names(self, wanted: Mapping[str, str], choose: str) -> None:
        """Refuse columns that are not there once. A first line may be no header but an event: its fields are shown
        only if there is a name among them that is looked for.
        """
        header = self._header
        if header is None:
            return
        for role, name in wanted.items():
            if not isinstance(name, str):
                raise UnreadableFile(f"a column is chosen by its name, a text, not by {type(name).__name__}")
            other = next(one for one in wanted if wanted[one] == name)
            if other != role:
                raise UnreadableFile(f"{other} and {role} both name the column {name!a}: name two columns")
        sure = self._file.has_schema or any(self.has(name) for name in wanted.values())
        for name in wanted.values():
            alike = [found for found in header if found.casefold() == name.casefold()]
            if len(alike) > 1:
                but = "" if len(set(alike)) == 1 else ", but for capitals"
                raise UnreadableFile(f"{self.name} has {len(alike)} columns named {name!a}{but}: rename all but one")
            if alike != [name]:
                there = f"its first line must name its columns, and the {len(header)} there have other names"
                if sure:
                    there = f"its columns are {_listed(header)}"
                raise UnreadableFile(f"{self.name} has no column {name!a}; {there} (choose them with {choose})")


def _listed(names: list[str]) -> str:
    """Some names, shortened."""
    shown = ", ".join(ascii(name[:30]) for name in names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown
