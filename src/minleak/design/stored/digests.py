"""The digest of a plan, for everything that a draw depends on: SHA-256 of the SHA-256 digests of chunks, so that large
plans are hashed on two threads.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from minleak.buffers import text_of, to_numpy
from minleak.design.stored.index import as_storable
from minleak.labels import Labels

if TYPE_CHECKING:
    from minleak.design.plan import Plan

_CHUNK = 1 << 23


def of_plan(plan: Plan) -> bytes:
    """32 bytes that stand for everything a draw depends on: labels, weights, k, giants, homes, rings
    and who is kept apart."""
    index = "<i4" if len(plan.weights) < 2**31 else "<i8"
    rings = [np.array([ring.length, ring.u, len(ring.starts)]) for ring in plan.rings]
    parts: list[Any] = [*_label_parts(plan.prior.labels)]
    parts += [np.array([plan.k, plan.u, plan.tail, plan.total]), plan.weights, plan.giants, plan.homes.weights]
    parts += [plan.homes.members.astype(index, copy=False), *rings]
    for ring in plan.rings:
        parts += [ring.starts, np.asarray(ring.members).astype(index, copy=False)]
    if plan.apart is not None:
        parts += [b"apart", plan.apart]
    whole = hashlib.sha256(b"minleak plan 2")
    for part in parts:
        data = np.ascontiguousarray(part).reshape(-1).view(np.uint8).data if isinstance(part, np.ndarray) else part
        whole.update(of_bytes(memoryview(data)))
    return whole.digest()


def _label_parts(labels: Labels) -> list[Any]:
    """The labels' own bytes, whatever offset or width their Arrow array has."""
    if labels.is_default:
        return [b"default"]
    names = as_storable(labels)
    if names is None:
        return [repr(list(labels)).encode()]
    if names.type == pa.int64():
        return [b"int64", to_numpy(names)]
    offsets, data = text_of(names)
    begin, end = int(offsets[0]), int(offsets[-1])
    ends = (offsets - begin if begin else offsets).astype("<i4" if end - begin < 2**31 else "<i8", copy=False)
    return [b"text", ends, data[begin:end]]


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
