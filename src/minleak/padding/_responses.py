"""Pad a response: its body to a size of a table, its head to a multiple of some bytes.

An observer of an encrypted connection sees head and body separately, since servers send them in different records. So
the body is padded by bytes that its reader ignores, and the head by a header. Only where nothing can be added to a body
(brotli, a range, a digest) is its head made longer instead, as far as clients accept it: then only their sum is padded.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from http import HTTPStatus
from typing import Any

import numpy as np

from minleak.core._parameters import as_list, whole
from minleak.errors import InvalidParameter
from minleak.padding._fillers import GZIP, Filler, StoredGzip, filler_of_type, has_room_in_gzip, random_letters

Headers = list[tuple[bytes, bytes]]
#: The header that fills a head, and its bytes beside the value.
NAME = b"x-padding"
_ROOM = len(NAME) + 4
# The most letters of one header, and the most bytes of a head that was made longer: many clients refuse 16,384.
_LONGEST, _MOST = 4000, 12_288
_DIGESTS = {b"digest", b"content-digest", b"repr-digest", b"content-md5"}
_FRAMING = {b"content-length", b"transfer-encoding"}
_NO_BODY = (204, 205, 304)
_CODED = [(b"content-encoding", b"gzip"), (b"vary", b"accept-encoding")]
#: What is logged and sent when the application fails.
FAILED = "the application failed; the response ends as any other"
FAILED_HEADERS, FAILED_BODY = [(b"content-type", b"text/html; charset=utf-8")], b"<p>Internal Server Error</p>"
#: Bodies are sent in blocks of this many bytes, whatever blocks the application sends.
BLOCK = 16_384


def as_pad(sizes: Any) -> Callable[[int], int]:
    """The function from a size to the one to pad it to, from a padding or another table with `pad`, a sequence of
    sizes, or a policy, which takes an array of sizes and returns one that is nowhere smaller. Above the largest size it
    is the next power of two.
    """
    if hasattr(sizes, "pad"):
        return _cache(sizes.pad)
    if callable(sizes):
        return _cache(lambda size: np.asarray(sizes(np.array([size], dtype=np.int64)))[0])
    given = as_list(sizes, "sizes are a padding, a function of a size, or increasing whole numbers", some=True)
    table = [whole(size, "a size in bytes", 0) for size in given]
    if table != sorted(set(table)) or table[-1] < 1:
        raise InvalidParameter("sizes to pad to are increasing whole numbers, each once, the largest above 0")
    return lambda size: table[bisect_left(table, size)] if size <= table[-1] else _power_of_two(size)


def _cache(pad: Callable[[int], Any]) -> Callable[[int], int]:
    """A table or policy with the last sizes cached; sizes that a table refuses are above its largest."""

    @lru_cache(maxsize=4096)
    def cached(size: int) -> int:
        try:
            found: int = math.ceil(pad(size))
        except InvalidParameter:
            found = _power_of_two(size)
        if found < size:
            raise InvalidParameter("the function of sizes returned a smaller size than it was given")
        return found

    cached(1)  # refuses now what is no table
    return cached


def _power_of_two(size: int) -> int:
    return 1 << max(0, size - 1).bit_length()


@dataclass(frozen=True, eq=False)
class Padder:
    """Pads bodies by the function `pad`, heads to multiples of `head` bytes, and keeps at most `memory` bytes of a body
    of unknown length.
    """

    pad: Callable[[int], int]
    head: int
    memory: int

    @classmethod
    def of(cls, sizes: Any, head: Any, memory: Any) -> Padder:
        """Check the parameters."""
        return cls(as_pad(sizes), whole(head, "head, in bytes,", 1, 8192), whole(memory, "memory, in bytes,", BLOCK))

    def begin(self, method: str, accepted: bytes, status: int, headers: Iterable[tuple[bytes, bytes]]) -> Response:
        """A response with this status and headers to a request of this method that accepts these encodings."""
        given = tuple([(bytes(name).lower(), bytes(value)) for name, value in headers])
        return Response(self, _head_of(method, accepted, status, given))


@dataclass(frozen=True, eq=False)
class Head:
    """What status and headers say about a response: how its body can be filled, whether it has one, its length where
    known, and whether it is encoded with gzip.
    """

    status: int
    headers: Headers
    filler: Filler | None
    bodiless: bool
    known: int | None
    coded: bool
    is_event_stream: bool

    @cached_property
    def of_whole(self) -> Headers:
        """The headers of a body that is filled, without its length."""
        return [pair for pair in mark_changed(self.headers) if pair[0] not in _FRAMING]


@lru_cache(maxsize=512)
def _head_of(method: str, accepted: bytes, status: int, headers: tuple[tuple[bytes, bytes], ...]) -> Head:
    """Cached: applications send the same heads again and again."""
    values = dict(headers)
    coding = values.get(b"content-encoding", b"identity").strip().lower()
    content_type = values.get(b"content-type", b"")
    filler: Filler | None = None
    if status != 206 and _DIGESTS.isdisjoint(values):
        if coding == b"identity":
            filler = filler_of_type(content_type) or (GZIP if accepts_gzip(accepted) else None)
        elif coding == b"gzip":
            filler = GZIP
    bodiless = method == "HEAD" or status in _NO_BODY or status < 200
    length = values.get(b"content-length", b"")
    known = int(length) if length.isdigit() else None
    events = is_event_stream(content_type)
    return Head(status, list(headers), filler, bodiless, known, coding == b"gzip", events)


def is_event_stream(content_type: bytes) -> bool:
    """Whether this is the content type of server-sent events."""
    return content_type.split(b";")[0].strip().lower() == b"text/event-stream"


def accepts_gzip(accepted: bytes) -> bool:
    """Whether an Accept-Encoding header names gzip, and not with a weight of 0.

    >>> accepts_gzip(b"br, gzip;q=0.5"), accepts_gzip(b"gzip;q=0"), accepts_gzip(b"")
    (True, False, False)
    """
    for part in accepted.lower().split(b","):
        name, _, weight = part.partition(b";")
        if name.strip() in (b"gzip", b"x-gzip"):
            return weight.replace(b" ", b"") not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000")
    return False


class Response:
    """One response: its head is held back until it can be padded, and its body is sent in blocks.

    `feed` takes parts of the body, `end` the last one; both return what can be sent now: (headers or None, blocks). A
    body of known length to which nothing can be added passes through; all others are kept, up to `memory`. Longer ones
    pass through from there on: filled at their end if their type allows it, else at their start, by gzip, if their
    length is known.
    """

    __slots__ = ("_filler", "_kept", "_member", "_open", "_padder", "_sent", "head", "shows")

    def __init__(self, padder: Padder, head: Head) -> None:
        self._padder, self.head, self._filler = padder, head, head.filler
        self._kept = bytearray()
        self._sent = 0
        self._open = False  # whether the head was sent
        self._member: StoredGzip | None = None  # which codes a body that passes through
        #: Whether the body shows its size, known when the head is sent: nothing can be added to it, or not enough.
        self.shows = False

    def feed(self, body: bytes) -> tuple[Headers | None, list[bytes]]:
        """What can be sent after this part of the body."""
        if self.head.bodiless:
            return None, []
        self._kept += body if self._member is None else self._member.write(body)
        if self._open:
            return None, self._blocks(whole_blocks=True)
        blocks: list[bytes] = []
        if self._filler is None and self.head.known is not None:
            headers = self._fill_sum(self.head.headers, self.head.known)
        elif len(self._kept) > self._padder.memory:
            headers, blocks = self._pass_through()
        else:
            return None, []
        self._open = True
        return headers, blocks + self._blocks(whole_blocks=True)

    def end(self, last: bytes = b"") -> tuple[Headers | None, list[bytes]]:
        """What is left to send after the last part."""
        if self.head.bodiless:
            return self._fill_head(self._without_length() if self._filler else self.head.headers), []
        if not self._open:
            return self._whole(bytes(self._kept) + last if self._kept else last)
        self._kept += last if self._member is None else self._member.end(last)
        if self._filler is not None and self._filler.follows:
            size = self._sent + len(self._kept)
            return None, _fill(bytes(self._kept), self._filler, self._missing(size, self._filler))
        return None, self._blocks(whole_blocks=False)

    def head_alone(self) -> Headers:
        """The head of a response whose body passes as it is."""
        return self._fill_head(self.head.headers)

    def _whole(self, body: bytes) -> tuple[Headers, list[bytes]]:
        """Head and body of a response that was kept whole."""
        head, filler = self.head, self._filler
        if filler is GZIP and head.coded and not has_room_in_gzip(body):
            filler = None
        if filler is None:
            unchanged = [pair for pair in head.headers if pair[0] not in _FRAMING]
            return self._fill_sum(_with_length(unchanged, len(body)), len(body)), _cut(body)
        headers = head.of_whole
        if filler is GZIP and not head.coded:
            body, headers = StoredGzip().end(body), headers + _CODED
        added = self._missing(len(body), filler)
        return self._fill_head(_with_length(headers, len(body) + added)), _fill(body, filler, added)

    def _pass_through(self) -> tuple[Headers, list[bytes]]:
        """The head, and the start, of a body that is too long to keep."""
        head, filler = self.head, self._filler
        if filler is not None and filler.follows:
            return self._fill_head(mark_changed(self._without_length())), []
        if filler is GZIP and head.known is not None and (not head.coded or has_room_in_gzip(bytes(self._kept[:16]))):
            return self._begin_in_gzip(head.known)
        self._filler = None
        if head.known is not None:
            return self._fill_sum(head.headers, head.known), []
        self.shows = True
        return self._fill_head(head.headers), []

    def _begin_in_gzip(self, size: int) -> tuple[Headers, list[bytes]]:
        """The head of a body of this size, and its start with gzip's comment: what it will be padded to is known."""
        start, headers = bytes(self._kept), self.head.of_whole
        if not self.head.coded:
            self._member = StoredGzip()
            start, size, headers = self._member.write(start), StoredGzip.size(size), headers + _CODED
        added = self._missing(size, GZIP)
        *blocks, rest = _fill(start, GZIP, added)
        self._kept = bytearray(rest)
        return self._fill_head(_with_length(headers, size + added)), blocks

    def _without_length(self) -> Headers:
        return [(name, value) for name, value in self.head.headers if name != b"content-length"]

    def _missing(self, size: int, filler: Filler) -> int:
        """The bytes to add to a body of this size: none, or as many as the filler adds at least."""
        added = self._padder.pad(size) - size
        return self._padder.pad(size + filler.least) - size if 0 < added < filler.least else added

    def _fill_sum(self, headers: Headers, size: int) -> Headers:
        """The head of a body of this size that cannot be filled: longer by what the body lacks. If that is more than
        clients accept the body shows its size.
        """
        more = self._padder.pad(size) - size
        self.shows = self._padded_head(headers) + more > _MOST
        return self._fill_head(headers, 0 if self.shows else more)

    def _padded_head(self, headers: Headers) -> int:
        """The size of the head with these headers, as a multiple of `head` that leaves room for the filler."""
        unit = self._padder.head
        return -(-(head_size(self.head.status, headers) + _ROOM) // unit) * unit

    def _fill_head(self, headers: Headers, more: int = 0) -> Headers:
        """The headers, filled so that the head is a multiple of `head` bytes, plus `more`."""
        missing = self._padded_head(headers) + more - head_size(self.head.status, headers)
        filled = headers.copy()
        while missing:
            letters = missing - _ROOM
            if letters > _LONGEST:
                letters = min(_LONGEST, letters - _ROOM)  # leave room for another header
            filled.append((NAME, random_letters(letters)))
            missing -= letters + _ROOM
        return filled

    def _blocks(self, *, whole_blocks: bool) -> list[bytes]:
        end = len(self._kept) // BLOCK * BLOCK if whole_blocks else len(self._kept)
        blocks = _cut(bytes(self._kept[:end]))
        del self._kept[:end]
        self._sent += end
        return blocks


def _with_length(headers: Headers, size: int) -> Headers:
    return [*headers, (b"content-length", b"%d" % size)]


def _fill(body: bytes, filler: Filler, added: int) -> list[bytes]:
    """The blocks of a body with `added` bytes more. Blocks of filler alone are one object, so that little is kept."""
    if not added:
        return _cut(body)
    before, after = filler.around(body)
    letters, first = added - filler.least, -len(before) % BLOCK
    if letters < first + BLOCK:
        return _cut(before + filler.letter * letters + after)
    alone, rest = divmod(letters - first, BLOCK)
    start = _cut(before + filler.letter * first)
    return [*start, *[filler.letter * BLOCK] * alone, *_cut(filler.letter * rest + after)]


def _cut(body: bytes) -> list[bytes]:
    return [body[at : at + BLOCK] for at in range(0, len(body), BLOCK)]


@lru_cache(maxsize=256)
def _status_line(status: int) -> int:
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""
    return len(f"HTTP/1.1 {status} {phrase}\r\n")


def head_size(status: int, headers: Headers) -> int:
    """The bytes of an HTTP/1.1 head, without what the server adds to every one."""
    return _status_line(status) + sum([len(name) + len(value) + 4 for name, value in headers]) + 2


def mark_changed(headers: Headers) -> Headers:
    """The headers of a body that differs from what the application sent: a weak tag, no ranges, and no changes on the
    way, such as compression.
    """
    found: Headers = [(b"cache-control", b"no-transform")]
    for name, value in headers:
        if name == b"etag" and not value.startswith(b"W/"):
            value = b"W/" + value
        if name != b"accept-ranges":
            found.append((name, value))
    return found
