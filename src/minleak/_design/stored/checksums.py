"""The checksum of a file, for every byte of it: XXH3 of 128 bits, at the speed of memory. It finds damage and is no
signature. The plan's digest, which stands beside it in the file, is summed last.
"""

from __future__ import annotations

import contextlib
import io
import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, BinaryIO

import xxhash

# Written at once: some file systems take several times as long for more. And written before the disk begins with it.
_PIECE, _EARLY = 1 << 20, 1 << 26


class SummedFile(io.FileIO):
    """A new file whose checksum is taken as it is written, and which is on its way to the disk meanwhile.

    `header` bytes are left free at its beginning; about `size` will be written after them.
    """

    def __init__(self, path: str, header: int, size: int) -> None:
        super().__init__(path, "x+")
        self._sum = xxhash.xxh3_128()
        self._syncing = ThreadPoolExecutor(1)
        self._synced: list[Future[None]] = []
        if size >= _EARLY and hasattr(os, "posix_fallocate"):
            with contextlib.suppress(OSError):  # where it is refused, writing will say why, or will do without
                os.posix_fallocate(self.fileno(), 0, header + size)
        self.seek(header)

    def write(self, data: Any) -> int:
        """Write all of it."""
        view = memoryview(data).cast("B")
        at = 0
        while at < len(view):
            written = super().write(view[at : at + _PIECE])
            self._sum.update(view[at : at + written])
            at += written
            if self.tell() >= _EARLY * (len(self._synced) + 1):
                self._synced.append(self._syncing.submit(os.fsync, self.fileno()))
        return at

    def sync(self) -> None:
        """Wait until all is on the disk, and nothing after it."""
        self.truncate()
        os.fsync(self.fileno())
        for early in self._synced:
            early.result()  # where it failed, say so: the system tells it only once

    def seal(self, digest: bytes) -> bytes:
        """The checksum of all that was written and the digest."""
        self._sum.update(digest)
        return self._sum.digest()

    def write_header(self, header: bytes) -> None:
        """Write at the beginning, to the disk."""
        os.pwrite(self.fileno(), header, 0)
        os.fsync(self.fileno())

    def close(self) -> None:
        """Close it when nobody syncs it any more."""
        self._syncing.shutdown()
        super().close()


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
