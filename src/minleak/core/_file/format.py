"""The format of a .cloak file, and reading it: a header in JSON and raw arrays, each with its SHA-256.

    prefix   64 bytes: magic, version, length of the header, SHA-256 of the header, zeros
    header   JSON, padded by spaces: numbers by name, and `arrays`, [name, type, length, SHA-256] of each
    arrays   in this order, little-endian, each at a multiple of 64 bytes, zeros in between

The hashes detect damage but are not a signature: whoever writes a file can write its hashes. So every array is checked
to lie inside the file, and `Contents` checks what it hands out. Plans are identified by the same hashes, recomputed.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak.core._file.hashing import Hashes, hash_bytes, place_of
from minleak.core._labels import Labels
from minleak.core._prior import Prior, total_of
from minleak.errors import InvalidCloak, quote

Vector = npt.NDArray[Any]

MAGIC = b"MINLEAK\n"
VERSION = 7
PREFIX = struct.Struct("<8sIQ32s12s")
ALIGNED = 64
TYPES = ("|u1", "<u2", "<i4", "<i8", "<f8")
# What JSON, numpy and Arrow raise if a file does not have the form of a plan.
UNFIT = (
    *(pa.ArrowException, AttributeError, LookupError, MemoryError, NotImplementedError),
    *(OverflowError, RecursionError, TypeError, ValueError),
)


def file_name(path: str | os.PathLike[str]) -> str:
    """The path as text, if it is a possible file name."""
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise InvalidCloak(f"the path of a .cloak file is text or a path, not {type(path).__name__}") from None
    try:
        possible = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise InvalidCloak(f"{quote(name)} is not a possible file name")
    return name


def padding(size: int) -> int:
    """The number of zeros that follow this many bytes."""
    return -size % ALIGNED


# -- reading ---------------------------------------------------------------------------------------------------------


def read(path: str | os.PathLike[str], *, mapped: bool = True) -> Contents:
    """The numbers and arrays of a file, memory-mapped or read, after checking its hashes."""
    name = file_name(path)
    if os.path.isdir(name):
        raise InvalidCloak(
            f"cannot read {name}: it is a directory, not a .cloak file; a plan that an engine wrote becomes one by "
            "scale.to_plan(scale.load(folder)).save(file)"
        )
    if os.path.exists(name) and not os.path.isfile(name):  # opening a pipe would wait for a writer
        raise InvalidCloak(f"{name} is not a .cloak file")
    try:
        with open(name, "rb", buffering=0) as file:
            prefix = file.read(PREFIX.size)
            _check_prefix(prefix, name)
            before = os.fstat(file.fileno())
            file.seek(0)
            some = before.st_size > 0  # an empty file cannot be mapped
            memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if mapped and some else file.read()
            if memory[: PREFIX.size] != prefix:
                raise InvalidCloak(f"{name} was changed while it was read: load it again")
            contents = _parse(memory, name)
            after = os.stat(name)
    except OSError as error:
        raise InvalidCloak(f"cannot read {name}: {error.strerror or 'it cannot be opened'}") from None
    if (before.st_ino, before.st_size, before.st_mtime_ns) != (after.st_ino, after.st_size, after.st_mtime_ns):
        raise InvalidCloak(f"{name} was replaced while it was read: load it again")
    return contents


def _check_prefix(prefix: bytes, name: str) -> None:
    if prefix[: len(MAGIC)] != MAGIC:
        raise InvalidCloak(f"{name} is not a .cloak file")
    if len(prefix) < PREFIX.size:
        raise InvalidCloak(f"{name} is cut short: it has {len(prefix)} bytes, fewer than a header")
    version = PREFIX.unpack(prefix)[1]
    if version != VERSION:
        advice = "upgrade it" if version > VERSION else "design the plan anew"
        raise InvalidCloak(f"{name} is of format version {version}, this minleak reads version {VERSION}: {advice}")


def _parse(memory: Any, name: str) -> Contents:
    """The contents of a file in memory, after checking all hashes."""
    data = memoryview(memory)
    _, _, length, digest, zeros = PREFIX.unpack(data[: PREFIX.size])
    end = PREFIX.size + length
    if end > len(data):
        raise InvalidCloak(f"{name} is damaged: it has {len(data)} bytes, fewer than its header. {_RESTORE}")
    header = bytes(data[PREFIX.size : end])
    if any(zeros) or hashlib.sha256(header).digest() != digest:
        raise InvalidCloak(f"{name} is damaged: its header is not the one that was written. {_RESTORE}")
    unfit = ""
    try:
        numbers = json.loads(header)
        sections = list(_sections(numbers.pop("arrays"), end))
        size = sections[-1][-1] if sections else end
    except UNFIT as error:
        unfit = type(error).__name__
    if unfit:  # raised here, since JSON's error would hold the text
        raise InvalidCloak(f"{name} does not hold a plan of this format ({unfit})")
    if size != len(data):
        raise InvalidCloak(f"{name} is damaged: it has {len(data)} bytes, and its header says {size}. {_RESTORE}")
    arrays, hashes = {}, {}
    for column, kind, wanted, begin, stop, after in sections:
        piece = data[begin:stop]
        if hash_bytes(piece) != wanted or any(data[stop:after]):
            raise InvalidCloak(f"{name} is damaged: its checksum is not that of its contents. {_RESTORE}")
        arrays[column] = np.frombuffer(piece, dtype=kind)
        hashes[place_of(piece)] = wanted
        arrays[column].flags.writeable = False
    return Contents(numbers, arrays, hashes, _make_release(memory))


_RESTORE = "Restore it or design it anew"


def _sections(said: Any, at: int) -> Iterator[tuple[str, str, bytes, int, int, int]]:
    """(name, type, hash, begin, end, end of its padding) of each array."""
    for name, kind, count, digest in said:
        require(type(name) is str and type(kind) is str and kind in TYPES)
        begin = at + padding(at)
        stop = begin + require_whole(count, 0, 2**62) * np.dtype(kind).itemsize
        at = stop + padding(stop)
        yield name, kind, bytes.fromhex(digest), begin, stop, at


def _make_release(memory: Any) -> Callable[[], None]:
    """A function that gives the pages of a memory map back to the system; they are read again when needed."""

    def release() -> None:
        if isinstance(memory, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            memory.madvise(mmap.MADV_DONTNEED)

    return release


# -- contents --------------------------------------------------------------------------------------------------------


class Contents:
    """The named arrays and numbers of a file that anyone may have written: each method raises one of UNFIT if they are
    not those of a plan. `hashes` are those of the arrays; `release` gives memory back.
    """

    def __init__(
        self, numbers: dict[str, Any], arrays: dict[str, Vector], hashes: Hashes, release: Callable[[], None]
    ) -> None:
        require(isinstance(numbers, dict))
        self.numbers, self.arrays, self.hashes, self.release = numbers, arrays, hashes, release

    def part(self, number: int) -> Contents:
        """The contents of one part of a lineage, whose arrays have its number before their names."""
        before = f"{number}."
        own = {name[len(before) :]: array for name, array in self.arrays.items() if name.startswith(before)}
        return Contents(self.numbers["parts"][number], own, self.hashes, self.release)

    def vector(self, name: str, kinds: str, size: int | None = None) -> Vector:
        """The array of that name, of one of these types and of this size."""
        found = self.arrays[name]
        require(found.dtype.str[1:] in kinds.split() and size in (None, len(found)))
        return found

    def text(self, name: str, size: int | None = None) -> pa.Array:
        """The texts of that name, stored as their ends and their UTF-8 bytes."""
        ends, data = self.vector(f"{name}.ends", "i4 i8"), self.vector(f"{name}.text", "u1")
        require(len(ends) > 0 and size in (None, len(ends) - 1))
        require(ends[0] == 0 and ends[-1] == len(data) and bool((ends[1:] >= ends[:-1]).all()))
        kind = pa.string() if ends.dtype == np.int32 else pa.large_string()
        names = pa.Array.from_buffers(kind, len(ends) - 1, [None, pa.py_buffer(ends), pa.py_buffer(data)])
        if len(data) and data.max() >= 128:  # ASCII is valid wherever it is cut
            names.validate(full=True)
        return names

    def names(self, name: str, size: int) -> pa.Array | None:
        """The labels of that name, text or 64-bit integers; None if there are none, which means 0, 1, 2, ..."""
        if f"{name}.ends" in self.arrays:
            return self.text(name, size)
        return to_arrow(self.vector(name, "i8", size)) if name in self.arrays else None

    def labels(self, size: int) -> Labels:
        """The labels of the secrets and their hash table; `certify` proves that it finds each."""
        names = self.names("labels", size)
        if names is None:
            require("slots" not in self.arrays)
            return Labels.of(None, size)
        slots = self.vector("slots", "i4 i8")
        require(len(slots) > size and len(slots) & (len(slots) - 1) == 0)
        require(slots.min() >= -1 and slots.max() < size and np.count_nonzero(slots >= 0) == size)
        return Labels(names, slots)

    def prior(self, size: int, weights: Vector | None = None) -> Prior:
        """The prior; `weights` are those of the plan, used if the file has no others."""
        labels, events = self.labels(size), self.numbers["events"]
        events = events if events is None else require_whole(events, 1, 2**1024)
        if weights is not None and not {"prior", "prior.ends"} & self.arrays.keys():
            require(size > 0 and weights.min() >= 0)
            return Prior.trusted(weights, labels, total_of(weights), events)
        if "prior" in self.arrays:
            given = Prior(self.vector("prior", "i8 f8", size))
        else:  # beyond 64 bits
            given = Prior([int(weight) for weight in self.text("prior", size).to_pylist()])
        return Prior.trusted(given.weights, labels, given.total, events)


def to_arrow(array: Vector) -> pa.Array:
    """A numeric vector as an Arrow array in the same memory. Arrow's own conversion would load pandas first.

    >>> to_arrow(np.array([1, 2], dtype=np.int32)).type
    DataType(int32)
    """
    whole = np.ascontiguousarray(array)
    return pa.Array.from_buffers(pa.from_numpy_dtype(whole.dtype), len(whole), [None, pa.py_buffer(whole)])


def require(holds: bool | np.bool_) -> None:
    """Refuse a file for which this does not hold."""
    if not holds:
        raise ValueError("not what a plan has here")


def require_whole(number: Any, low: int, high: int) -> int:
    """A whole number within bounds."""
    require(type(number) is int and low <= number <= high)
    return int(number)


def require_number(number: Any, low: float, high: float) -> float:
    """A finite number within bounds."""
    require(type(number) in (int, float) and low <= number <= high and abs(number) < math.inf)
    return float(number)
