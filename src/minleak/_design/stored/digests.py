"""The digest of a plan, for everything that a draw depends on: SHA-256 of the SHA-256 digests of chunks, so that large
plans are hashed on two threads.
"""

from __future__ import annotations

import contextlib
import hashlib
import struct
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from minleak._data.buffers import text_of, to_numpy
from minleak._data.labels import Labels
from minleak._design.rings import Arrangement
from minleak._design.stored.tables import as_storable
from minleak.errors import InvalidParameter

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
        parts += [ring.starts, np.asarray(ring.members).astype(index, copy=False)]
    if plan.apart is not None:
        parts += [b"apart", plan.apart]
    if plan.descent is not None and plan.descent.ancestors:
        parts += [b"descent", plan.descent.name, b"".join(plan.descent.ancestors)]
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
    names = as_storable(labels)
    if names is None:
        return _odd_parts(labels)
    if names.type == pa.int64():
        return [b"int64", to_numpy(names)]
    offsets, data = text_of(names)
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
    return [b"canonical 1", b"".join(map(_prefixed, labels_in_bytes(labels)))]


def labels_in_bytes(labels: Iterable[Any]) -> list[bytes]:
    """Each label in bytes that no other label has, the same in every process."""
    parts = []
    for i, name in enumerate(labels):
        try:
            parts.append(_canonical(name))
        except (TypeError, RecursionError):
            raise InvalidParameter(
                f"label {i} ({type(name).__name__}) has no form that outlasts this process, and other sets would be "
                "drawn after a restart: sticky draws and set ids need labels that are text, numbers, bytes, truth "
                "values, None, dates without a zone, or tuples and frozensets of these"
            ) from None
    return parts


def _canonical(label: Any) -> bytes:
    """The type and the value in bytes that no other label has: 1, True, 1.0, "1" and b"1" all differ."""
    if isinstance(label, np.generic) and label.dtype.kind in "biufSU":
        label = label.item()
    kind = type(label)
    if kind not in _FORMS or label != label or getattr(label, "tzinfo", None) is not None:
        raise TypeError
    return _prefixed(kind.__name__.encode()) + _FORMS[kind](label)


def _joined(labels: Iterable[Any]) -> bytes:
    return b"".join(_prefixed(_canonical(label)) for label in labels)


_FORMS: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda _: b"",
    bool: lambda truth: bytes([truth]),
    int: lambda number: number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True),
    float: struct.Struct("<d").pack,
    str: lambda text: text.encode("utf-8", "surrogatepass"),
    bytes: bytes,
    Fraction: lambda ratio: _joined([ratio.numerator, ratio.denominator]),
    date: lambda day: day.isoformat().encode(),
    datetime: lambda time: time.isoformat().encode(),
    tuple: _joined,
    frozenset: lambda members: b"".join(sorted(_prefixed(_canonical(member)) for member in members)),
}


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


def _prefixed(part: bytes) -> bytes:
    """The part with its length in eight bytes before it, so that no two lists of parts look the same."""
    return len(part).to_bytes(8, "little") + part
