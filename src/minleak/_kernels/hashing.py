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


@nb.njit(cache=True)
def any_equal(hashes):  # type: ignore[no-untyped-def]
    """True if two of the hashes agree in their upper 63 bits.

    Hashes are first dealt into 1024 parts by their upper bits, so that the table of each part stays in cache.
    """
    parts, shift = 1024, _u64(54)
    ends = np.zeros(parts + 1, np.int64)
    for h in hashes:
        ends[(h >> shift) + _u64(1)] += 1
    for part in range(parts):
        ends[part + 1] += ends[part]
    place = ends[:parts].copy()
    dealt = np.empty_like(hashes)
    for h in hashes:
        part = h >> shift
        dealt[place[part]] = h
        place[part] += 1
    for part in range(parts):
        size = 16
        while size < 2 * (ends[part + 1] - ends[part]):
            size *= 2
        table = np.zeros(size, np.uint64)
        mask = _u64(size - 1)
        for i in range(ends[part], ends[part + 1]):
            key = dealt[i] | _u64(1)  # zero marks a free slot
            slot = (key >> _u64(1)) & mask
            while table[slot] != _u64(0):
                if table[slot] == key:
                    return True
                slot = (slot + _u64(1)) & mask
            table[slot] = key
    return False


@nb.njit(cache=True)
def fill_slots(offsets, data, slots):  # type: ignore[no-untyped-def]
    """Put the positions of the strings into an open-addressing table whose size is a power of two; -1 is a free slot.

    Positions are first dealt into up to 1024 parts of the table, so that filling it stays in cache. Hashed here in one
    thread on the way.
    """
    hashes = np.empty(offsets.shape[0] - 1, np.uint64)
    for i in range(hashes.shape[0]):
        hashes[i] = _hash_string(data, offsets[i], offsets[i + 1])
    size = slots.shape[0]
    mask = _u64(size - 1)
    shift = _u64(0)
    while size >> np.int64(shift) > 1024:
        shift += _u64(1)
    ends = np.zeros(1025, np.int64)
    for h in hashes:
        ends[((h & mask) >> shift) + _u64(1)] += 1
    for part in range(1024):
        ends[part + 1] += ends[part]
    dealt = np.empty(hashes.shape[0], slots.dtype)
    for position in range(hashes.shape[0]):
        part = (hashes[position] & mask) >> shift
        dealt[ends[part]] = position
        ends[part] += 1
    for position in dealt:
        at = hashes[position] & mask
        while slots[at] >= 0:
            at = (at + _u64(1)) & mask
        slots[at] = position
    return slots
