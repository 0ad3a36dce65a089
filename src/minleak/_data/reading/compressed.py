"""Files that gzip compressed, as streams that refuse to go on where far more comes out than went in."""

from __future__ import annotations

import gzip
import io
import os
from typing import Any

from minleak.errors import UnreadableFile

# More bytes than this come out only of a file that has at least a hundredth of them. Tables and logs are compressed to
# a third or a thirtieth; what was made to fill memory, or one line again and again, to a thousandth.
_MOST, _RATIO = 1 << 26, 100
_PIECE = 1 << 20


def open_gzip(source: str | os.PathLike[str] | bytes, name: str) -> io.BufferedReader:
    """What is in a gzip file, given by its path or as bytes. Messages call it by the name.

    >>> open_gzip(gzip.compress(b"secret,count"), "counts.csv.gz").read()
    b'secret,count'
    """
    return io.BufferedReader(_Bounded(source, name), _PIECE)


class _Bounded(io.RawIOBase):
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
