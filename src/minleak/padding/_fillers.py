"""Fillers: bytes that a body's reader ignores, so that the body can have any larger size.

A comment after HTML; spaces after JSON, CSS and JavaScript; in a gzip body the comment of its header, which every
decoder skips, so that anything can be padded after compression.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import random

#: The first bytes of a gzip member, the length of its header, and the flag of a comment.
_GZIP, _GZIP_HEAD, _COMMENT = b"\x1f\x8b\x08", 10, 0x10
# The header of a member of unknown time and system, the bytes of its end, and the bytes and head of a stored block.
_PLAIN_HEAD, _GZIP_END, _STORED, _STORED_HEAD = _GZIP + bytes(6) + b"\xff", 8, 1 << 15, 5
_SPACED = ("application/json", "text/css", "text/javascript", "application/javascript")
# HPACK codes both letters in eight bits, and never finds a random value in its table.
_LETTERS = bytes(b"XZ"[i & 1] for i in range(256))
_POOL = os.urandom(1 << 18).translate(_LETTERS)


@dataclass(frozen=True)
class Filler:
    """A way to add bytes to a body: `around(body)` are the bytes before and after as many `letter`s as are wanted; that
    alone adds `least`. One that `follows` adds them at the end, whatever the body was.
    """

    name: str
    letter: bytes
    least: int
    follows: bool
    around: Callable[[bytes], tuple[bytes, bytes]]


COMMENT = Filler("comment", b"x", 7, True, lambda body: (body + b"<!--", b"-->"))
SPACES = Filler("spaces", b" ", 0, True, lambda body: (body, b""))


def _in_gzip(body: bytes) -> tuple[bytes, bytes]:
    flags = bytes([body[3] | _COMMENT])
    return body[:3] + flags + body[4:_GZIP_HEAD], b"\0" + body[_GZIP_HEAD:]


GZIP = Filler("gzip", b"x", 1, False, _in_gzip)


@lru_cache(maxsize=256)
def filler_of_type(content_type: bytes) -> Filler | None:
    """The filler for unencoded content of a type; None if bytes at its end would not be ignored."""
    kind = content_type.split(b";")[0].strip().lower().decode("latin-1")
    if kind == "text/html":
        return COMMENT
    return SPACES if kind in _SPACED or kind.endswith("+json") else None


def has_room_in_gzip(body: bytes) -> bool:
    """Whether this is a gzip member with a plain header, as compressing middleware writes it."""
    return body[:3] == _GZIP and len(body) > _GZIP_HEAD and body[3] == 0


class StoredGzip:
    """An uncompressed gzip member of a body that comes in parts. Its size depends only on that of the body.

    >>> member = StoredGzip()
    >>> parts = [member.write(b"ab"), member.end(b"c")]
    >>> zlib.decompress(b"".join(parts), wbits=31), len(b"".join(parts)) == StoredGzip.size(3)
    (b'abc', True)
    """

    def __init__(self) -> None:
        self._left = bytearray()
        self._sum, self._size = 0, 0
        self._head = _PLAIN_HEAD

    @staticmethod
    def size(n: int) -> int:
        """The bytes of the member of a body of n bytes: n + 18 + 5 max(1, ceil(n / 2^15))."""
        return n + _GZIP_HEAD + _GZIP_END + _STORED_HEAD * max(1, -(-n // _STORED))

    def write(self, part: bytes) -> bytes:
        """What can be sent after this part: all blocks but the last, which is marked as such."""
        self._left += part
        self._sum, self._size = zlib.crc32(part, self._sum), self._size + len(part)
        blocks, self._head = [self._head], b""
        while len(self._left) > _STORED:
            blocks += [_stored_head(_STORED, last=False), bytes(self._left[:_STORED])]
            del self._left[:_STORED]
        return b"".join(blocks)

    def end(self, part: bytes = b"") -> bytes:
        """The rest, after the last part."""
        written = self.write(part)
        check = self._sum.to_bytes(4, "little") + (self._size & 0xFFFFFFFF).to_bytes(4, "little")
        return b"".join((written, _stored_head(len(self._left), last=True), self._left, check))


def _stored_head(size: int, *, last: bool) -> bytes:
    return bytes([last]) + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little")


def random_letters(n: int) -> bytes:
    """n <= 4,096 letters for the value of a header. They are random, from a pool, because HTTP/2 would send a repeated
    value in one byte; they need not be unpredictable.
    """
    begin = int(random() * (len(_POOL) - n))
    return _POOL[begin : begin + n]
