"""Loops over labels: their hashes, whether two agree, and the slots of the index."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba as nb
import numpy as np

_u64 = np.uint64


@nb.njit(cache=True, inline="always")
def _hash_string(data, begin, end):  # type: ignore[no-untyped-def]
    """FNV-1a with a final mix."""
    h = _u64(14695981039346656037)
    for j in range(begin, end):
        h = (h ^ _u64(data[j])) * _u64(1099511628211)
    h ^= h >> _u64(33)
    h *= _u64(0xFF51AFD7ED558CCD)
    return h ^ (h >> _u64(33))


def hash_strings(offsets: Any, data: Any) -> Any:
    """64-bit hashes of the strings data[offsets[i]:offsets[i+1]], on two threads.

    Ordinary threads, made for this call: numba's own abort a process that uses them after a fork.
    """
    out = np.empty(len(offsets) - 1, np.uint64)
    middle = len(out) // 2
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(_hash_strings, offsets[: middle + 1], data, out[:middle])
        _hash_strings(offsets[middle:], data, out[middle:])
        first.result()
    return out


@nb.njit(cache=True, nogil=True)
def _hash_strings(offsets, data, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        out[i] = _hash_string(data, offsets[i], offsets[i + 1])


def fill_slots(offsets: Any, data: Any) -> tuple[Any, bool]:
    """The positions of the strings in an open-addressing table, and whether two have the same hash.

    The table's size is a power of two, at least one and a half times the number of strings; -1 is a free slot.
    """
    n = len(offsets) - 1
    hashes = hash_strings(offsets, data)
    slots = np.full(1 << max(4, (3 * n // 2).bit_length()), -1, dtype=np.int32 if n < 2**31 else np.int64)
    dealt, places = np.empty_like(hashes), np.empty(n, slots.dtype)
    return slots, bool(_fill_slots(hashes, dealt, places, np.empty(len(slots), np.uint32), slots))


@nb.njit(cache=True, nogil=True)
def _fill_slots(hashes, dealt, places, tags, slots):  # type: ignore[no-untyped-def]
    """Hashes and positions are first dealt into up to 1024 parts of the table, so that filling it stays in cache. Equal
    hashes meet, since both are looked for from the same slot on; of the hashes in the table the upper halves are kept.
    """
    size = slots.shape[0]
    mask, upper = _u64(size - 1), _u64(32)
    shift = _u64(0)
    while size >> np.int64(shift) > 1024:
        shift += _u64(1)
    ends = np.zeros(1025, np.int64)
    for h in hashes:
        ends[((h & mask) >> shift) + _u64(1)] += 1
    for part in range(1024):
        ends[part + 1] += ends[part]
    for position in range(hashes.shape[0]):
        part = (hashes[position] & mask) >> shift
        dealt[ends[part]] = hashes[position]
        places[ends[part]] = position
        ends[part] += 1
    twice = False
    for i in range(hashes.shape[0]):
        h = dealt[i]
        tag = np.uint32(h >> upper)
        at = h & mask
        while slots[at] >= 0:
            if tags[at] == tag and hashes[slots[at]] == h:
                twice = True
            at = (at + _u64(1)) & mask
        slots[at] = places[i]
        tags[at] = tag
    return twice
