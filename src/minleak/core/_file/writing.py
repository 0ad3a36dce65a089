"""Writing a .cloak file atomically, and the arrays of priors and labels that every kind of plan writes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from minleak.core._file.format import MAGIC, PREFIX, TYPES, VERSION, Vector, file_name, padding
from minleak.core._file.hashing import hash_bytes, text_parts
from minleak.core._file.replacing import replace_file
from minleak.core._labels import Labels, bytes_of_names
from minleak.core._prior import Prior
from minleak.errors import InvalidCloak

# Bytes written at once: some file systems are several times slower with more.
PIECE = 1 << 20


def write(path: str | os.PathLike[str], arrays: dict[str, Vector], numbers: dict[str, Any]) -> None:
    """Write arrays and numbers to a file atomically, synced to disk. What it replaces must be such a file."""
    name = file_name(path)
    pieces = [np.ascontiguousarray(array).reshape(-1) for array in arrays.values()]
    buffers = [memoryview(piece.view(np.uint8).data) for piece in pieces]
    hashes = [hash_bytes(buffer).hex() for buffer in buffers]
    types = [piece.dtype.str for piece in pieces]
    if not set(types) <= set(TYPES):
        raise TypeError(f"a file holds arrays of {', '.join(TYPES)}, not {types}")
    said = [list(one) for one in zip(arrays, types, map(len, pieces), hashes, strict=True)]
    header = json.dumps({**numbers, "arrays": said}).encode()
    header += b" " * padding(len(header))
    prefix = PREFIX.pack(MAGIC, VERSION, len(header), hashlib.sha256(header).digest(), bytes(12))
    try:
        with replace_file(name, start=MAGIC) as file:
            for buffer in (memoryview(prefix), memoryview(header), *buffers):
                _write_filled(file, buffer)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InvalidCloak(f"cannot write {name}: {error.strerror or 'the file system refused'}") from None
    _sync_folder(os.path.dirname(os.path.realpath(name)))


def _write_filled(file: BinaryIO, data: memoryview) -> None:
    """Write the bytes, and zeros up to the beginning of the next array."""
    for at in range(0, len(data), PIECE):
        file.write(data[at : at + PIECE])
    file.write(bytes(padding(len(data))))


def _sync_folder(folder: str) -> None:
    """Make the new name survive a power failure, if the system can sync a folder."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# -- priors and labels -----------------------------------------------------------------------------------------------


def prior_arrays(prior: Prior) -> dict[str, Vector]:
    """The weights as given (beyond 64 bits as text), the labels and their hash table."""
    return weight_arrays("prior", prior.weights) | label_arrays(prior.labels)


def weight_arrays(name: str, weights: Vector) -> dict[str, Vector]:
    """Integers or floats; integers beyond 64 bits as text."""
    if weights.dtype != object:
        return {name: weights}
    return text_arrays(name, pa.array([str(weight) for weight in weights], type=pa.string()))


def label_arrays(labels: Labels) -> dict[str, Vector]:
    """Labels and their hash table; labels that a file cannot hold are refused."""
    labels = labels.indexed()
    if labels.is_default:
        return {}
    if not len(labels.slots):
        raise InvalidCloak("a file holds labels that are text or 64-bit integers: rename the secrets before the design")
    return {"slots": labels.slots, **name_arrays("labels", labels.arrow)}


def name_arrays(name: str, names: pa.Array) -> dict[str, Vector]:
    """Text or 64-bit integers."""
    return {name: bytes_of_names(names)[1].view("<i8")} if names.type == pa.int64() else text_arrays(name, names)


def text_arrays(name: str, names: pa.Array) -> dict[str, Vector]:
    """The ends of texts, and the bytes of all."""
    ends, data = text_parts(names)
    return {f"{name}.ends": ends, f"{name}.text": data}
