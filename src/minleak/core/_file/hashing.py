"""SHA-256 of arrays, which detects damage in files and identifies plans."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa

from minleak.core._label_bytes import labels_in_bytes, prefix_length_8
from minleak.core._labels import Labels, bytes_of_names

# Bytes hashed as one piece; pieces are hashed on two threads.
_PIECE = 1 << 23

#: Hashes of arrays that were read from a file, by the address and the number of their bytes.
Hashes = Mapping[tuple[int, int], bytes]


def hash_bytes(data: memoryview) -> bytes:
    """SHA-256 of the length and the SHA-256 digests of all pieces."""

    def digest(at: int) -> bytes:
        return hashlib.sha256(data[at : at + _PIECE]).digest()

    starts = range(0, len(data), _PIECE)
    if len(starts) < 2:
        parts = [digest(at) for at in starts]
    else:
        with ThreadPoolExecutor(2) as pool:
            parts = list(pool.map(digest, starts))
    return hashlib.sha256(len(data).to_bytes(8, "little") + b"".join(parts)).digest()


def hash_parts(title: bytes, parts: Iterable[Any], known: Hashes | None = None) -> bytes:
    """SHA-256 of a title and the hashes of bytes and arrays, in order. Hashes in `known` are not computed again."""
    whole = hashlib.sha256(title)
    for part in parts:
        data = _bytes_of(part)
        found = known.get(place_of(data)) if known else None
        whole.update(found or hash_bytes(data))
    return whole.digest()


def place_of(data: memoryview) -> tuple[int, int]:
    """The address of the bytes, and their number."""
    return np.frombuffer(data, dtype=np.uint8).ctypes.data if len(data) else 0, len(data)


def _bytes_of(part: Any) -> memoryview:
    if isinstance(part, np.ndarray):
        return np.ascontiguousarray(part).reshape(-1).view(np.uint8).data
    return memoryview(part)


def label_parts(labels: Labels) -> list[Any]:
    """The bytes of the labels, independent of the offset and width of their Arrow array."""
    if labels.is_default:
        return [b"default"]
    names = labels.storable()
    if names is None:
        return _other_parts(labels)
    if names.type == pa.int64():
        return [b"int64", bytes_of_names(names)[1]]
    return [b"text", *text_parts(names)]


def text_parts(names: pa.Array) -> tuple[Any, Any]:
    """The ends of the texts, after a 0, and the bytes of all."""
    offsets, data = bytes_of_names(names)
    begin, end = int(offsets[0]), int(offsets[-1])
    ends = (offsets - begin if begin else offsets).astype("<i4" if end - begin < 2**31 else "<i8", copy=False)
    return ends, data[begin:end]


def _other_parts(labels: Labels) -> list[Any]:
    """Labels that Arrow cannot hold: large integers, halves of surrogate pairs and mixtures by their repr, others by
    their canonical bytes. Labels without such, as objects that are equal by address, are refused.
    """
    with contextlib.suppress(ValueError):  # integers beyond Python's limit of digits
        if {type(name) for name in labels} <= {str, int}:
            return [repr(list(labels)).encode()]
    return [b"canonical 1", b"".join(map(prefix_length_8, labels_in_bytes(labels)))]
