"""The checksum of a file, for every byte of it: XXH3 of 128 bits, at the speed of memory. It finds damage and is no
signature. The plan's digest, which stands beside it in the file, is summed last.
"""

from __future__ import annotations

import io
import os
from typing import Any, BinaryIO

import xxhash

_PIECE = 1 << 20


class SummedFile(io.FileIO):
    """A new file whose checksum is taken as it is written.

    Much is written a megabyte at a time: at once, some file systems take several times as long.
    """

    def __init__(self, path: str, header: int) -> None:
        super().__init__(path, "x+")
        self.seek(header)  # which follows and is not summed
        self._sum = xxhash.xxh3_128()

    def write(self, data: Any) -> int:
        """Write all of it."""
        view = memoryview(data).cast("B")
        at = 0
        while at < len(view):
            written = super().write(view[at : at + _PIECE])
            self._sum.update(view[at : at + written])
            at += written
        return at

    def seal(self, digest: bytes) -> bytes:
        """The checksum of all that was written and the digest."""
        self._sum.update(digest)
        return self._sum.digest()

    def write_header(self, header: bytes) -> None:
        """Write at the beginning."""
        os.pwrite(self.fileno(), header, 0)


def of_bytes(data: memoryview, digest: bytes) -> bytes:
    """The checksum of what is in memory."""
    whole = xxhash.xxh3_128(data)
    whole.update(digest)
    return whole.digest()


def of_file(file: BinaryIO, begin: int, digest: bytes) -> bytes:
    """The checksum of a file from there on; it is read, not mapped, so that checking does not fill this process's
    memory.
    """
    whole, at = xxhash.xxh3_128(), begin
    while piece := os.pread(file.fileno(), _PIECE, at):
        whole.update(piece)
        at += len(piece)
    whole.update(digest)
    return whole.digest()
