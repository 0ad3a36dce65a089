"""The form of a .cloak file: named arrays and a few numbers, whole or refused, and looked at before they are used.

A header of 128 bytes, then an Arrow IPC file. The header holds the magic, the format's version, the length of what
follows and the checksum of all of it; the Arrow file has one row, whose columns are lists: one array each. The
checksum, XXH3 of 128 bits, finds damage and is no signature: whoever writes a file can write its checksum. So every
array is seen to lie in the file, and Contents hands out what was looked at.
"""

from __future__ import annotations

import io
import json
import math
import mmap
import os
import struct
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import xxhash

from minleak._data.labels import Labels, bytes_of_names
from minleak._data.prior import Prior
from minleak.errors import InvalidCloak, shown

Vector = npt.NDArray[Any]

MAGIC = b"MINLEAK\n"
VERSION = 5
HEADER = struct.Struct("<8sIIQ16s88s")  # magic, version, zero, payload length, checksum, zeros
_ARROW = 8  # the bytes before the first message of an Arrow IPC file
PIECE = 1 << 20  # read or written at once: some file systems take several times as long for more
# What Arrow, JSON and numpy say where something is not of the form that a plan has.
UNFIT = (
    *(pa.ArrowException, AttributeError, LookupError, MemoryError, NotImplementedError),
    *(EOFError, OSError, OverflowError, RecursionError, StopIteration, TypeError, ValueError),
)
# Numbers looked at in one go, which stay in cache; and after how many of these the memory is given back.
BLOCK, _OFTEN = 1 << 16, 32


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


# -- reading ---------------------------------------------------------------------------------------------------------


