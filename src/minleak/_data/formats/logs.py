"""Logs as programs write them: access logs, JSON lines and syslog. A record is an event, and its fields have names.

A log is read in pieces, so that memory is bounded by what is kept of it. A line that is no record is counted and left
out, since anybody who sends requests can write such lines; no message shows one.
"""

from __future__ import annotations

import itertools
import json
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

import pyarrow as pa

from minleak._data.formats.base import BOM, Format
from minleak.errors import InvalidParameter, UnreadableFile, shown

# A line of more bytes is no record. So many records show the names of the fields.
_LONGEST, _FIRST = 1 << 20, 1000
# Fields are looked for so many objects deep: the names of deeper ones, each with those above, would fill the memory.
_DEEPEST = 16
# Lines that are looked at to recognise a log, most of which have to be records.
_LOOKED_AT = 50

# Half of a surrogate pair, which is no text.
_HALF = re.compile("[\ud800-\udfff]")

_QUOTED = r'"(?P<{}>(?:[^"\\]|\\.)*)"'
_COMMON = (
    r"^(?:(?P<server>(?:[^\s:]+|\[[^\s\]]*\]):[0-9]+) )?(?P<host>\S+) \S+ (?P<user>[^\[\"]+?) \[(?P<time>[^\]]*)\] "
    + _QUOTED.format("request")
    + r" (?P<status>[1-9][0-9]{2}) (?P<bytes>[0-9]+|-)"
)
_COMBINED = rf"{_COMMON} {_QUOTED.format('referrer')} {_QUOTED.format('agent')}(?: .*)?\r?$"
_REQUEST = r"^(?P<method>[A-Za-z_-]+) (?P<path>\S.*?)(?: (?P<protocol>HTTP/[0-9.]+))?$"
# The syslog of RFC 5424, and what came before it, with the time as RFC 3164 or RFC 3339 has it.
_SYSLOG = (
    r"^(?:<[0-9]{1,3}>)?(?:1 )?(?P<time>[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}T\S+) "
    r"(?P<host>\S+) (?:(?P<program>[^\s:\[]+)(?:\[(?P<pid>[0-9]+)\])?: |(?P<program2>\S+) (?P<pid2>\S+) \S+ "
    r"(?:-|(?:\[(?:[^\]\\]|\\.)*\])+) ?)(?P<message>.*?)\r?$"
)


class Log(Format):
    """A log whose records are lines."""

    is_text = True
    is_log = True
    names_surely = True

    def __init__(self, pieces: Iterable[bytes], name: str) -> None:
        self._pieces, self.name = _without_mark(pieces), name
        #: Lines that are no records, and records without a value in a field that was read.
        self.skipped = self.empty = 0
        #: Which states of answers count, as a regular expression, and whether addresses keep their query strings.
        self.status: str | None = None
        self.query = True

    def choose(self, *, status: str | None, query: bool) -> None:
        """Count only records of these states, such as "2xx" or "200,304"; take query strings off addresses."""
        if status is not None and "status" not in (self.header or ()):
            raise UnreadableFile(f"{self.name} has no field 'status' to choose records by: leave out status=")
        self.status, self.query = None if status is None else _states(status), query

    def columns(self, labels: Sequence[str], numbers: Sequence[str]) -> list[Any]:
        """The fields of all records that have a value in each, as text."""
        batches = list(self._batches([*labels, *numbers]))
        return [pa.chunked_array(column, pa.string()) for column in zip(*batches, strict=True)]

    def count(self, field: str) -> tuple[pa.Array, list[int]]:
        """The distinct values of a field in order of appearance, and how many records have each."""
        times: dict[str, int] = {}
        for (values,) in self._batches([field]):
            for pair in values.value_counts().to_pylist():
                times[pair["values"]] = times.get(pair["values"], 0) + pair["counts"]
        return pa.array(times, pa.large_string()), list(times.values())

    def where(self, i: int) -> str:
        return f"record {i + 1} of {self.name}"

    def _batches(self, names: Sequence[str]) -> Iterator[list[pa.Array]]:
        """The fields of the records of one piece after another."""
        wanted = [*dict.fromkeys([*names, *(["status"] if self.status is not None else [])])]
        kept = 0
        for piece in self._whole_lines():
            records = self._records(piece, wanted)
            kept += len(records)
            records = self._keep(records, names)
            yield [records[name].combine_chunks() for name in names]
        if not kept:
            raise UnreadableFile(f"{self.name} has no line that is a record of the format {self.kind}")

    def _keep(self, records: pa.Table, names: Sequence[str]) -> pa.Table:
        import pyarrow.compute as pc

        if self.status is not None:
            records = records.filter(pc.match_substring_regex(records["status"], self.status))
        for name in ("path", "referrer") if not self.query else ():
            if name in names:
                bare = pc.replace_substring_regex(records[name], r"[?#].*", "")
                records = records.set_column(records.column_names.index(name), name, bare)
        there = records.select(list(dict.fromkeys(names))).drop_null()
        self.empty += len(records) - len(there)
        return there

    @abstractmethod
    def _records(self, piece: bytes, wanted: Sequence[str]) -> pa.Table:
        """The fields that are wanted of all lines that are records, null where there is no value."""

    @property
    def kind(self) -> str:
        """What the format is called."""
        return type(self).__name__.lower()

    def _whole_lines(self) -> Iterator[bytes]:
        """The pieces, cut where a line ends; of a line that is too long no part is kept."""
        rest, dropping = b"", False
        for piece in itertools.chain(self._pieces, [b"\n"]):
            lines, end, last = piece.rpartition(b"\n")
            if dropping and end:
                lines, dropping = lines.partition(b"\n")[2], False
            if end:
                if len(rest) + lines.find(b"\n") > _LONGEST:
                    self.skipped += 1
                    rest, lines = b"", lines.partition(b"\n")[2]
                yield rest + lines
                rest = b""
            rest = b"" if dropping else rest + last
            if len(rest) > _LONGEST:
                self.skipped += 1
                rest, dropping = b"", True

    def _lines(self, piece: bytes) -> pa.Array:
        """The lines of a piece that are UTF-8 text and not blank."""
        import pyarrow.compute as pc

        try:
            whole = pa.array([piece], pa.large_binary()).cast(pa.large_string())
        except pa.ArrowInvalid:
            lines = piece.split(b"\n")
            good = [line for line in lines if _is_text(line)]
            self.skipped += len(lines) - len(good)
            return pa.array([line.decode() for line in good if line.strip()], pa.string())
        lines = pc.split_pattern(whole, "\n").values.cast(pa.string())
        return lines.filter(pc.match_substring_regex(lines, r"\S"))


