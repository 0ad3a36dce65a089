"""Sources: the bytes of a path or an open file, decompressed. Compressed files that would fill memory are refused."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO

from minleak.errors import UnreadableFile

#: What a file is read from.
Source = str | os.PathLike[str] | BinaryIO

BOM = b"\xef\xbb\xbf"

# A gzip file may unpack to this many bytes, or to this many times its size. Tables and logs shrink to between a third
# and a thirtieth; a file made to fill memory, to a thousandth.
_MOST, _RATIO = 1 << 26, 100
_PIECE = 1 << 23
#: The bytes at the start of a file that decide its format.
HEAD = 1 << 16


def is_file(source: Any) -> bool:
    """Whether the source is a path or something open to read from."""
    return isinstance(source, str | os.PathLike) or hasattr(source, "read")


def name_of(source: Source) -> str:
    """The name of the source in messages."""
    if isinstance(source, str | os.PathLike):
        return os.fsdecode(source).encode("utf-8", "backslashreplace").decode()
    return str(getattr(source, "name", "the input"))


def read_bytes(source: Source, name: str) -> bytes:
    """All bytes of the source, decompressed if its name ends in .gz."""
    return b"".join(read_pieces(source, name, -1))


def read_pieces(source: Source, name: str, size: int = _PIECE) -> Iterator[bytes]:
    """The same bytes in pieces of about this size; -1 means as few as possible."""
    try:
        if isinstance(source, str | os.PathLike):
            with open(source, "rb") as file:
                yield from _unpack(file, name) if name.lower().endswith(".gz") else _pieces(file, name, size)
        else:
            pieces = _pieces(source, name, size)
            first = next(pieces, b"")
            # An open file may be decompressed already, whatever its name.
            if name.lower().endswith(".gz") and first[:2] == b"\x1f\x8b":
                yield from _unpack(io.BytesIO(b"".join([first, *pieces])), name)
            else:
                yield first
                yield from pieces
    except (OSError, ValueError) as error:  # a ValueError if the file is closed
        if isinstance(error, UnreadableFile):
            raise
        raise UnreadableFile(f"cannot open {name}: {getattr(error, 'strerror', None) or error}") from None


def read_head(source: Source, name: str) -> bytes:
    """The first 64 KiB of a file."""
    return next(read_pieces(source, name, HEAD), b"")[:HEAD]


def check_utf8(text: bytes, name: str) -> None:
    """Refuse text that is not UTF-8, by its line."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(
            f"line {line} of {name} is not UTF-8 text ({error.reason}): save the file as UTF-8"
        ) from None


def _pieces(file: BinaryIO, name: str, size: int) -> Iterator[bytes]:
    while data := file.read(size):
        if not isinstance(data, bytes | bytearray | memoryview):
            raise UnreadableFile(f"{name} is not open as bytes: open it in binary mode, 'rb'")
        yield bytes(data)


def _unpack(file: BinaryIO, name: str) -> Iterator[bytes]:
    try:
        with open_gzip(file, name) as unpacked:
            yield from iter(partial(unpacked.read, _PIECE), b"")
    except (EOFError, OSError, zlib.error) as error:
        raise UnreadableFile(f"{name} is not a whole gzip file: {error}") from None


def open_gzip(source: str | os.PathLike[str] | bytes | BinaryIO, name: str) -> io.BufferedReader:
    """A reader of what is in a gzip file, given by its path, as bytes or open.

    >>> open_gzip(gzip.compress(b"secret,count"), "counts.csv.gz").read()
    b'secret,count'
    """
    return io.BufferedReader(_BoundedGzip(source, name), _PIECE)


class _BoundedGzip(io.RawIOBase):
    def __init__(self, source: str | os.PathLike[str] | bytes | BinaryIO, name: str) -> None:
        file = io.BytesIO(source) if isinstance(source, bytes) else source
        if isinstance(file, str | os.PathLike):
            packed, self._file = os.stat(file).st_size, gzip.GzipFile(file)
        else:
            packed, self._file = file.seek(0, os.SEEK_END), gzip.GzipFile(fileobj=file)
            file.seek(0)
        self._left, self._name = max(_MOST, _RATIO * packed), name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise UnreadableFile(
                f"{self._name} is more than {_RATIO} times as large when it is unpacked, and may have been made to "
                "fill memory: if it should be so large, unpack it first with gunzip"
            )
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
