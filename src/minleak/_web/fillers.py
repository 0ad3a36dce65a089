"""Fillers: bytes that a body's reader ignores, so that the body can have any larger size.

A comment after HTML; spaces after JSON, CSS and JavaScript; in a gzip body the comment of its header, which every
decoder skips, so that anything can be padded after compression.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import random

#: The first bytes of a gzip member, the length of its header, and the flag of a comment.
_GZIP, _GZIP_HEAD, _COMMENT = b"\x1f\x8b\x08", 10, 0x10
_SPACED = ("application/json", "text/css", "text/javascript", "application/javascript")
# HPACK codes both letters in eight bits, and never finds a random value in its table.
_LETTERS = bytes(b"XZ"[i & 1] for i in range(256))
_POOL = os.urandom(1 << 18).translate(_LETTERS)


@dataclass(frozen=True)
class Filler:
    """A way to add bytes to a body: `add(body, n)` adds n >= `least`. One that `follows` adds them at the end, whatever
    the body was.
    """

    name: str
    least: int
    follows: bool
    add: Callable[[bytes, int], bytes]


COMMENT = Filler("comment", 7, True, lambda body, n: b"".join((body, b"<!--", b"x" * (n - 7), b"-->")))
SPACES = Filler("spaces", 1, True, lambda body, n: body + b" " * n)


def _in_gzip(body: bytes, n: int) -> bytes:
    flags = bytes([body[3] | _COMMENT])
    return body[:3] + flags + body[4:_GZIP_HEAD] + b"x" * (n - 1) + b"\0" + body[_GZIP_HEAD:]


GZIP = Filler("gzip", 1, False, _in_gzip)


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


def store_in_gzip(body: bytes) -> bytes:
    """The body as an uncompressed gzip member."""
    return gzip.compress(body, compresslevel=0, mtime=0)


def random_letters(n: int) -> bytes:
    """n <= 4,096 letters for the value of a header. They are random, from a pool, because HTTP/2 would send a repeated
    value in one byte; they need not be unpredictable.
    """
    begin = int(random() * (len(_POOL) - n))
    return _POOL[begin : begin + n]
