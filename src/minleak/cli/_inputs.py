"""What commands read: files, or stdin for -."""

from __future__ import annotations

import io
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

import minleak as ml
from minleak.cli._failures import in_flags
from minleak.cli._options import Format, NoQuery, Secret, Status, option, split_names, whole
from minleak.cli._output import note, working
from minleak.core._arrays import Array
from minleak.core._labels import Labels
from minleak.core._properties import Property, as_property
from minleak.errors import InvalidParameter, MinleakError, MinleakWarning, UnreadableFile
from minleak.io._cleaning import LabelCleaner
from minleak.io._formats import FORMATS, NAMED, find_format, open_table
from minleak.io._lines import text_lines
from minleak.io._logs import recognise_log
from minleak.io._sizes import read_size_list, recognise_sizes
from minleak.io._sources import BOM, HEAD, read_bytes, read_head

# The value of --weight where each row is an event.
ROWS = "1"
# The most objects that sizes with counts may stand for.
_OBJECTS = 20_000_000


class _Stdin(io.BytesIO):
    name = "stdin"


# The stdin that was read.
_read: list[Any] = []


def stdin() -> bytes:
    """All of stdin, once: a second time nothing would be left of it."""
    return _open_stdin().read()


def stdin_lines() -> list[str]:
    """The lines of stdin as text."""
    return text_lines(stdin(), "stdin")


def stdin_stream() -> Iterator[str]:
    """The same lines, each as soon as it arrives. Lines end in NUL if the first data holds one."""
    source, rest, separator, number = _open_stdin(), b"", b"", 0
    while part := source.read1(1 << 16):
        rest += part
        separator = separator or (b"\0" if b"\0" in rest else b"\n" if b"\n" in rest else b"")
        *whole, rest = rest.split(separator) if separator else (rest,)
        for line in whole:
            yield _as_text(line, number, separator)
            number += 1
    if rest:
        yield _as_text(rest, number, separator)


def _as_text(line: bytes, number: int, separator: bytes) -> str:
    try:
        return line.removeprefix(b"" if number else BOM).removesuffix(b"" if separator == b"\0" else b"\r").decode()
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"line {number + 1} of stdin is not UTF-8 text ({error.reason})") from None


def _open_stdin() -> io.BufferedReader:
    if sys.stdin is None:
        raise InvalidParameter("stdin is closed: give a file instead of -")
    if any(sys.stdin is source for source in _read):
        raise InvalidParameter("- can stand for one file only: stdin was read already")
    _read[:] = [sys.stdin]
    return cast(io.BufferedReader, sys.stdin.buffer)


def check_one_stdin(**paths: str | None) -> None:
    """Refuse - for two arguments, given by their names in the help."""
    given = [name for name, path in paths.items() if path == "-"]
    if len(given) > 1:
        raise InvalidParameter(f"stdin cannot be both {' and '.join(given)}: give one of them as a file")


def rows_of(path: str, format: str | None = None) -> dict[str, Any]:
    """`source` and `format` for a reader of rows. Stdin is csv unless --format or its content says otherwise; a log in
    stdin is not kept in memory.
    """
    if path != "-":
        return {"source": path, "format": format}
    if format in FORMATS and FORMATS[format].is_log:
        return {"source": _open_stdin(), "format": format}
    data = stdin()
    return {"source": _Stdin(data), "format": format or recognise_log(data[:HEAD]) or "csv"}


def rows_beside(path: str, first: str = "PRIOR") -> dict[str, Any]:
    """The same for a second file, whose ending gives the format: --format is that of the first."""
    if path != "-":
        try:
            find_format(path, None)
        except UnreadableFile:
            endings = ", ".join(FORMATS[kind].endings[0] for kind in NAMED if FORMATS[kind].endings)
            remedy = f"name it {endings}" + (f" (--format is that of {first})" if first else "")
            raise UnreadableFile(f"cannot tell the format of {path} from its ending: {remedy}") from None
    return rows_of(path)


@contextmanager
def as_file(path: str, ending: str) -> Iterator[str]:
    """The path, or for - a temporary private copy of stdin."""
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


def check_first_file(path: str, argument: str, order: str, begins: bytes = b"") -> None:
    """Refuse a path without a file that begins so. The message omits the path, which may be a misplaced secret."""
    problem = "it is not such a file"
    try:
        if os.path.isfile(path) or not os.path.exists(path):  # a pipe would be waited for
            with open(path, "rb") as file:
                if file.read(len(begins)) == begins:
                    return
    except OSError as error:
        problem = error.strerror or "it cannot be opened"
    raise UnreadableFile(
        f"cannot open {argument}: {problem} (not named here, in case it is a secret; the order is {order})"
    )


