"""Table: a source and a format become columns, all checks on the way, and a row can be named in messages.

Numbers are integers exactly, of any size, or else floats; by their type, or as text spells them.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from minleak._data.arrays import Array
from minleak._data.cells import MatrixCells
from minleak._data.labels import Labels
from minleak._data.parameters import listed
from minleak._data.reading.compressed import open_gzip
from minleak._data.reading.formats import FORMATS, NAMED
from minleak.errors import InvalidParameter, MinleakError, UnreadableFile, shown

_PIECE = 1 << 20  # bytes unpacked at once
_INTEGER, _NUMBER = r"^[+-]?[0-9]+$", r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


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
        self.name = _name(source)
        kind = kind_of(self.name, format)
        self._file = FORMATS[kind](_content(source, self.name), self.name)
        if what is not None and self._file.header is None:
            raise UnreadableFile(f"{what} read from a format that names its columns ({', '.join(NAMED)}), not {kind}")

    @property
    def names_columns(self) -> bool:
        """Whether the file has columns that are chosen by name."""
        return self._file.header is not None

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

    def read(self, labels: Mapping[str, str], numbers: Mapping[str, str], *, choose: str = "") -> dict[str, Any]:
        """By their roles, such as the weight, the columns of these names: labels as Arrow or a list, numbers as a
        vector or a list. `choose` is how the caller names them, if not by the roles.
        """
        wanted = {**labels, **numbers}
        self._check_names(wanted, choose or ", ".join(f"{role}=" for role in wanted))
        columns = dict(zip(wanted, self._file.columns(list(labels.values()), list(numbers.values())), strict=True))
        if not len(next(iter(columns.values()))):
            header = "a header but " if self._file.is_text and self._file.header else ""
            raise UnreadableFile(f"{self.name} has {header}no rows")
        return {role: self._checked(role, column, role in numbers) for role, column in columns.items()}

    def cells(self, columns: Mapping[str, Any], inputs: Iterable[Hashable] | None) -> MatrixCells:
        """The cells of the columns of secrets and observables."""
        names = None if inputs is None else Labels.of(inputs, 0)
        twice = None if names is None else names.first_duplicate()
        if twice is not None:
            raise InvalidParameter(f"inputs {twice[0]} and {twice[1]} are the same: name each secret once")
        return MatrixCells(
            zip(Labels.of(columns["secret"], 0), Labels.of(columns["observable"], 0), strict=True),
            names,
            unknown=lambda i: UnreadableFile(f"{self.where(i)} names a secret that the prior does not have"),
            again=lambda i: UnreadableFile(
                f"{self.where(i)} lists a secret and an observable for the second time: keep one"
            ),
        )

    def _checked(self, role: str, column: Any, is_number: bool) -> Any:
        """A column with nothing missing, as it is handed out."""
        import pyarrow.compute as pc

        if isinstance(column, list):
            if None in column:
                raise self._missing(role, column.index(None))
            return column
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        missing = column.is_null(nan_is_null=not is_number)
        if pc.any(missing).as_py():
            raise self._missing(role, pc.index(missing, True).as_py())
        if is_number:
            spelled = self._file.is_text and not pa.types.is_integer(column.type)
            return (spelled_numbers if spelled else stored_numbers)(column, role, self.where)
        if pa.types.is_nested(column.type):
            raise UnreadableFile(
                f"the {role} at {self.where(0)} is of type {column.type}, which is no name: store text or integers"
            )
        return column

    def _missing(self, role: str, i: int) -> UnreadableFile:
        return UnreadableFile(f"the {role} at {self.where(i)} is missing")

    def _check_names(self, wanted: Mapping[str, str], choose: str) -> None:
        """Refuse columns that are not there once. A first line may be no header but an event: its fields are shown
        only if there is a name among them that is looked for.
        """
        header = self._file.header
        if header is None:
            return
        for role, name in wanted.items():
            if not isinstance(name, str):
                raise UnreadableFile(f"a column is chosen by its name, a text, not by {type(name).__name__}")
            other = next(one for one in wanted if wanted[one] == name)
            if other != role:
                raise UnreadableFile(f"{other} and {role} both name the column {name!a}: name two columns")
        sure = not self._file.is_text or any(self.has(name) for name in wanted.values())
        for name in wanted.values():
            alike = [found for found in header if found.casefold() == name.casefold()]
            if len(alike) > 1:
                but = "" if len(set(alike)) == 1 else ", but for capitals"
                raise UnreadableFile(f"{self.name} has {len(alike)} columns named {name!a}{but}: rename all but one")
            if alike != [name]:
                there = f"its first line must name its columns, and the {len(header)} there have other names"
                if len(header) == 1:
                    there = "it has one column: give commas between columns, or say format='lines' or format='uniq'"
                elif sure:
                    there = f"its columns are {_listed(header)}"
                raise UnreadableFile(f"{self.name} has no column {name!a}; {there} (choose them with {choose})")


def column_names(names: Any, what: str, error: type[MinleakError] = InvalidParameter) -> list[str]:
    """The names of one or more columns, each once; `what` says so."""
    given = listed(names, what, error, some=True)
    if not all(isinstance(name, str) for name in given) or len(set(given)) < len(given):
        raise error(what)
    return given


def _listed(names: list[str]) -> str:
    """Some names, shortened."""
    shown = ", ".join(ascii(name[:30]) for name in names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown


def _name(source: Any) -> str:
    """What messages call the source."""
    with contextlib.suppress(Exception):  # whatever an odd object raises when it is asked
        if isinstance(source, str | os.PathLike):
            return os.fsdecode(source).encode("utf-8", "backslashreplace").decode()
        if hasattr(source, "read"):
            return str(getattr(source, "name", "the input"))
    raise UnreadableFile(f"a file is read from a path or an open binary file, not {type(source).__name__}")


def kind_of(name: str, format: str | None) -> str:
    """The name of the format: the one given, or the one that the ending of the file's name stands for."""
    if format is not None:
        if not isinstance(format, str) or format not in FORMATS:
            raise UnreadableFile(f"unknown format {shown(format)}: one of {', '.join(FORMATS)}")
        return format
    ending = os.path.splitext(name.lower().removesuffix(".gz"))[1]
    for kind, made in FORMATS.items():
        if ending in made.endings:
            return kind
    raise UnreadableFile(f"cannot tell the format of {name} from its ending: say format= one of {', '.join(FORMATS)}")


