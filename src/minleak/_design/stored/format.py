"""The form of a .cloak file: named arrays and a few numbers, whole or refused.

A header of 128 bytes, then an Arrow IPC file. The header holds the magic, the format's version, the length of what
follows, the checksum of all of it and of the digest, and the digest of the plan; the Arrow file has one row, whose
columns are lists: one array each. The checksum, XXH3 of 128 bits, finds damage and is no signature. What a file says is
bounded here, that every array lies in it; what the arrays mean is not known here.
"""

from __future__ import annotations

import contextlib
import io
import json
import mmap
import os
import struct
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import xxhash

from minleak._data.buffers import to_arrow
from minleak._data.writing import replacing
from minleak.errors import InvalidCloak, shown

MAGIC = b"MINLEAK\n"
VERSION = 4
# Files of versions 2 and 3 say nothing of a descent, so that their plans are drawn from as they were. Those of version
# 2 hold besides some numbers that follow from the rest and are not looked at.
_READ = (2, 3, VERSION)
_HEADER = struct.Struct("<8sIIQ16s32s56s")  # magic, version, zero, payload length, checksum, digest, zeros
_ARROW = 8  # the bytes before the first message of an Arrow IPC file
_PIECE = 1 << 20  # read or written at once: some file systems take several times as long for more


def file_name(path: str | os.PathLike[str]) -> str:
    """The path as text, if a file can have it."""
    try:
        name = os.fsdecode(path)
    except Exception:
        raise InvalidCloak(f"the path of a .cloak file is text or a path, not {type(path).__name__}") from None
    try:
        possible = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise InvalidCloak(f"{shown(name)} is no name that a file can have")
    return name


# -- writing ---------------------------------------------------------------------------------------------------------


class _Summed(io.FileIO):
    """A new file whose checksum is taken as it is written."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "x")
        self.sum = xxhash.xxh3_128()

    def write(self, data: Any) -> int:
        """Write all of it."""
        view = memoryview(data).cast("B")
        at = 0
        while at < len(view):
            written = super().write(view[at : at + _PIECE])
            self.sum.update(view[at : at + written])
            at += written
        return at


def write(
    name: str, arrays: dict[str, npt.NDArray[Any] | pa.Array], numbers: dict[str, Any], digest: Callable[[], bytes]
) -> None:
    """Write arrays and numbers to a file, whole or not at all: to a temporary name beside it, synced, then renamed."""
    table = _table(arrays, numbers)
    try:
        with replacing(name) as temporary, _Summed(temporary) as file:
            file.seek(_HEADER.size)
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
            length, known = file.tell() - _HEADER.size, digest()
            file.sum.update(known)
            os.pwrite(file.fileno(), _HEADER.pack(MAGIC, VERSION, 0, length, file.sum.digest(), known, bytes(56)), 0)
            os.fsync(file.fileno())
    except OSError as error:
        raise InvalidCloak(f"cannot write {name}: {error.strerror or 'the file system refused'}") from None
    _sync_folder(os.path.dirname(os.path.realpath(name)))


def _sync_folder(folder: str) -> None:
    """Make the new name last through a power failure, where the system lets a folder be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _table(arrays: dict[str, npt.NDArray[Any] | pa.Array], numbers: dict[str, Any]) -> pa.Table:
    columns = {name: to_arrow(array) if isinstance(array, np.ndarray) else array for name, array in arrays.items()}
    lists = [pa.LargeListArray.from_arrays(to_arrow(np.array([0, len(column)])), column) for column in columns.values()]
    schema = pa.schema(
        [pa.field(name, column.type) for name, column in zip(columns, lists, strict=True)],
        metadata={"minleak": json.dumps(numbers)},
    )
    return pa.Table.from_arrays(lists, schema=schema)


# -- reading ---------------------------------------------------------------------------------------------------------