def open_plan(cloak: str) -> Any:
    """The plan in a .cloak file, or for - in stdin, of whichever kind."""
    with working(f"opening {cloak}"), as_file(cloak, ".cloak") as path:
        return ml.load(path)


@dataclass(frozen=True)
class Reading:
    """How to read counts from PRIOR."""

    secret: Secret = "secret"
    weight: str = option("Column with the counts or weights; 1 if each row is one event.", default="count")
    format: Format = None
    field: str | None = option(
        "Count events by this field of a log, such as path or request.id, or rows by this column of a table.",
        "--field",
        "--column",
    )
    status: Status = None
    no_query: NoQuery = False
    clean: bool = option("Strip blanks around secrets and normalise them to Unicode NFC.", default=False)

    @property
    def counts_rows(self) -> bool:
        """Whether each row is an event, to be counted."""
        return self.weight == ROWS or self.field is not None

    def prior(self, path: str) -> ml.Prior:
        """The prior in that file."""
        return PriorSource(path, self).prior()


@dataclass(frozen=True)
class Grouping:
    """Columns of PRIOR with groups, and their caps."""

    group: list[str] | None = option(
        "Column with a group of each secret, such as its country: sets have at most --at-most members of a group. "
        "Repeat for nested groups, outermost first."
    )
    at_most: list[str] | None = option("The most members of one --group in a set; one for each --group.")

    def check(self) -> None:
        """Refuse groups without caps and caps without groups."""
        if len(self.group or ()) != len(self.at_most or ()):
            raise InvalidParameter("give one --at-most for each --group")

    def read(self, source: PriorSource, prior: ml.Prior | None = None) -> ml.Groups | None:
        """The groups in the source, outermost first; by label if a prior is given."""
        self.check()
        found = None
        for column, cap in reversed(list(zip(self.group or (), self.at_most or (), strict=True))):
            names: Any = source.groups(column)
            if prior is not None:
                names = dict(zip(prior.labels, names, strict=True))
            found = ml.Groups(names, at_most=whole(cap), inside=found)
        return found


