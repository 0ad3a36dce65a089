"""The order of weights, largest first: one pass over memory, the rest in cache."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np

from minleak.core._compiling import kernel

# Parts of weights, and how many of them, from the largest down, may hold more than one weight: not those below 32.
_PARTS, _SINGLE = 1026, 945
# With fewer weights than this a thread takes longer to start than it saves. Threads are Python's: numba's own abort a
# process that uses them after a fork.
_MANY = 50_000


def sort_descending(weights: Any, kind: Any) -> Any:
    """The weights from the largest down, and their positions (integers of that kind), ties in order.

    One pass deals them into up to 1026 parts by their leading five bits; each part, which then fits in cache, is radix
    sorted by the bits in which its weights differ. Two threads deal a half of the weights each, and then sort parts.
    """
    n = len(weights)
    out, places = np.empty_like(weights), np.empty(n, kind)
    counts, middle = np.zeros((2, _PARTS), np.int64), n // 2
    halves = weights[:middle], weights[middle:]
    with ThreadPoolExecutor(2) as pool:
        both = pool.map if n >= _MANY else map
        list(both(_count_parts, halves, counts))
        ends = np.cumsum(counts.sum(axis=0))
        begins = ends - counts.sum(axis=0)
        at = np.stack([begins, begins + counts[0]])  # in each part those of the first half come first
        list(both(_deal, halves, (0, middle), at, repeat(out), repeat(places)))
        begins, ends = begins[:_SINGLE], ends[:_SINGLE]
        split = int(np.searchsorted(ends, ends[-1] // 2, side="right"))
        parts = (begins[:split], begins[split:]), (ends[:split], ends[split:])
        work = out, places, np.empty(ends[-1], weights.dtype), np.empty(ends[-1], kind)
        list(both(_sort_parts, *parts, *map(repeat, work)))
    return out, places


@kernel()
def _part(weight):  # type: ignore[no-untyped-def]
    """The part of a weight, from the largest down, by the place of its leading bit and the four bits after it, which
    are the head of its float; the last is for 0.
    """
    return 17392 - (np.float64(weight).view(np.int64) >> 48) if weight > 0 else np.int64(_PARTS - 1)


@kernel(nogil=True)
def _count_parts(weights, counts):  # type: ignore[no-untyped-def]
    for weight in weights:
        counts[_part(weight)] += 1


@kernel(nogil=True)
def _deal(weights, begin, at, out, places):  # type: ignore[no-untyped-def]
    """Weights and their positions, of which `begin` is the first, part after part."""
    for i in range(weights.shape[0]):
        part = _part(weights[i])
        out[at[part]], places[at[part]] = weights[i], begin + i
        at[part] += 1


@kernel(nogil=True)
def _sort_parts(begins, ends, out, places, keys, positions):  # type: ignore[no-untyped-def]
    """Sort each part in its place; `keys` and `positions` are work space."""
    counts = np.empty(257, np.int64)
    for part in range(begins.shape[0]):
        begin, end = begins[part], ends[part]
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


@kernel()
def _insertion_descending(keys, positions, begin, end):  # type: ignore[no-untyped-def]
    for i in range(begin + 1, end):
        key, position = keys[i], positions[i]
        j = i
        while j > begin and keys[j - 1] < key:
            keys[j], positions[j] = keys[j - 1], positions[j - 1]
            j -= 1
        keys[j], positions[j] = key, position
