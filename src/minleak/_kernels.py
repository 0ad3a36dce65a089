"""The few loops that numpy cannot express, compiled by numba on first use and cached on disk."""

from __future__ import annotations

import numba as nb
import numpy as np

_u64 = np.uint64


@nb.njit(parallel=True, cache=True)
def hash_strings(offsets, data):  # type: ignore[no-untyped-def]
    """64-bit hashes of the strings data[offsets[i]:offsets[i+1]] (FNV-1a with a final mix)."""
    n = offsets.shape[0] - 1
    out = np.empty(n, np.uint64)
    for i in nb.prange(n):
        h = _u64(14695981039346656037)
        for j in range(offsets[i], offsets[i + 1]):
            h = (h ^ _u64(data[j])) * _u64(1099511628211)
        h ^= h >> _u64(33)
        h *= _u64(0xFF51AFD7ED558CCD)
        h ^= h >> _u64(33)
        out[i] = h
    return out


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