def _content(source: Any, name: str) -> bytes:
    """All bytes of the source, decompressed."""
    is_path = isinstance(source, str | os.PathLike)
    try:
        if is_path:
            with open(source, "rb") as file:
                data = file.read()
        else:
            data = source.read()
    except Exception as error:  # of the system, of a closed file, or of whatever the source is
        raise UnreadableFile(f"cannot open {name}: {getattr(error, 'strerror', None) or error}") from None
    if not isinstance(data, bytes | bytearray | memoryview):
        raise UnreadableFile(f"{name} is not open as bytes: open it in binary mode, 'rb'")
    data = bytes(data)
    # A file object may have been decompressed on the way already, whatever its name.
    if name.lower().endswith(".gz") and (is_path or data[:2] == b"\x1f\x8b"):
        try:
            with open_gzip(data, name) as file:
                return b"".join(iter(partial(file.read, _PIECE), b""))
        except (EOFError, OSError, zlib.error) as error:
            raise UnreadableFile(f"{name} is not a whole gzip file: {error}") from None
    return data


# -- numbers ---------------------------------------------------------------------------------------------------------


def stored_numbers(column: pa.Array | pa.ChunkedArray, role: str, where: Callable[[int], str]) -> Any:
    """The numbers of a column without nulls, of a numeric type, as a vector or a list; other types are refused."""
    kind = column.type
    if pa.types.is_decimal(kind):
        return [int(value) if value == int(value) else float(value) for value in column.to_pylist()]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _taken(column)
    raise UnreadableFile(f"the {role} at {where(0)} is of type {kind}, which is not a number: store integers or floats")


def spelled_numbers(column: pa.Array | pa.ChunkedArray, role: str, where: Callable[[int], str]) -> Any:
    """The numbers that texts spell: all integers, exactly, or else all as floats."""
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(column)
    good = pc.match_substring_regex(texts, _NUMBER)
    if not pc.all(good).as_py():
        i = pc.index(good, False).as_py()
        what = "is not a number" if texts[i].as_py() else "is missing"
        raise UnreadableFile(f"the {role} at {where(i)} {what}: write it in digits, 0 too, with a point if need be")
    if not pc.all(pc.match_substring_regex(texts, _INTEGER)).as_py():
        return _taken(texts.cast(pa.float64()))
    numbers = []
    for i, text in enumerate(texts.to_pylist()):
        try:
            numbers.append(int(text))
        except ValueError:  # Python's limit, some thousands of digits, against texts that take minutes to convert
            raise UnreadableFile(f"the {role} at {where(i)} has {len(text)} digits, more than can be read") from None
    return numbers


def _taken(column: pa.Array | pa.ChunkedArray) -> np.ndarray[Any, Any]:
    """The numbers of a column as a vector that nobody else will write to, which a prior keeps without copying."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    numbers = np.concatenate([np.from_dlpack(chunk) for chunk in chunks])
    numbers.flags.writeable = False
    return numbers


def finite(numbers: Any, role: str, where: Callable[[int], str]) -> Array:
    """The numbers as floats; one that is infinite or NaN is refused."""
    try:
        floats = np.asarray(numbers, dtype=np.float64)
    except OverflowError:  # integers beyond all floats
        floats = np.array([float(value) if abs(value) <= sys.float_info.max else math.inf for value in numbers])
    bad = ~np.isfinite(floats)
    if bad.any():
        raise UnreadableFile(f"the {role} at {where(int(np.argmax(bad)))} is not a finite number")
    return floats