def read(name: str, *, mapped: bool) -> tuple[pa.Buffer, bytes, Callable[[], None]]:
    """What follows the header in a file whose checksum is right, mapped or read into memory, and the plan's digest. The
    function gives memory back that was looked at: pages of a map are read again where they are needed.
    """
    if os.path.isdir(name):
        raise InvalidCloak(
            f"cannot read {name}: it is a directory, not a .cloak file; a plan that an engine wrote becomes one by "
            "warehouse.to_plan(warehouse.load(folder)).save(file)"
        )
    if os.path.exists(name) and not os.path.isfile(name):  # opening a pipe would wait for somebody to write to it
        raise InvalidCloak(f"{name} is not a .cloak file")
    try:
        with open(name, "rb") as file:
            _check_header(file, name)
            before = os.fstat(file.fileno())
            if os.fstat(file.fileno()).st_size < _HEADER.size:  # of nothing there is no map
                raise InvalidCloak(f"{name} was changed while it was read: load it again")
            memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if mapped else file.read()
            wanted, digest = _HEADER.unpack(memory[: _HEADER.size])[4:6]
            found = _checksum(file if mapped else io.BytesIO(memory), digest)
            after = os.stat(name)
    except OSError as error:
        raise InvalidCloak(f"cannot read {name}: {error.strerror or 'it cannot be opened'}") from None
    except struct.error:  # cut since its header was read
        raise InvalidCloak(f"{name} was changed while it was read: load it again") from None
    if (before.st_ino, before.st_size, before.st_mtime_ns) != (after.st_ino, after.st_size, after.st_mtime_ns):
        raise InvalidCloak(f"{name} was replaced while it was read: load it again")
    if found != wanted:
        raise InvalidCloak(f"{name} is damaged: its checksum is not that of its contents. Restore it or design it anew")

    def release() -> None:
        if isinstance(memory, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            memory.madvise(mmap.MADV_DONTNEED)

    return pa.py_buffer(memory).slice(_HEADER.size), digest, release


def _checksum(file: BinaryIO, digest: bytes) -> bytes:
    """The checksum of what follows the header. A mapped file is read for it, so that its pages do not fill memory."""
    whole = xxhash.xxh3_128()
    file.seek(_HEADER.size)
    while piece := file.read(_PIECE):
        whole.update(piece)
    whole.update(digest)
    return whole.digest()


def _check_header(file: BinaryIO, name: str) -> None:
    header = file.read(_HEADER.size)
    file.seek(0)
    if header[: len(MAGIC)] != MAGIC:
        raise InvalidCloak(f"{name} is not a .cloak file")
    if len(header) < _HEADER.size:
        raise InvalidCloak(f"{name} is cut short: it has {len(header)} bytes, not even its header is whole")
    _, version, zero, length, _, _, zeros = _HEADER.unpack(header)
    if version not in _READ:
        advice = "upgrade it" if version > VERSION else "design the plan anew"
        reads = f"{_READ[0]} to {VERSION}"
        raise InvalidCloak(f"{name} is of format version {version}, this minleak reads versions {reads}: {advice}")
    size = os.fstat(file.fileno()).st_size - _HEADER.size
    if size != length or zero or any(zeros):
        raise InvalidCloak(f"{name} is damaged: it holds {size} bytes after its header, which says {length}")


def parsed(payload: pa.Buffer) -> tuple[dict[str, Any], dict[str, pa.Array]]:
    """The numbers and the arrays, which are checked to lie in the file; an error of any kind where it is not ours.

    Messages are read one by one, since Arrow's reader of files would unpack compressed ones, as large as they say.
    """
    messages = pa.ipc.MessageReader.open_stream(pa.BufferReader(payload.slice(_ARROW)))
    schema = pa.ipc.read_schema(messages.read_next_message())
    message = messages.read_next_message()
    if message.type != "record batch" or _is_compressed(message.metadata.to_pybytes()):
        raise ValueError("a file of ours has one batch, not compressed")
    batch = pa.ipc.read_record_batch(message, schema)
    if batch.num_rows != 1:
        raise ValueError("a file of ours has one row")
    columns = {}
    for field, column in zip(schema, batch.columns, strict=True):
        column.validate()  # that buffers are as long as they must be
        values = column.values
        if column.null_count or column.offsets.to_pylist() != [0, len(values)]:
            raise ValueError("every column of ours is one list")
        columns[field.name] = values
    numbers = json.loads(schema.metadata[b"minleak"])
    if not isinstance(numbers, dict):
        raise TypeError("the numbers have names")
    return numbers, columns


def _is_compressed(message: bytes) -> bool:
    """Whether a message of a batch names a codec: the fourth field of its header, itself the message's third.

    Both are tables of a flatbuffer, which Arrow has verified: a table begins with the distance back to the list of its
    fields' offsets, whose first number is its own size.
    """

    def field(table: int, number: int) -> int:
        fields = table - struct.unpack_from("<i", message, table)[0]
        at = 4 + 2 * number
        inside = at < struct.unpack_from("<H", message, fields)[0]
        return int(struct.unpack_from("<H", message, fields + at)[0]) if inside else 0

    root = struct.unpack_from("<I", message, 0)[0]
    header = root + field(root, 2)
    return field(header + struct.unpack_from("<I", message, header)[0], 3) != 0
