"""Tables: the one door for data. Files, data frames, Arrow tables and lists become columns of labels, numbers or codes.

No message here shows an entry, which may be a secret: it says where the entry stands.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak._data import numbers
from minleak._data.arrays import Array, Indices, in_one_piece
from minleak._data.formats import FORMATS, NAMED, find_format
from minleak._data.formats.base import Format
from minleak._data.formats.logs import Log
from minleak._data.labels import Labels, is_nan, is_text
from minleak._data.numbers import Where, spelled_fractions
from minleak._data.parameters import listed
from minleak._data.sources import Source, is_file, name_of, read_bytes, read_head, read_pieces
from minleak.errors import InvalidParameter, MinleakError, MinleakWarning, UnreadableFile

# So many names of columns are shown.
_SHOWN = 12


def as_values(values: Any, what: str) -> pa.Array | list[Any]:
    """One column of anything that holds one: as Arrow in one piece, or as a list where its entries are of several or
    unusual types. `what` is how messages speak of its entries, such as "the secrets".
    """
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return in_one_piece(values)
    if hasattr(values, "to_numpy"):  # a series of pandas or polars
        values = values.to_numpy()
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InvalidParameter(f"{what} are one column, not an array of {values.ndim} dimensions")
        if np.ma.is_masked(values):
            raise InvalidParameter(f"{what} have masked entries: leave them out")
        if values.dtype.kind in "iufb":
            return pa.array(np.asarray(values))
        values = values.tolist()
    else:
        values = listed(values, f"{what} are an array or a sequence")
    if len(set(map(type, values))) == 1 and type(values[0]) in (str, int, float, bool):
        try:
            return pa.array(values)
        except (OverflowError, UnicodeEncodeError, pa.ArrowException):
            pass  # integers beyond 64 bits, or half of a surrogate pair
    return list(values)


def encode(values: pa.Array | list[Any]) -> tuple[Indices, Labels]:
    """A number from 0 for each distinct value in order of appearance, and the values.

    >>> codes, names = encode(["b", "a", "b"])
    >>> codes, list(names)
    (array([0, 1, 0]), ['b', 'a'])
    """
    if isinstance(values, pa.Array):
        if pa.types.is_floating(values.type):
            import pyarrow.compute as pc

            values = pc.add(values.cast(pa.float64()), 0.0)  # -0.0 is 0.0
        try:
            found = values.dictionary_encode()
            return np.from_dlpack(found.indices).astype(np.int64), Labels.of(found.dictionary, 0)
        except pa.ArrowNotImplementedError:
            values = values.to_pylist()
    positions: dict[Any, int] = {}
    codes = np.array([positions.setdefault(value, len(positions)) for value in values], dtype=np.int64)
    return codes, Labels.of(positions, 0)


def first_repeat(keys: Indices) -> int | None:
    """The first row whose key a row before it has."""
    order = np.argsort(keys, kind="stable")
    again = order[1:][np.diff(keys[order]) == 0]
    return int(again.min()) if len(again) else None


@dataclass(frozen=True, eq=False)
class Column:
    """A column from outside. Messages call an entry by its `role`, such as "weight", and say where it stands; text
    spells numbers only where all is text, as in csv.
    """

    values: pa.Array | list[Any]
    role: str
    where: Where
    error: type[MinleakError]
    is_spelled: bool = False

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_text(self) -> bool:
        """Whether all entries are text."""
        return isinstance(self.values, pa.Array) and is_text(self.values.type)

    def check_complete(self, *, nan: bool = True) -> Column:
        """The column itself, if no entry is missing; a NaN is one unless said otherwise."""
        import pyarrow.compute as pc

        if isinstance(self.values, pa.Array):
            missing = self.values.is_null(nan_is_null=nan)
            at = pc.index(missing, True).as_py() if pc.any(missing).as_py() else None
        else:
            at = next((i for i, v in enumerate(self.values) if v is None or (nan and is_nan(v))), None)
        if at is not None:
            raise self.error(f"the {self.role} at {self.where(at)} is missing")
        return self

    def names(self) -> pa.Array | list[Any]:
        """The entries, if they can be names."""
        if isinstance(self.values, pa.Array) and pa.types.is_nested(self.values.type):
            raise self.error(
                f"the {self.role} at {self.where(0)} is of type {self.values.type}, which is no name: store text or "
                "integers"
            )
        return self.values

    def codes(self) -> tuple[Indices, Labels]:
        """A number from 0 for each distinct entry in order of appearance, and the entries: `encode`."""
        return encode(self.names())

    def codes_among(self, names: Labels) -> Indices:
        """The position of each entry among the names; one that is not there is refused."""
        codes, own = self.codes()
        places = {name: i for i, name in enumerate(names[:])}
        found = np.array([places.get(name, -1) for name in own[:]], dtype=np.int64)[codes]
        if found.min() < 0:
            at = self.where(int(np.argmax(found < 0)))
            raise self.error(f"{at} names a {self.role} that is not among the inputs: add it there")
        return found

    def numbers(self) -> npt.NDArray[Any]:
        """The entries as int64, as object where integers are larger, or as float64."""
        if isinstance(self.values, list):
            return numbers.from_list(self.values, self.role, self.where, self.error)[0]
        read = numbers.from_text if self.is_spelled and self.is_text else numbers.from_arrow
        return read(self.values, self.role, self.where, self.error)

    def floats(self) -> Array:
        """The entries as finite floats."""
        found = self.numbers()
        given = self.values if isinstance(self.values, list) else found  # Fractions as they are
        return numbers.as_floats(given, self.role, self.where, self.error)


def matrix_cells(
    secret: Column, observable: Column, inputs: Iterable[Hashable] | None
) -> tuple[Indices, Indices, Labels, Labels]:
    """The row and the column of a matrix that each row of a table is about, each cell once, and the names of both."""
    if inputs is None:
        x, secrets = secret.codes()
    else:
        secrets = Labels.of(inputs, 0)
        twice = secrets.first_duplicate()
        if twice is not None:
            raise InvalidParameter(f"inputs {twice[0]} and {twice[1]} are the same: name each secret once")
        x = secret.codes_among(secrets)
    y, observables = observable.codes()
    again = first_repeat(x * len(observables) + y)
    if again is not None:
        where = secret.where(again)
        raise secret.error(f"{where} lists a secret and an observable for the second time: keep one")
    return x, y, secrets, observables


class Table:
    """The columns of a file or of a data frame. `what` needs names for its columns, which some formats do not have;
    None if it does not.

    >>> import io
    >>> table = Table(io.BytesIO(b"secret,count\\nflu,812\\n"), format="csv")
    >>> table.read({"secret": "secret"}, {"weight": "count"})["weight"].numbers(), table.where(0)
    (array([812]), 'line 2 of the input')
    """

    def __init__(self, source: Source | Any, *, format: str | None = None, what: str | None = None) -> None:
        self.error: type[MinleakError] = UnreadableFile
        self._file: Format
        if is_file(source):
            self.name = name_of(source)
            kind, self._file = _open_file(source, self.name, format)
            if what is not None and self._file.header is None:
                named = ", ".join(NAMED)
                raise UnreadableFile(f"{what} read from a format that names its columns ({named}), not {kind}")
        else:
            self.name, self.error, self._file = "the table", InvalidParameter, _Frame(source)

    @property
    def names_columns(self) -> bool:
        """Whether the file has columns that are chosen by name."""
        return self._file.header is not None

    @property
    def log(self) -> Log | None:
        """The file, if it is a log whose records are events."""
        return self._file if isinstance(self._file, Log) else None

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._file.header or [])

    def list_columns(self) -> str:
        """The names of the columns for a message: some of them, shortened, and none that may be data."""
        names = self._file.printable_names
        return shorten(names) if names else "not the same in most records"

    def choose_records(self, *, status: str | None, query: bool) -> None:
        """Of a log, take only records of this status, and take query strings off addresses."""
        if self.log is not None:
            self.log.choose(status=status, query=query)
        elif status is not None or not query:
            raise self.error(f"{self.name} is no access log: leave out status= and query=")

    @property
    def blank(self) -> int | None:
        """How many rows of a log, which are counted here, were blank; None where rows are no events."""
        return self._file.blank

    def where(self, i: int) -> str:
        """Where row i stands, counted from 0, for a message."""
        return self._file.where(i)

    def has(self, column: str) -> bool:
        """Whether a column has that name, perhaps in other capitals, which `read` then refuses."""
        return isinstance(column, str) and column.casefold() in [name.casefold() for name in self._file.header or []]

    def read(self, labels: Mapping[str, str], numbers: Mapping[str, str], *, choose: str = "") -> dict[str, Column]:
        """By their roles, such as the weight, the columns of these names, with nothing missing. `choose` is how the
        caller names them, if not by the roles.
        """
        wanted = {**labels, **numbers}
        self.check_names(wanted, choose)
        read = self._file.columns(list(labels.values()), list(numbers.values()))
        columns = {}
        for role, values in zip(wanted, read, strict=True):
            if not len(values):
                header = "a header but " if self._file.is_text and self._file.header else ""
                raise self.error(f"{self.name} has {header}no rows")
            found = as_values(values, f"the {role}s")
            if role in numbers and self._file.is_text and isinstance(found, pa.Array) and is_text(found.type):
                found = spelled_fractions(found) or found
            column = Column(found, role, self.where, self.error, self._file.is_text)
            columns[role] = column.check_complete(nan=role in labels)
        if self.log is not None:
            warn_of_skipped(self.log, ", ".join(wanted.values()))
        return columns

    def check_names(self, wanted: Mapping[str, str], choose: str = "") -> None:
        """Refuse columns that are not there once. A first line may be no header but an event: its fields are shown
        only if there is a name among them that is looked for.
        """
        header, choose = self._file.header, choose or ", ".join(f"{role}=" for role in wanted)
        if header is None:
            return
        for role, name in wanted.items():
            if not isinstance(name, str):
                raise self.error(f"a column is chosen by its name, a text, not by {type(name).__name__}")
            other = next(one for one in wanted if wanted[one] == name)
            if other != role:
                raise self.error(f"{other} and {role} both name the column {name!a}: name two columns")
        sure = self._file.names_surely or any(self.has(name) for name in wanted.values())
        for name in wanted.values():
            alike = [found for found in header if found.casefold() == name.casefold()]
            if len(alike) > 1:
                but = "" if len(set(alike)) == 1 else ", but for capitals"
                raise self.error(f"{self.name} has {len(alike)} columns named {name!a}{but}: rename all but one")
            if alike != [name]:
                there = f"its first line must name its columns, and the {len(header)} there have other names"
                if len(header) == 1 and self._file.is_text:
                    there = "it has one column: give commas between columns, or say format='lines' or format='uniq'"
                elif sure:
                    there = f"its columns are {self.list_columns()}"
                what = "field" if self._file.is_log else "column"
                there = there.replace("columns are", "fields are") if self._file.is_log else there
                raise self.error(f"{self.name} has no {what} {name!a}; {there} (choose them with {choose})")


def _open_file(source: Source, name: str, format: str | None) -> tuple[str, Format]:
    """The format of a file, recognised if it is not given, and the file. A pipe can be read only once."""
    if isinstance(source, str | os.PathLike) and (format is not None or os.path.isfile(source)):
        kind = find_format(name, format, partial(read_head, source, name))
    else:
        data = None if format is not None and FORMATS.get(format, Format).is_log else read_bytes(source, name)
        kind = find_format(name, format, lambda: data or b"")
        source = source if data is None else io.BytesIO(data)
    made: Any = FORMATS[kind]
    return kind, made((read_pieces if made.is_log else read_bytes)(source, name), name)


def warn_of_skipped(log: Log, fields: str) -> None:
    """Warn of lines that are no records, and of records without values in these fields: how many, and no more."""
    for many, what in (
        (log.skipped, f"no records of the format {log.kind}"),
        (log.empty, f"records without a value of {fields}"),
    ):
        if many:
            warnings.warn(f"{many:,} lines of {log.name} are {what}: left out", MinleakWarning, stacklevel=4)


class _Frame(Format):
    """A data frame of pandas or polars, an Arrow table, or a mapping of columns."""

    names_surely = True

    def __init__(self, frame: Any, name: str = "the table") -> None:
        self.name = name
        try:
            self._table = pa.table(frame)
        except (pa.ArrowException, TypeError, ValueError):
            raise InvalidParameter(
                f"rows are a file, an Arrow table or a data frame, not {type(frame).__name__}"
            ) from None
        self.header = list(self._table.column_names)

    def columns(self, labels: list[str], numbers: list[str]) -> list[Any]:  # type: ignore[override]
        return [self._table[name] for name in (*labels, *numbers)]


def column_names(names: Any, what: str, error: type[MinleakError] = InvalidParameter) -> list[str]:
    """The names of one or more columns, each once; `what` says so."""
    given = listed(names, what, error, some=True)
    if not all(isinstance(name, str) for name in given) or len(set(given)) < len(given):
        raise error(what)
    return given


def shorten(names: list[str]) -> str:
    """Some names, shortened."""
    shown = ", ".join(ascii(name[:30]) for name in names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown
