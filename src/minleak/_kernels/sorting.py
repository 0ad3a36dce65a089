"""The order of weights, largest first: one pass over memory, the rest in cache."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np


def sort_descending(weights: Any, positions: Any) -> Any:
    """The weights from the largest down, and the positions in that order, ties kept in order.

    One pass deals them into up to 1025 parts by their leading five bits; each part, which then fits in cache, is radix
    sorted by the bits in which its weights differ. Uses `positions` as work space.
    """
    dealt, places = np.empty_like(weights), np.empty_like(positions)
    _sort_descending(weights.copy(), positions, dealt, places)
    return dealt, places


@nb.njit(cache=True)
def _part(weight):  # type: ignore[no-untyped-def]
    """0 for 0, else from 1 on by the place of the leading bit and the four bits after it: the head of its float."""
    return (np.float64(weight).view(np.int64) >> 48) - 16367 if weight > 0 else np.int64(0)


@nb.njit(cache=True)
def _sort_descending(keys, positions, out, places):  # type: ignore[no-untyped-def]
    ends = np.zeros(1027, np.int64)
    for key in keys:
        ends[1026 - _part(key)] += 1
    for part in range(1026):
        ends[part + 1] += ends[part]
    at = ends[:1026].copy()
    for i in range(keys.shape[0]):
        part = 1025 - _part(keys[i])
        out[at[part]], places[at[part]] = keys[i], positions[i]
        at[part] += 1
    counts = np.empty(257, np.int64)
    for part in range(1026):
        begin, end = ends[part], ends[part + 1]
        if end - begin < 2:
            continue
        if end - begin <= 40:
            _insertion_descending(out, places, begin, end)
            continue
        differing = np.int64(0)
        for i in range(begin, end):
            differing |= out[i] ^ out[begin]
        shift = 0
        while shift < 63 and differing >> shift > 0:
            counts[:] = 0
            for i in range(begin, end):
                counts[256 - ((out[i] >> shift) & 255)] += 1
            for digit in range(256):
                counts[digit + 1] += counts[digit]
            for i in range(begin, end):
                digit = 255 - ((out[i] >> shift) & 255)
                to = begin + counts[digit]
                counts[digit] += 1
                keys[to], positions[to] = out[i], places[i]
            out[begin:end] = keys[begin:end]
            places[begin:end] = positions[begin:end]
            shift += 8


@nb.njit(cache=True)
def _insertion_descending(keys, positions, begin, end):  # type: ignore[no-untyped-def]
    for i in range(begin + 1, end):
        key, position = keys[i], positions[i]
        j = i
        while j > begin and keys[j - 1] < key:
            keys[j], positions[j] = keys[j - 1], positions[j - 1]
            j -= 1
        keys[j], positions[j] = key, position
