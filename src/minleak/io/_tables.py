"""Tables: whatever data comes in, its columns become labels, numbers or codes.

Every file format (`formats/`) is an `InputTable`, and so is a data frame. No message shows an entry, which may be a
secret; messages say where the entry is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak.core import _numbers as numbers
from minleak.core._arrays import Array, Indices, in_one_piece
from minleak.core._labels import Labels, is_nan, is_text
from minleak.core._numbers import Where, spelled_fractions
from minleak.core._parameters import as_list
from minleak.errors import InvalidParameter, MinleakError, UnreadableFile

# Names of columns shown in a message.
_SHOWN = 12


def as_values(values: Any, what: str) -> pa.Array | list[Any]:
    """A column as one Arrow array, or as a list if its entries are of several or unusual types. `what` names the
    entries in messages, such as "the secrets".
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
        values = as_list(values, f"{what} are an array or a sequence")
    if len(set(map(type, values))) == 1 and type(values[0]) in (str, int, float, bool):
        try:
            return pa.array(values)
        except (OverflowError, UnicodeEncodeError, pa.ArrowException):
            pass  # integers beyond 64 bits, or half of a surrogate pair
    return list(values)


def encode(values: pa.Array | list[Any]) -> tuple[Indices, Labels]:
    """The code of each value, from 0 in order of appearance, and the distinct values.

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
    """The first row that repeats the key of an earlier one."""
    order = np.argsort(keys, kind="stable")
    again = order[1:][np.diff(keys[order]) == 0]
    return int(again.min()) if len(again) else None


@dataclass(frozen=True, eq=False)
class Column:
    """A column of outside data. Messages call an entry by its `role`, such as "weight", and by `where` it is. Text may
    spell numbers only if everything is text, as in csv (`is_spelled`).
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
        """The column itself, if no entry is missing; NaN counts as missing unless `nan` is False."""
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
        """The entries, if they can be labels."""
        if isinstance(self.values, pa.Array) and pa.types.is_nested(self.values.type):
            raise self.error(
                f"the {self.role} at {self.where(0)} is of type {self.values.type}, which cannot be a name: store text "
                "or integers"
            )
        return self.values

    def codes(self) -> tuple[Indices, Labels]:
        """`encode` of the entries."""
        return encode(self.names())

    def codes_among(self, names: Labels) -> Indices:
        """The position of each entry among the names, all of which must be there."""
        codes, own = self.codes()
        places = {name: i for i, name in enumerate(names[:])}
        found = np.array([places.get(name, -1) for name in own[:]], dtype=np.int64)[codes]
        if found.min() < 0:
            at = self.where(int(np.argmax(found < 0)))
            raise self.error(f"{at} names a {self.role} that is not among the inputs: add it there")
        return found

    def numbers(self) -> npt.NDArray[Any]:
        """The entries as int64, as object if integers are larger, or as float64."""
        if isinstance(self.values, list):
            return numbers.from_list(self.values, self.role, self.where, self.error)[0]
        read = numbers.from_text if self.is_spelled and self.is_text else numbers.from_arrow
        return read(self.values, self.role, self.where, self.error)

    def floats(self) -> Array:
        """The entries as finite floats."""
        found = self.numbers()
        given = self.values if isinstance(self.values, list) else found  # Fractions are not over one denominator
        return numbers.as_floats(given, self.role, self.where, self.error)


def matrix_cells(
    secret: Column, observable: Column, inputs: Iterable[Hashable] | None
) -> tuple[Indices, Indices, Labels, Labels]:
    """The matrix cell (x, y) of each row of a table, each cell once, and the labels of rows and columns."""
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