def read(name: str, *, mapped: bool) -> tuple[pa.Buffer, Callable[[], None]]:
    """What follows the header in a file whose checksum is right, mapped or read into memory. The function gives memory
    back that was looked at: pages of a map are read again where they are needed.
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
            if os.fstat(file.fileno()).st_size < HEADER.size:  # of nothing there is no map
                raise InvalidCloak(f"{name} was changed while it was read: load it again")
            memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if mapped else file.read()
            wanted = HEADER.unpack(memory[: HEADER.size])[4]
            found = _checksum(file if mapped else io.BytesIO(memory))
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

    return pa.py_buffer(memory).slice(HEADER.size), release


def _checksum(file: BinaryIO) -> bytes:
    """The checksum of what follows the header. A mapped file is read for it, so that its pages do not fill memory."""
    whole = xxhash.xxh3_128()
    file.seek(HEADER.size)
    while piece := file.read(PIECE):
        whole.update(piece)
    return whole.digest()


def _check_header(file: BinaryIO, name: str) -> None:
    header = file.read(HEADER.size)
    file.seek(0)
    if header[: len(MAGIC)] != MAGIC:
        raise InvalidCloak(f"{name} is not a .cloak file")
    if len(header) < HEADER.size:
        raise InvalidCloak(f"{name} is cut short: it has {len(header)} bytes, not even its header is whole")
    _, version, zero, length, _, zeros = HEADER.unpack(header)
    if version != VERSION:
        advice = "upgrade it" if version > VERSION else "design the plan anew"
        raise InvalidCloak(f"{name} is of format version {version}, this minleak reads version {VERSION}: {advice}")
    size = os.fstat(file.fileno()).st_size - HEADER.size
    if size != length or zero or any(zeros):
        raise InvalidCloak(f"{name} is damaged: it holds {size} bytes after its header, which says {length}")


def _parsed(payload: pa.Buffer) -> tuple[dict[str, Any], dict[str, pa.Array]]:
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


# -- looking ---------------------------------------------------------------------------------------------------------


class Contents:
    """Named arrays and numbers of a file, which anybody may have written; every method raises a ValueError or the like
    where they are no plan's. `release` gives memory back that was looked at.
    """

    def __init__(self, payload: pa.Buffer, release: Callable[[], None]) -> None:
        self.numbers, self.columns = _parsed(payload)
        self.release = release

    def part(self, number: int) -> Contents:
        """Those of a part of a lineage, whose arrays have its number before their names."""
        part = Contents.__new__(Contents)
        part.numbers, part.release = self.numbers["parts"][number], self.release
        before = f"{number}."
        part.columns = {name[len(before) :]: one for name, one in self.columns.items() if name.startswith(before)}
        return part

    def names(self, n: int) -> pa.Array | None:
        """The labels of n secrets; None where they are 0..n-1."""
        return self.text_or_numbers("labels", n) if "labels" in self.columns else None

    def text_or_numbers(self, column: str, n: int) -> pa.Array:
        """The n labels in a column: whole numbers, or text that lies in the file."""
        names = self.columns[column]
        demand(len(names) == n and names.type in (pa.string(), pa.large_string(), pa.int64()))
        demand(not names.null_count)
        if names.type == pa.int64():
            self.vector(column, "i8")
        else:
            self._check_text(names)
        return names

    def _check_text(self, names: pa.Array) -> None:
        """Demand offsets that grow, within the text, which is UTF-8: as Arrow does, in half the time and memory."""
        offsets, text = bytes_of_names(names)
        demand(len(offsets) == len(names) + 1 and offsets[0] >= 0 and offsets[-1] <= len(text))
        for begin, block in self.blocks(offsets):
            demand(bool((block[1:] >= block[:-1]).all()) and (begin == 0 or block[0] >= offsets[begin - 1]))
        if not all(block.max() < 128 for _, block in self.blocks(text)):  # which is UTF-8 wherever it is cut
            names.validate(full=True)

    def prior(self, weights: Vector, names: pa.Array | None, total: int) -> Prior:
        """The prior that was given, of which `weights` are what it is on the integer grid."""
        events = self._events()
        if "prior" not in self.columns:
            return Prior.trusted(weights, names, total, total if events == "total" else events)
        given = self.given_prior(names)
        demand(len(given) == len(weights))
        return given

    def given_prior(self, names: pa.Array | None) -> Prior:
        """The prior whose weights lie in the file as they were given."""
        given, events = self.columns["prior"], self._events()
        if given.type == pa.string():
            given.validate(full=True)
            checked = Prior([int(weight) for weight in given.to_pylist()])
        else:
            checked = Prior(self.vector("prior", "i8 f8"))
        return Prior.trusted(checked.weights, names, checked.total, checked.events if events == "total" else events)

    def _events(self) -> Any:
        events = self.numbers["events"]
        return events if events in ("total", None) else demand_whole(events, 1, 2**1024)

    def index(self, names: pa.Array | None, labels: Labels) -> Labels:
        """The labels with the slots that they are found by."""
        slots = self.vector("slots", "i4 i8")
        if names is None:
            return labels.indexed()
        demand(len(slots) > len(names) and len(slots) & (len(slots) - 1) == 0)
        self.in_range(slots, -1, len(names))
        return Labels(names, slots)

    def vector(self, name: str, kinds: str, size: int | None = None) -> Vector:
        """The array of that name on the file's memory, if it is of one of the types, and of the size."""
        found = to_numpy(self.columns[name])
        demand(found.dtype.str in {f"<{kind}" for kind in kinds.split()} and size in (None, len(found)))
        return found

    def blocks(self, array: Vector) -> Iterator[tuple[int, Vector]]:
        """Pieces of an array, each with where it begins."""
        for number, begin in enumerate(range(0, len(array), BLOCK)):
            yield begin, array[begin : begin + BLOCK]
            if number % _OFTEN == _OFTEN - 1:
                self.release()

    def in_range(self, array: Vector, low: int, high: int) -> None:
        """Demand that all are from `low` to before `high`."""
        for _, block in self.blocks(array):
            demand(block.max() < high and block.min() >= low)


def to_numpy(array: pa.Array) -> Vector:
    """A primitive Arrow array without nulls as a read-only vector on the same memory.

    Unlike numpy's from_dlpack it does not trust a damaged file to have memory for so many entries.

    >>> to_numpy(pa.array([7, 8, 9])[1:])
    array([8, 9])
    """
    if array.null_count or pa.types.is_boolean(array.type):
        raise ValueError("nulls and packed truth values are no vector of numbers")
    kind = np.dtype(array.type.to_pandas_dtype())
    if not len(array):
        return np.empty(0, dtype=kind)
    found = np.frombuffer(array.buffers()[1], dtype=kind, count=len(array), offset=array.offset * kind.itemsize)
    found.flags.writeable = False  # whoever else holds the memory
    return found


def demand(holds: bool | np.bool_) -> None:
    """Refuse a file for which that does not hold."""
    if not holds:
        raise ValueError("not what a plan has here")


def demand_whole(number: Any, low: int, high: int) -> int:
    """A whole number in these bounds."""
    demand(type(number) is int and low <= number <= high)
    return int(number)


def demand_number(number: Any, low: float, high: float) -> float:
    """A finite number in these bounds."""
    demand(type(number) in (int, float) and low <= number <= high and abs(number) < math.inf)
    return float(number)
