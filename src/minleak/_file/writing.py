"""Writing a .cloak file, whole or not at all; and what plans of every kind have to be written: priors and labels."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from minleak._data.labels import Labels, bytes_of_names
from minleak._data.prior import Prior
from minleak._file.format import MAGIC, PREFIX, TYPES, VERSION, Vector, file_name, padding
from minleak._file.hashing import hash_bytes, text_parts
from minleak._file.replacing import replace_file
from minleak.errors import InvalidCloak

# Bytes that are written at once: some file systems take several times as long for more.
PIECE = 1 << 20


def write(path: str | os.PathLike[str], arrays: dict[str, Vector], numbers: dict[str, Any]) -> None:
    """Write arrays and numbers to a file: to a temporary name beside it, synced, then renamed."""
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
        with replace_file(name) as file:
            for buffer in (memoryview(prefix), memoryview(header), *buffers):
                _write_filled(file, buffer)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InvalidCloak(f"cannot write {name}: {error.strerror or 'the file system refused'}") from None
    _sync_folder(os.path.dirname(os.path.realpath(name)))


def _write_filled(file: BinaryIO, data: memoryview) -> None:
    """The bytes, and zeros up to where the next array begins."""
    for at in range(0, len(data), PIECE):
        file.write(data[at : at + PIECE])
    file.write(bytes(padding(len(data))))


def _sync_folder(folder: str) -> None:
    """Make the new name last through a power failure, where the system lets a folder be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# -- priors and labels -----------------------------------------------------------------------------------------------


def prior_arrays(prior: Prior) -> dict[str, Vector]:
    """The weights as they were given, those beyond 64 bits as text; labels, and the slots that they are found by."""
    return weight_arrays("prior", prior.weights) | label_arrays(prior.labels)


def weight_arrays(name: str, weights: Vector) -> dict[str, Vector]:
    """Whole numbers or floats, whole numbers beyond 64 bits as text."""
    if weights.dtype != object:
        return {name: weights}
    return text_arrays(name, pa.array([str(weight) for weight in weights], type=pa.string()))


def label_arrays(labels: Labels) -> dict[str, Vector]:
    """Labels that a file can hold, with the slots that they are found by."""
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
    """Where each text ends, and the bytes of all of them."""
    ends, data = text_parts(names)
    return {f"{name}.ends": ends, f"{name}.text": data}