@contextmanager
def telling() -> Iterator[None]:
    """Turn warnings of the library into notes that name flags."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", MinleakWarning)
        yield
    for warning in told:
        note(in_flags(str(warning.message), {"strip": "--clean", "nfc": "--clean"}))


class PriorSource:
    """A file or stdin, read once, from which several columns can be taken."""

    def __init__(self, path: str, reading: Reading, rows: dict[str, Any] | None = None) -> None:
        self._path, self._reading = path, reading
        self._rows = rows_of(path, reading.format) if rows is None else rows

    def prior(self, *, events: int | None = None) -> ml.Prior:
        """The prior: its weights, or its rows counted."""
        return self._prior(None if self._reading.counts_rows else self._reading.weight, events)

    def other(self, column: str, option: str) -> ml.Prior:
        """The prior with another column as weights; `option` names that column."""
        self._refuse_events(option)
        try:
            return self._prior(column, None)
        except UnreadableFile as error:
            raise UnreadableFile(in_flags(str(error), {"weight": option})) from None

    def places(self, columns: str, option: str) -> Array:
        """The coordinates in these columns, separated by commas."""
        self._refuse_events(option)
        return ml.read_places(**self._rewound(), columns=split_names(columns))

    def has(self, column: str) -> bool:
        """Whether there is such a column."""
        return open_table(**self._rewound()).has(column)

    def objects(self, column: str, weight: str | None) -> Any:
        """The sizes of objects without names, one for each object, if there is nothing else: a list with a size a line,
        or `uniq -c` of one, or a table with a column of sizes and perhaps one that says how many objects have each.
        None if the secrets have names.
        """
        kind = self._size_list()
        if kind is not None:
            table = self._rewound()
            sizes, counts = read_size_list(read_bytes(table["source"], self.name), self.name, kind)
        else:
            columns = open_table(**self._rewound())
            counted = weight or "count"
            if not columns.has(column) or not set(columns.header or ()) <= {column, counted}:
                return None
            read = columns.read({}, {name: name for name in columns.header or ()})
            sizes, counts = read[column].numbers(), read[counted].numbers() if columns.has(counted) else None
        if counts is None:
            return sizes
        if counts.dtype.kind != "i" or counts.min() < 0 or not 0 < int(counts.sum()) <= _OBJECTS:
            raise UnreadableFile(
                f"the counts beside sizes without secrets must be whole numbers of objects, in all at most "
                f"{_OBJECTS:,}; got others. Name the secrets in a column secret to give them weights."
            )
        return np.repeat(sizes, counts)

    def _size_list(self) -> str | None:
        """The format, lines or uniq, if the source is a list of sizes or is said to be in it."""
        rows = self._rewound()
        if self._reading.format in ("lines", "uniq"):
            return self._reading.format
        if self._reading.format not in (None, "csv"):
            return None
        ending = os.path.splitext(self._path.lower().removesuffix(".gz"))[1]
        if self._path != "-" and FORMATS["parquet"].endings[0] == ending:
            return None
        return recognise_sizes(read_head(rows["source"], self.name), self.name)

    @property
    def name(self) -> str:
        """What messages call it."""
        return "stdin" if self._path == "-" else self._path

    def samples(self, column: str) -> tuple[Any, Any] | None:
        """The secrets and numbers of all rows if some secret has several rows; else None."""
        table = open_table(**self._rewound())
        if not table.has(column) or not table.has(self._reading.secret):
            return None
        read = table.read({"secret": self._reading.secret}, {"size": column})
        codes, labels = read["secret"].codes()
        if len(labels) == len(codes):
            return None
        names = labels[:]
        return [names[code] for code in codes.tolist()], read["size"].numbers()

    def names(self, column: str, role: str = "bucket", option: str = "--by") -> Any:
        """The names in a column, one for each secret."""
        self._refuse_events(option)
        table = open_table(**self._rewound(), what=f"{role}s are")
        return table.read({role: column}, {}, choose=option)[role].check_complete().names()

    def groups(self, column: str) -> list[Any]:
        """The groups in a column, one for each secret, none of them empty."""
        names = self.names(column, "group", "--group")
        values: list[Any] = names.to_pylist() if hasattr(names, "to_pylist") else list(names)
        if "" in values:
            raise UnreadableFile(
                f"{open_table(**self._rewound()).where(values.index(''))} has no group in {column!r}: name one"
            )
        return values

    def property_of(self, secrets: Labels, column: str) -> Property:
        """The property of these secrets in a column; repeated rows of a secret must agree."""
        table = open_table(**self._rewound(), what="properties are")
        read = table.read({"secret": self._reading.secret, "property": column}, {}, choose="--secret, --property")
        cleaner = LabelCleaner(strip=self._reading.clean, nfc=self._reading.clean)
        names, values = Labels.of(cleaner.clean(read["secret"].names()), 0)[:], _listed(read["property"].names())
        told: dict[Any, Any] = {}
        for i, (name, value) in enumerate(zip(names, values, strict=True)):
            if told.setdefault(name, value) != value:
                raise UnreadableFile(f"{table.where(i)} gives a secret a second, different property: keep one")
        missing = sum(name not in told for name in secrets)
        if missing:
            raise UnreadableFile(
                f"{table.name} has no property for {missing:,} of the {len(secrets):,} secrets: add it"
            )
        return as_property(told, secrets, more=True)

    def _refuse_events(self, option: str) -> None:
        if self._reading.counts_rows:
            raise InvalidParameter(
                f"{option} needs one row per secret, but --weight {ROWS} and --field read one row per event"
            )

    def _prior(self, weight: str | None, events: int | None) -> ml.Prior:
        how = self._reading
        with working(f"reading {self._path}"), telling():
            return ml.read_prior(
                **self._rewound(),
                secret=how.secret,
                weight=weight,
                events=events,
                field=how.field,
                status=how.status,
                query=not how.no_query,
                strip=how.clean,
                nfc=how.clean,
            )

    def _rewound(self) -> dict[str, Any]:
        if self._path == "-" and isinstance(self._rows["source"], _Stdin):
            self._rows["source"].seek(0)
        return self._rows


def read_property(path: str | None, column: str | None, reading: Reading, secrets: Any) -> Property | None:
    """The property of a plan's secrets in a column of a file, if one is given."""
    if (path is None) != (column is None):
        raise InvalidParameter("--property names a column of PRIOR: give both")
    if path is None or column is None:
        return None
    if not isinstance(secrets, ml.Prior):
        raise InvalidParameter("a plan over all strings has no list of secrets with properties: leave out --property")
    return PriorSource(path, reading).property_of(secrets.labels, column)


def _listed(values: Any) -> list[Any]:
    return list(values.to_pylist() if hasattr(values, "to_pylist") else values)
