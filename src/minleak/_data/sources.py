"""Sources: the bytes of a path or an open file, gzip undone where far more comes out than went in is refused."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from functools import partial
from typing import Any, BinaryIO

from minleak.errors import UnreadableFile

#: What a file is read from.
Source = str | os.PathLike[str] | BinaryIO

# More bytes than this come out only of a file that has at least a hundredth of them. Tables and logs are compressed to
# a third or a thirtieth; what was made to fill memory, or one line again and again, to a thousandth.
_MOST, _RATIO = 1 << 26, 100
_PIECE = 1 << 20


def is_file(source: Any) -> bool:
    """Whether the source is a path or something open to read from."""
    return isinstance(source, str | os.PathLike) or hasattr(source, "read")


def name_of(source: Source) -> str:
    """What messages call the source."""
    if isinstance(source, str | os.PathLike):
        return os.fsdecode(source).encode("utf-8", "backslashreplace").decode()
    return str(getattr(source, "name", "the input"))


def read_bytes(source: Source, name: str) -> bytes:
    """All bytes of the source, decompressed if its name ends in .gz."""
    try:
        if isinstance(source, str | os.PathLike):
            with open(source, "rb") as file:
                data = file.read()
        else:
            data = source.read()
    except (OSError, ValueError) as error:  # of the system, or of a closed file
        raise UnreadableFile(f"cannot open {name}: {getattr(error, 'strerror', None) or error}") from None
    if not isinstance(data, bytes | bytearray | memoryview):
        raise UnreadableFile(f"{name} is not open as bytes: open it in binary mode, 'rb'")
    data = bytes(data)
    # A file object may have been decompressed on the way already, whatever its name.
    if name.lower().endswith(".gz") and (isinstance(source, str | os.PathLike) or data[:2] == b"\x1f\x8b"):
        try:
            with open_gzip(data, name) as unpacked:
                return b"".join(iter(partial(unpacked.read, _PIECE), b""))
        except (EOFError, OSError, zlib.error) as error:
            raise UnreadableFile(f"{name} is not a whole gzip file: {error}") from None
    return data


def open_gzip(source: str | os.PathLike[str] | bytes, name: str) -> io.BufferedReader:
    """What is in a gzip file, given by its path or as bytes. Messages call it by the name.

    >>> open_gzip(gzip.compress(b"secret,count"), "counts.csv.gz").read()
    b'secret,count'
    """
    return io.BufferedReader(_BoundedGzip(source, name), _PIECE)


class _BoundedGzip(io.RawIOBase):
    def __init__(self, source: str | os.PathLike[str] | bytes, name: str) -> None:
        packed = len(source) if isinstance(source, bytes) else os.stat(source).st_size
        self._left, self._name = max(_MOST, _RATIO * packed), name
        self._file = gzip.GzipFile(fileobj=io.BytesIO(source)) if isinstance(source, bytes) else gzip.GzipFile(source)

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
