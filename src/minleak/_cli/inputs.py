"""Where commands read from: a file or, for -, stdin."""

from __future__ import annotations

import io
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from minleak._cli.failures import in_flags
from minleak._cli.options import Secret, option
from minleak._cli.output import note, working
from minleak._data.arrays import Array
from minleak._data.prior import Prior
from minleak._data.reading.formats import FORMATS, NAMED
from minleak._data.reading.formats.uniq import text_lines
from minleak._data.reading.places import read_places
from minleak._data.reading.prior import read_prior
from minleak._data.reading.table import Table, kind_of
from minleak._plans.loading import load
from minleak.errors import InvalidParameter, MinleakError, MinleakWarning, UnreadableFile


class _Stdin(io.BytesIO):
    name = "stdin"


# What stdin was read from last.
_read: list[Any] = []


def stdin() -> bytes:
    """All of stdin, once: a second time nothing would be left of it."""
    if sys.stdin is None:
        raise InvalidParameter("stdin is closed, so - cannot be read: give a file")
    if any(sys.stdin is source for source in _read):
        raise InvalidParameter("stdin was read already: - can stand for one file alone")
    _read[:] = [sys.stdin]
    return sys.stdin.buffer.read()


def one_stdin(**paths: str | list[str] | None) -> None:
    """Refuse - for two of the arguments, which are given by their names in the help."""
    asked = [
        name
        for name, given in paths.items()
        for path in ([given] if isinstance(given, str) else given or [])
        if path == "-"
    ]
    if len(asked) > 1:
        raise InvalidParameter(f"stdin cannot be both {' and '.join(asked)}: give one of them as a file")


def stdin_lines() -> list[str]:
    """The lines of stdin as text."""
    return text_lines(stdin(), "stdin")


def rows_of(path: str, format: str | None = None) -> dict[str, Any]:
    """The source and the format for a reader of rows; stdin is csv unless another format is named."""
    if path != "-":
        return {"source": path, "format": format}
    return {"source": _Stdin(stdin()), "format": format or "csv"}


def rows_beside(path: str) -> dict[str, Any]:
    """Likewise for a second file: --format is that of the first."""
    check_ending_beside(path, "PRIOR")
    return rows_of(path)


def check_ending_beside(path: str, first: str) -> None:
    """Refuse a file whose ending tells no format, where --format is about another."""
    if path != "-":
        try:
            kind_of(path, None)
        except UnreadableFile:
            endings = ", ".join(FORMATS[kind].endings[0] for kind in NAMED)
            remedy = f"name it {endings} (--format is that of {first})"
            raise UnreadableFile(f"cannot tell the format of {path} from its ending: {remedy}") from None


@contextmanager
def as_file(path: str, ending: str) -> Iterator[str]:
    """The path, or for - that of a file with what stdin holds, which only this user can read and which is removed."""
    if path != "-":
        yield path
        return
    with tempfile.NamedTemporaryFile(suffix=ending) as file:
        file.write(stdin())
        file.flush()
        try:
            yield file.name
        except MinleakError as error:
            raise type(error)(str(error).replace(file.name, "stdin")) from None


def check_shown(path: str, argument: str, order: str, begins: bytes = b"") -> None:
    """Refuse a path at which there is no file that begins so, without repeating it: a secret may stand in its place."""
    problem = "it is not such a file"
    try:
        if os.path.isfile(path) or not os.path.exists(path):  # a pipe would be waited for
            with open(path, "rb") as file:
                if file.read(len(begins)) == begins:
                    return
    except OSError as error:
        problem = error.strerror or "it cannot be opened"
    raise UnreadableFile(
        f"cannot open {argument}: {problem}; its name is not repeated, since it may be a secret (the order is {order})"
    )


def plan_of(cloak: str) -> Any:
    """The plan in a .cloak file, or for - in stdin, of whichever kind."""
    with working(f"opening {cloak}"), as_file(cloak, ".cloak") as path:
        return load(path)


@dataclass(frozen=True)
class Reading:
    """How counts are read from PRIOR."""

    secret: Secret = "secret"
    weight: str = option("The column of their counts or weights.", default="count")
    format: str | None = option(
        f"The format of PRIOR: {', '.join(FORMATS)}; by its ending if not given, csv for stdin."
    )
    strip: bool = option("Take off the blanks around the secrets of PRIOR.", default=False)
    nfc: bool = option("Bring the secrets of PRIOR to one Unicode form, NFC.", default=False)
    count_rows: bool = option("PRIOR is a log, a row for each event: count them; there is no --weight.", default=False)

    def prior(self, path: str) -> Prior:
        """The prior in that file."""
        return PriorSource(path, self).prior()


class PriorSource:
    """A file or stdin, read once, from which several columns can be taken."""

    def __init__(self, path: str, reading: Reading) -> None:
        self._path, self._reading, self._from = path, reading, rows_of(path, reading.format)

    def prior(self, *, events: int | None = None) -> Prior:
        """The prior, with the weights that the options name or its rows counted."""
        return self._prior(None if self._reading.count_rows else self._reading.weight, events)

    def other(self, column: str, option: str) -> Prior:
        """The prior with another column, which that option names, as weights."""
        self._refuse_events(option)
        try:
            return self._prior(column, None)
        except UnreadableFile as error:
            raise UnreadableFile(in_flags(str(error), {"weight": option})) from None

    def places(self, columns: str, option: str) -> Array:
        """The coordinates in those columns, which have commas between them."""
        self._refuse_events(option)
        return read_places(**self._rewound(), columns=names_in(columns))

    def has(self, column: str) -> bool:
        """Whether there is such a column."""
        table = Table(**self._rewound())
        return table.names_columns and table.has(column)

    def names(self, column: str) -> Any:
        """The names of buckets in that column, one for each secret."""
        self._refuse_events("--by")
        table = Table(**self._rewound(), what="buckets are")
        return table.read({"bucket": column}, {}, choose="--by")["bucket"]

    def _refuse_events(self, option: str) -> None:
        if self._reading.count_rows:
            raise InvalidParameter(f"--count-rows has a row for each event, and {option} needs one for each secret")

    def _prior(self, weight: str | None, events: int | None) -> Prior:
        how = self._reading
        with working(f"reading {self._path}"), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", MinleakWarning)
            prior = read_prior(
                **self._rewound(), secret=how.secret, weight=weight, events=events, strip=how.strip, nfc=how.nfc
            )
        for warning in told:
            note(in_flags(str(warning.message), {"strip": "--strip", "nfc": "--nfc"}))
        return prior

    def _rewound(self) -> dict[str, Any]:
        if self._path == "-":
            self._from["source"].seek(0)
        return self._from


def names_in(columns: str) -> list[str]:
    """The names of columns in a list with commas."""
    return [name.strip() for name in columns.split(",")]
