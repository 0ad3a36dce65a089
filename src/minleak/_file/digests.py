"""The digest of a plan, for everything that a draw depends on: SHA-256 of the SHA-256 digests of chunks, so that large
plans are hashed on two threads.
"""

from __future__ import annotations

import contextlib
import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa

from minleak._data.label_bytes import labels_in_bytes, prefixed
from minleak._data.labels import Labels, bytes_of_names
from minleak._plan.rings import Arrangement

_CHUNK = 1 << 23


def of_plan(plan: Arrangement) -> bytes:
    """32 bytes that stand for everything a draw depends on: labels, weights, k, giants, homes, rings
    and who is kept apart."""
    index = "<i4" if len(plan.weights) < 2**31 else "<i8"
    rings = [np.array([ring.length, ring.u, len(ring.starts)]) for ring in plan.rings]
    parts: list[Any] = [*label_parts(plan.prior.labels)]
    parts += [np.array([plan.k, plan.u, plan.tail, plan.total]), plan.weights, plan.giants, plan.homes.weights]
    parts += [plan.homes.members.astype(index, copy=False), *rings]
    for ring in plan.rings:
        parts += [ring.starts, ring.listed().astype(index, copy=False)]
    if plan.apart is not None:
        parts += [b"apart", plan.apart]
    if plan.known_as is not None:
        parts += [b"known as", plan.known_as]
    return of_parts(b"minleak plan 2", parts)


def of_parts(title: bytes, parts: list[Any]) -> bytes:
    """The digest of bytes and arrays one after the other, under a title that says what they are."""
    whole = hashlib.sha256(title)
    for part in parts:
        data = np.ascontiguousarray(part).reshape(-1).view(np.uint8).data if isinstance(part, np.ndarray) else part
        whole.update(of_bytes(memoryview(data)))
    return whole.digest()


def label_parts(labels: Labels) -> list[Any]:
    """The labels' own bytes, whatever offset or width their Arrow array has."""
    if labels.is_default:
        return [b"default"]
    names = labels.storable()
    if names is None:
        return _odd_parts(labels)
    offsets, data = bytes_of_names(names)
    if names.type == pa.int64():
        return [b"int64", data]
    begin, end = int(offsets[0]), int(offsets[-1])
    ends = (offsets - begin if begin else offsets).astype("<i4" if end - begin < 2**31 else "<i8", copy=False)
    return [b"text", ends, data[begin:end]]


def _odd_parts(labels: Labels) -> list[Any]:
    """Labels that Arrow does not hold: large integers, halves of surrogate pairs and mixtures as Python writes them,
    and others in a form that is the same in every process. What has none, such as an object known by its address, is
    refused.
    """
    with contextlib.suppress(ValueError):  # integers of thousands of digits, which Python does not write
        if {type(name) for name in labels} <= {str, int}:
            return [repr(list(labels)).encode()]
    return [b"canonical 1", b"".join(map(prefixed, labels_in_bytes(labels)))]


def of_bytes(data: memoryview) -> bytes:
    """The digest of what is in memory."""

    def digest(at: int) -> bytes:
        return hashlib.sha256(data[at : at + _CHUNK]).digest()

    starts = range(0, len(data), _CHUNK)
    if len(starts) < 2:
        parts = [digest(at) for at in starts]
    else:
        with ThreadPoolExecutor(2) as pool:
            parts = list(pool.map(digest, starts))
    return hashlib.sha256(len(data).to_bytes(8, "little") + b"".join(parts)).digest()