class Common(Log):
    """An access log as web servers write it: host, user, time, request, status and bytes, and perhaps more."""

    header: ClassVar[list[str]] = [  # type: ignore[misc]
        *("server", "host", "user", "time", "method", "path", "query", "protocol", "status", "bytes"),
    ]
    pattern: ClassVar[str] = _COMMON + r"(?: .*)?\r?$"

    def _records(self, piece: bytes, wanted: Sequence[str]) -> pa.Table:
        import pyarrow.compute as pc

        inside = {"path" if name == "query" else name for name in wanted} & {"method", "path", "protocol"}
        own = [name for name in wanted if name not in ("method", "path", "query", "protocol")]
        found = _extract(self._lines(piece), self.pattern, [*own, "request"])
        fields = pc.drop_null(found)
        self.skipped += len(found) - len(fields)
        got = {name: _or_null(fields.field(name)) for name in own}
        if inside:
            requests = _extract(fields.field("request"), _REQUEST, sorted(inside))
            got |= {name: pc.struct_field(requests, name) for name in inside}
        if "query" in wanted:
            got["query"] = pc.struct_field(_extract(got["path"], r"\?(?P<query>.+)$", ["query"]), "query")
        return pa.table({name: got[name] for name in wanted})


class Combined(Common):
    """An access log with referrer and agent beside them."""

    header: ClassVar[list[str]] = [*Common.header, "referrer", "agent"]  # type: ignore[misc]
    pattern = _COMBINED


class Syslog(Log):
    """What a system logs: time, host, program, process and message."""

    header: ClassVar[list[str]] = ["time", "host", "program", "pid", "message"]  # type: ignore[misc]

    def _records(self, piece: bytes, wanted: Sequence[str]) -> pa.Table:
        import pyarrow.compute as pc

        two = [name for name in ("program", "pid") if name in wanted]
        found = _extract(self._lines(piece), _SYSLOG, [*wanted, *(f"{name}2" for name in two), "time"])
        fields = pc.drop_null(found)
        self.skipped += len(found) - len(fields)
        for name in two:  # the newer syslog has them in other places
            values = pc.if_else(pc.equal(fields.field(name), ""), fields.field(f"{name}2"), fields.field(name))
            fields = pa.StructArray.from_arrays(
                [values if one.name == name else fields.field(one.name) for one in fields.type],
                [one.name for one in fields.type],
            )
        return pa.table({name: _or_null(fields.field(name)) for name in wanted})


class Jsonl(Log):
    """One JSON object a line. A field inside of another is named with a point, request.path, up to 16 objects deep;
    what is no text counts as JSON spells it, and lists, objects and null are no values.
    """

    endings = (".jsonl", ".ndjson")

    @cached_property
    def header(self) -> list[str]:  # type: ignore[override]
        """The names of all fields with values in the first records."""
        return list(self._first_names[0])

    @property
    def printable_names(self) -> list[str]:
        """The fields that most records have: the others may be data, which keys of objects can be."""
        times, records = self._first_names
        return [name for name in times if 2 * times[name] > records]

    @cached_property
    def _first_names(self) -> tuple[Counter[str], int]:
        """How many of the first records have a value in each field, and how many records that are."""
        first = next(self._pieces, b"")
        self._pieces = itertools.chain([first], self._pieces)
        records = [found for line in first.split(b"\n")[:_FIRST] if (found := _parse_object(line)) is not None]
        return Counter(name for found in records for name in dict.fromkeys(_names(found))), len(records)

    def _records(self, piece: bytes, wanted: Sequence[str]) -> pa.Table:
        got: dict[str, list[str | None]] = {name: [] for name in wanted}
        for line in piece.split(b"\n"):
            if not line.strip():
                continue
            found = _parse_object(line)
            if found is None:
                self.skipped += 1
                continue
            for name, values in got.items():
                values.append(_value(found, name))
        return pa.table({name: pa.array(values, pa.string()) for name, values in got.items()})


#: In the order in which a log is tried to be recognised.
LOGS: tuple[type[Log], ...] = (Combined, Common, Jsonl, Syslog)


def recognise_log(head: bytes) -> str | None:
    """The format of a log by its first lines, most of which have to be records of it; None if it is no such log.

    >>> recognise_log(b'{"path": "/"}')
    'jsonl'
    """
    lines = [line for line in head.removeprefix(BOM).split(b"\n") if line.strip()][:_LOOKED_AT]
    for made in LOGS:
        log = made([b"\n".join(lines)], "")
        names = (log.header or [])[:1]
        if names and len(log._records(b"\n".join(lines), ["time"] if made is not Jsonl else names)) * 2 > len(lines):
            return log.kind
    return None


def _without_mark(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces, without a byte order mark before the first."""
    rest = iter(pieces)
    yield next(rest, b"").removeprefix(BOM)
    yield from rest


def _extract(lines: pa.Array, pattern: str, wanted: Iterable[str]) -> pa.Array:
    """The named groups that are wanted; null where the line is another."""
    import pyarrow.compute as pc

    names = set(wanted)
    return pc.extract_regex(
        lines, re.sub(r"\?P<(\w+)>", lambda group: group[0] if group[1] in names else "?:", pattern)
    )


def _or_null(values: pa.Array) -> pa.Array:
    """The values, null where a log writes that there is none."""
    import pyarrow.compute as pc

    none = pc.is_in(values, value_set=pa.array(["", "-"], values.type))
    return pc.if_else(none, pa.scalar(None, values.type), values)


def _states(text: str) -> str:
    """The regular expression of states such as "2xx" or "200,304"."""
    parts = text.lower().split(",") if isinstance(text, str) else [""]
    if not all(re.fullmatch("[1-9][0-9x]{2}", part) for part in parts):
        raise InvalidParameter(f"status is a class or a number such as 2xx or 200,304, not {shown(text)}")
    return f"^(?:{'|'.join(parts).replace('x', '[0-9]')})$"


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _parse_object(line: bytes) -> dict[str, Any] | None:
    if not line.strip():
        return None
    try:
        found = json.loads(line.decode(), parse_int=str, parse_float=str, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _names(found: dict[str, Any], before: str = "", depth: int = 1) -> Iterator[str]:
    for name, value in found.items():
        if isinstance(value, dict):
            if depth < _DEEPEST:
                yield from _names(value, f"{before}{name}.", depth + 1)
        elif isinstance(value, str | bool):
            yield f"{before}{name}"


def _value(found: Any, name: str) -> str | None:
    """The value of a field, also inside of others; empty text is none."""
    if name in found:
        value = found[name]
        if isinstance(value, bool):
            return "true" if value else "false"
        return value if isinstance(value, str) and value and _HALF.search(value) is None else None
    first, point, rest = name.partition(".")
    while point:
        if isinstance(found.get(first), dict):
            return _value(found[first], rest)
        more, point, rest = rest.partition(".")
        first = f"{first}.{more}"
    return None