class InputTable(ABC):
    """A table from outside: a file of one format, or a data frame. `formats.open_table` makes one."""

    #: The endings of file names that stand for the format.
    endings: ClassVar[tuple[str, ...]] = ()
    #: Whether everything is text: numbers are spelled, and the first line may be a secret instead of a header.
    is_text: ClassVar[bool] = False
    #: Whether each row is an event, and the file is read in pieces.
    is_log: ClassVar[bool] = False
    #: Whether the header certainly holds names, which a message may show.
    has_sure_header: bool = False
    #: The names of the columns, if the format has them.
    header: list[str] | None = None
    #: The number of blank rows, in a format whose rows are events that are counted.
    blank: int | None = None
    #: What to raise for bad data.
    error: ClassVar[type[MinleakError]] = UnreadableFile

    def __init__(self, data: bytes, name: str) -> None:
        """The table in a file of these bytes, which messages call by this name."""
        self.data, self.name = data, name

    @abstractmethod
    def load(self, labels: Sequence[str], numbers: Sequence[str]) -> Sequence[Any]:
        """The columns of labels, then those of numbers, as Arrow or lists; `read` refuses nulls in them."""

    def where(self, i: int) -> str:
        """Where row i is, counted from 0 after the header, for a message."""
        return f"row {i + 1} of {self.name}"

    @property
    def kind(self) -> str:
        """The name of the format."""
        return type(self).__name__.lower()

    def unparsable(self, why: object) -> UnreadableFile:
        """The error for a file that is not of this format."""
        return UnreadableFile(f"cannot parse {self.name} as {self.kind}: {str(why).splitlines()[0]}")

    @property
    def printable_names(self) -> list[str]:
        """The names of columns that a message may show."""
        return self.header or []

    def list_columns(self) -> str:
        """The names of the columns for a message: some of them, shortened, and none that may be data."""
        if not self.header:
            return "none in its first lines"
        return shorten(self.printable_names) if self.printable_names else "not the same in most records"

    def choose_records(self, *, status: str | None, query: bool) -> None:
        """Keep only records of this status, and strip query strings from addresses; only a log can."""
        if status is not None or not query:
            raise self.error(f"{self.name} is not an access log: leave out status= and query=")

    def has(self, column: str) -> bool:
        """Whether a column has that name, perhaps in other capitals, which `read` then refuses."""
        return isinstance(column, str) and column.casefold() in [name.casefold() for name in self.header or []]

    def read(self, labels: Mapping[str, str], numbers: Mapping[str, str], *, choose: str = "") -> dict[str, Column]:
        """The columns of these names by their roles, such as "weight", with nothing missing. `choose` names the
        parameters that select them, if these are not the roles.
        """
        wanted = {**labels, **numbers}
        self.check_names(wanted, choose)
        columns = {}
        for role, values in zip(wanted, self.load(list(labels.values()), list(numbers.values())), strict=True):
            if not len(values):
                header = "a header but " if self.is_text and self.header else ""
                raise self.error(f"{self.name} has {header}no rows")
            found = as_values(values, f"the {role}s")
            if role in numbers and self.is_text and isinstance(found, pa.Array) and is_text(found.type):
                found = spelled_fractions(found) or found
            column = Column(found, role, self.where, self.error, self.is_text)
            columns[role] = column.check_complete(nan=role in labels)
        return columns

    def check_names(self, wanted: Mapping[str, str], choose: str = "") -> None:
        """Refuse names that match no column, or several. The first line may be an event instead of a header, so its
        fields are shown only if one of the wanted names is among them.
        """
        header, choose = self.header, choose or ", ".join(f"{role}=" for role in wanted)
        if header is None:
            return
        for role, name in wanted.items():
            if not isinstance(name, str):
                raise self.error(f"a column is chosen by its name, a text, not by {type(name).__name__}")
            other = next(one for one in wanted if wanted[one] == name)
            if other != role:
                raise self.error(f"{other} and {role} both name the column {name!a}: name two columns")
        what = "field" if self.is_log else "column"
        for name in wanted.values():
            alike = [found for found in header if found.casefold() == name.casefold()]
            if len(alike) > 1:
                but = "" if len(set(alike)) == 1 else ", but for capitals"
                raise self.error(f"{self.name} has {len(alike)} columns named {name!a}{but}: rename all but one")
            if alike == [name]:
                continue
            if len(header) == 1 and ";" in header[0]:
                there = "its columns are separated by semicolons: separate them by commas"
            elif len(header) == 1 and self.is_text:
                there = "it has one column: give commas between columns, or say format='lines' or format='uniq'"
            elif any(map(self.has, wanted.values())) or self.has_sure_header:
                there = f"its {what}s are {self.list_columns()}"
            else:
                there = f"its first line must name its columns, and the {len(header)} there have other names"
            raise self.error(f"{self.name} has no {what} {name!a}; {there} (choose them with {choose})")


class CountsFile(InputTable):
    """A file of secrets and their weights, and of nothing else, whose columns have no names."""

    @abstractmethod
    def counts(self) -> tuple[Any, Any]:
        """The secrets, as a list or as Arrow, and their weights."""

    def load(self, labels: Sequence[str], numbers: Sequence[str]) -> Sequence[Any]:  # noqa: ARG002  no names here
        return self.counts()


class Frame(InputTable):
    """A data frame of pandas or polars, an Arrow table, or a mapping of columns."""

    has_sure_header = True
    error = InvalidParameter
    name = "the table"

    def __init__(self, frame: Any) -> None:
        try:
            self._table = pa.table(frame)
        except (pa.ArrowException, TypeError, ValueError):
            kind = type(frame).__name__
            raise InvalidParameter(f"rows are a file, an Arrow table or a data frame, not {kind}") from None
        self.header = list(self._table.column_names)

    def load(self, labels: Sequence[str], numbers: Sequence[str]) -> list[Any]:
        return [self._table[name] for name in (*labels, *numbers)]


def column_names(names: Any, what: str, error: type[MinleakError] = InvalidParameter) -> list[str]:
    """The names of one or more columns, each once; `what` is the message if they are not."""
    given = as_list(names, what, error, some=True)
    if not all(isinstance(name, str) for name in given) or len(set(given)) < len(given):
        raise error(what)
    return given


def shorten(names: list[str]) -> str:
    """The first names, quoted, and how many more there are."""
    shown = ", ".join(ascii(name[:30]) for name in names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown
