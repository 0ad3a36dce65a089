"""Logs: access logs, JSON lines and syslog. Each record is an event, and its fields have names.

A log is read in pieces, so that memory is bounded by what is kept of it. Lines that are not records are counted and
left out, since anyone who sends requests can cause such lines. No message shows one.
"""

from __future__ import annotations

import itertools
import json
import re
import warnings
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import pyarrow as pa

from minleak.errors import InvalidParameter, MinleakWarning, UnreadableFile, quote
from minleak.io._sources import BOM
from minleak.io._tables import Column, InputTable

# A longer line, in bytes, is not a record.
_LONGEST = 1 << 20
# The fields of JSON lines are those of the first records, down to this depth: names of deeper ones could fill memory.
_FIRST, _DEEPEST = 1000, 16
# Lines that decide which log a file is: most of them must be records.
_LOOKED_AT = 50

# Half of a surrogate pair, which is not text.
_HALF = re.compile("[\ud800-\udfff]")

_QUOTED = r'"(?P<{}>(?:[^"\\]|\\.)*)"'
_COMMON = (
    r"^(?:(?P<server>(?:[^\s:]+|\[[^\s\]]*\]):[0-9]+) )?(?P<host>\S+) \S+ (?P<user>[^\[\"]+?) \[(?P<time>[^\]]*)\] "
    + _QUOTED.format("request")
    + r" (?P<status>[1-9][0-9]{2}) (?P<bytes>[0-9]+|-)"
)
# Nearly all lines: the first quotes enclose the request, and nothing in it is escaped.
_PLAIN = (
    r'^(?:(?:[^\s:"]+|\[[^\s\]"]*\]):[0-9]+ )?[^\s"]+ [^\s"]+ [^\["]+? \[[^\]"]*\] "[^"\\]*" [1-9][0-9]{2} (?:[0-9]+|-)'
)
_COMBINED = rf"{_COMMON} {_QUOTED.format('referrer')} {_QUOTED.format('agent')}(?: .*)?\r?$"
_REQUEST = r"^(?P<method>[A-Za-z_-]+) (?P<path>\S.*?)(?: (?P<protocol>HTTP/[0-9.]+))?$"
# Syslog as in RFC 5424, or older, with a time as in RFC 3164 or RFC 3339.
_SYSLOG = (
    r"^(?:<[0-9]{1,3}>)?(?:1 )?(?P<time>[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}T\S+) "
    r"(?P<host>\S+) (?:(?P<program>[^\s:\[]+)(?:\[(?P<pid>[0-9]+)\])?: |(?P<program2>\S+) (?P<pid2>\S+) \S+ "
    r"(?:-|(?:\[(?:[^\]\\]|\\.)*\])+) ?)(?P<message>.*?)\r?$"
)


class Log(InputTable):
    """A log whose lines are records."""

    is_text = True
    is_log = True
    has_sure_header = True

    def __init__(self, pieces: Iterable[bytes], name: str) -> None:
        rest = iter(pieces)
        self._pieces: Iterator[bytes] = itertools.chain([next(rest, b"").removeprefix(BOM)], rest)
        self.name = name
        #: Lines that are not records, and records without a value in a field that was read.
        self.skipped = self.empty = 0
        #: The regular expression of the statuses to count, and whether addresses keep their query strings.
        self.status: str | None = None
        self.query = True

    def choose_records(self, *, status: str | None, query: bool) -> None:
        """Count only records of these statuses, such as "2xx" or "200,304"; without `query`, remove query strings."""
        if status is not None and "status" not in (self.header or ()):
            raise UnreadableFile(f"{self.name} has no field 'status' to choose records by: leave out status=")
        self.status, self.query = None if status is None else _status_pattern(status), query

    def read(self, labels: Mapping[str, str], numbers: Mapping[str, str], *, choose: str = "") -> dict[str, Column]:
        columns = super().read(labels, numbers, choose=choose)
        self.warn_of_skipped(", ".join([*labels.values(), *numbers.values()]))
        return columns

    def load(self, labels: Sequence[str], numbers: Sequence[str]) -> list[Any]:
        """The fields, as text, of all records that have a value in each."""
        batches = [[values.cast(pa.string()) for values in batch] for batch in self._batches([*labels, *numbers])]
        return [pa.chunked_array(column, pa.string()) for column in zip(*batches, strict=True)]

    def count(self, field: str) -> tuple[pa.Array, list[int]]:
        """The distinct values of a field in order of appearance, and the number of records with each."""
        times: dict[str, int] = {}
        for (values,) in self._batches([field]):
            counted = values.value_counts()
            texts, many = counted.field("values").cast(pa.string()), counted.field("counts")
            for text, here in zip(texts.to_pylist(), many.to_pylist(), strict=True):
                times[text] = times.get(text, 0) + here
        return pa.array(times, pa.large_string()), list(times.values())

    def where(self, i: int) -> str:
        return f"record {i + 1} of {self.name}"

    def warn_of_skipped(self, fields: str) -> None:
        """Warn of lines that are not records, and of records without values in these fields: only how many."""
        for many, what in (
            (self.skipped, f"no records of the format {self.kind}"),
            (self.empty, f"records without a value of {fields}"),
        ):
            if many:
                warnings.warn(f"{many:,} lines of {self.name} are {what}: left out", MinleakWarning, stacklevel=4)

    def _batches(self, names: Sequence[str]) -> Iterator[list[pa.Array]]:
        """The fields of the records, one piece of the file after another."""
        import pyarrow.compute as pc

        wanted = [*dict.fromkeys([*names, *(["status"] if self.status is not None else [])])]
        total = 0
        for piece in self._whole_lines():
            records = self._records(piece, wanted)
            total += len(records)
            if self.status is not None:
                records = records.filter(pc.match_substring_regex(records["status"], self.status))
            for name in {"path", "referrer"}.intersection(names) if not self.query else ():
                bare = [_without_query(chunk) for chunk in records[name].chunks]
                records = records.set_column(records.column_names.index(name), name, pa.chunked_array(bare))
            complete = records.select(list(dict.fromkeys(names))).drop_null()
            self.empty += len(records) - len(complete)
            yield [complete[name].combine_chunks() for name in names]
        if not total:
            raise UnreadableFile(f"{self.name} has no line that is a record of the format {self.kind}")

    @abstractmethod
    def _records(self, piece: bytes, wanted: Sequence[str]) -> pa.Table:
        """The wanted fields of all lines that are records, null where there is no value."""

    def _whole_lines(self) -> Iterator[bytes]:
        """The pieces, cut at ends of lines. A line that is too long may be truncated to a length that still is."""
        rest = b""
        for piece in itertools.chain(self._pieces, [b"\n"]):
            lines, end, last = (rest + piece).rpartition(b"\n")
            rest = last[: _LONGEST + 1]
            if end:
                yield lines

    def _lines(self, piece: bytes) -> pa.Array:
        """The lines of a piece; those that are not text are skipped."""
        import pyarrow.compute as pc

        try:
            whole = pa.array([piece], pa.large_binary()).cast(pa.large_string())
            return pc.split_pattern(whole, "\n").values.cast(pa.string())
        except pa.ArrowInvalid:  # some lines are not UTF-8
            given = piece.split(b"\n")
            texts = [line for line in map(_decode, given) if line is not None]
            self.skipped += len(given) - len(texts)
            return pa.array(texts, pa.string())

    def _match(self, lines: pa.Array, pattern: str, names: Iterable[str]) -> pa.StructArray:
        """These groups of the pattern in all lines that match; others, unless blank, are skipped."""
        import pyarrow.compute as pc

        lines = lines.filter(pc.match_substring_regex(lines, r"\S"))
        short = lines.filter(pc.less_equal(pc.binary_length(lines), _LONGEST))
        matching = pc.drop_null(_extract(short, pattern, names))
        self.skipped += len(lines) - len(matching)
        return matching


class Common(Log):
    """An access log of a web server: host, user, time, request, status and bytes, and perhaps more."""

    header: ClassVar[list[str]] = [  # type: ignore[misc]
        *("server", "host", "user", "time", "method", "path", "query", "protocol", "status", "bytes"),
    ]
    pattern: ClassVar[str] = _COMMON + r"(?: .*)?\r?$"
    plain: ClassVar[str] = _PLAIN + r"(?: .*)?\r?$"

    def _records(self, piece: bytes, wanted: Sequence[str]) -> pa.Table:
        """What is read of the request and the status alone is split at the quotes of plain lines, and each distinct
        request is parsed once. Where other lines are records too, all are matched, so that their order stays.
        """
        import pyarrow.compute as pc

        lines, skipped = self._lines(piece), self.skipped
        if not {"method", "path", "query", "protocol", "status"}.issuperset(wanted):
            return self._matching(lines, wanted)
        short = pc.less_equal(pc.binary_length(lines), _LONGEST)
        plain = pc.and_(pc.match_substring_regex(lines, self.plain), short)
        if len(self._match(lines.filter(pc.invert(plain)), self.pattern, ["status"])):
            self.skipped = skipped
            return self._matching(lines, wanted)
        parts = pc.split_pattern(lines.filter(plain), '"', max_splits=2)
        requests = pc.list_element(parts, 1).dictionary_encode()
        fields = _request_fields(requests.dictionary, wanted)
        got = {name: _decoded(requests.indices, values) for name, values in fields.items()}
        if "status" in wanted:
            got["status"] = pc.utf8_slice_codeunits(pc.list_element(parts, 2), 1, 4)
        return pa.table({name: got[name] for name in wanted})

    def _matching(self, lines: pa.Array, wanted: Sequence[str]) -> pa.Table:
        """The wanted fields of all lines that match."""
        own = [name for name in wanted if name not in ("method", "path", "query", "protocol")]
        fields = self._match(lines, self.pattern, [*own, "request"])
        got = {name: _or_null(fields.field(name)) for name in own}
        got |= _request_fields(fields.field("request"), wanted)
        return pa.table({name: got[name] for name in wanted})


class Combined(Common):
    """An access log that also has referrer and agent."""

    header: ClassVar[list[str]] = [*Common.header, "referrer", "agent"]  # type: ignore[misc]
    pattern = _COMBINED
    plain = _COMBINED.replace(_COMMON, _PLAIN)


class Syslog(Log):
    """A system log: time, host, program, process and message."""

    header: ClassVar[list[str]] = ["time", "host", "program", "pid", "message"]  # type: ignore[misc]

    def _records(self, piece: bytes, wanted: Sequence[str]) -> pa.Table:
        import pyarrow.compute as pc

        two = [name for name in ("program", "pid") if name in wanted]
        fields = self._match(self._lines(piece), _SYSLOG, [*wanted, *(f"{name}2" for name in two), "time"])
        got = {name: fields.field(name) for name in wanted}
        for name in two:  # RFC 5424 has them elsewhere
            got[name] = pc.if_else(pc.equal(got[name], ""), fields.field(f"{name}2"), got[name])
        return pa.table({name: _or_null(values) for name, values in got.items()})


class Jsonl(Log):
    """One JSON object a line. The name of a nested field has points, as in request.path, up to 16 objects deep. Values
    that are not text are taken as JSON spells them; lists, objects and null are no values.
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


#: In the order in which they are tried to recognise a log.
LOGS: tuple[type[Log], ...] = (Combined, Common, Jsonl, Syslog)


def recognise_log(head: bytes) -> str | None:
    """The format of a log, of which most of the first lines must be records; None if there is none.

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


def _extract(lines: pa.Array, pattern: str, wanted: Iterable[str]) -> pa.StructArray:
    """The wanted groups of the pattern in each line, null where it does not match."""
    import pyarrow.compute as pc

    names = set(wanted)
    return pc.extract_regex(
        lines, re.sub(r"\?P<(\w+)>", lambda group: group[0] if group[1] in names else "?:", pattern)
    )


def _request_fields(requests: pa.Array, wanted: Iterable[str]) -> dict[str, pa.Array]:
    """The wanted fields of requests."""
    import pyarrow.compute as pc

    names = set(wanted) & {"method", "path", "query", "protocol"}
    inside = {"path" if name == "query" else name for name in names}
    if not inside:
        return {}
    found = _extract(requests, _REQUEST, inside)
    got = {name: pc.struct_field(found, name) for name in inside}
    if "query" in names:
        got["query"] = pc.struct_field(_extract(got["path"], r"\?(?P<query>.+)$", ["query"]), "query")
    return {name: got[name] for name in names}


def _decoded(indices: pa.Array, values: pa.Array) -> pa.DictionaryArray:
    """The values at these places, each kept once; null where they are."""
    import pyarrow.compute as pc

    if values.null_count:
        indices = pc.if_else(values.is_valid().take(indices), indices, pa.scalar(None, indices.type))
    return pa.DictionaryArray.from_arrays(indices, values)


def _without_query(values: pa.Array) -> pa.Array:
    """Addresses without their query strings."""
    import pyarrow.compute as pc

    if isinstance(values, pa.DictionaryArray):
        return pa.DictionaryArray.from_arrays(values.indices, _without_query(values.dictionary))
    return pc.replace_substring_regex(values, r"[?#].*", "")


def _or_null(values: pa.Array) -> pa.Array:
    """The values, null where a log writes that there is none."""
    import pyarrow.compute as pc

    none = pc.is_in(values, value_set=pa.array(["", "-"], values.type))
    return pc.if_else(none, pa.scalar(None, values.type), values)


def _status_pattern(text: str) -> str:
    """The regular expression of statuses such as "2xx" or "200,304"."""
    parts = text.lower().split(",") if isinstance(text, str) else [""]
    if not all(re.fullmatch("[1-9][0-9x]{2}", part) for part in parts):
        raise InvalidParameter(f"status is a class or a number such as 2xx or 200,304, not {quote(text)}")
    return f"^(?:{'|'.join(parts).replace('x', '[0-9]')})$"


def _decode(line: bytes) -> str | None:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return None


def _parse_object(line: bytes) -> dict[str, Any] | None:
    if len(line) > _LONGEST:
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
    """The value of a field, perhaps nested; empty text is none."""
    if name in found:
        value = found[name]
        if isinstance(value, bool):
            return "true" if value else "false"
        return value if isinstance(value, str) and value and _HALF.search(value) is None else None
    first, point, rest = name.partition(".")
    while point:  # a name may have points itself
        if isinstance(found.get(first), dict):
            return _value(found[first], rest)
        more, point, rest = rest.partition(".")
        first = f"{first}.{more}"
    return None
