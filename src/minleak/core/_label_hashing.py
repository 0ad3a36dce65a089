"""Loops over labels: their hashes, whether two agree, and the slots of the index."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np

from minleak.core._compiling import kernel

_u64 = np.uint64
# With fewer labels than this a thread takes longer to start than it saves. Threads are Python's: numba's own abort a
# process that uses them after a fork.
_MANY = 50_000
# So many strings are looked up together.
_TOGETHER = 32


@kernel(inline="always")
def _hash_string(data, begin, end):  # type: ignore[no-untyped-def]
    """FNV-1a with a final mix."""
    h = _u64(14695981039346656037)
    for j in range(begin, end):
        h = (h ^ _u64(data[j])) * _u64(1099511628211)
    h ^= h >> _u64(33)
    h *= _u64(0xFF51AFD7ED558CCD)
    return h ^ (h >> _u64(33))


def fill_slots(offsets: Any, data: Any) -> tuple[Any, bool]:
    """The positions of the strings data[offsets[i]:offsets[i+1]] in an open-addressing table, and whether two are the
    same, in which case the table is not filled.

    The table's size is a power of two, at least one and a half times the number of strings; -1 is a free slot. Hashes
    and positions are first dealt into up to 1024 parts of the table, so that filling it stays in cache. All is done by
    two threads: they hash and deal a half of the strings each, and then fill a half of the table each.
    """
    n = len(offsets) - 1
    bits = max(4, (3 * n // 2).bit_length())
    size, shift, middle = 1 << bits, max(0, bits - 10), n // 2
    slots, tags = np.full(size, -1, dtype=np.int32 if n < 2**31 else np.int64), np.empty(size, np.uint8)
    hashes, dealt, places = np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(n, slots.dtype)
    counts = np.zeros((2, 1 << (bits - shift)), np.int64)
    by_part, texts = (repeat(size), repeat(shift)), (repeat(offsets), repeat(data), repeat(hashes))
    halves = (offsets[: middle + 1], offsets[middle:]), (hashes[:middle], hashes[middle:])
    with ThreadPoolExecutor(2) as pool:
        both = pool.map if n >= _MANY else map
        list(both(_hash_strings, halves[0], repeat(data), halves[1], *by_part, counts))
        begin = np.cumsum(counts.sum(axis=0)) - counts.sum(axis=0)
        at = np.stack([begin, begin + counts[0]])  # in each part those of the first half of the strings come first
        list(both(_deal, halves[1], (0, middle), *by_part, at, repeat(dealt), repeat(places)))
        split = int(begin[len(begin) // 2])
        low, high = (dealt[:split], places[:split]), (dealt[split:], places[split:])
        ends = (size // 2, size)
        left = list(both(_insert, *texts, *zip(low, high, strict=True), repeat(tags), repeat(slots), ends))
    twice = bool(left[0][1] or left[1][1])
    for (rest, where), (count, _) in zip((low, high), left, strict=True):  # which may go on from there or wrap around
        twice |= bool(_insert(offsets, data, hashes, rest[:count], where[:count], tags, slots, -1)[1])
    return slots, twice


@kernel(nogil=True)
def _hash_strings(offsets, data, out, size, shift, counts):  # type: ignore[no-untyped-def]
    """The hashes of strings, and how many there are for each part of the table."""
    mask = _u64(size - 1)
    for i in range(out.shape[0]):
        h = _hash_string(data, offsets[i], offsets[i + 1])
        out[i] = h
        counts[(h & mask) >> _u64(shift)] += 1


@kernel(nogil=True)
def _deal(hashes, begin, size, shift, at, dealt, places):  # type: ignore[no-untyped-def]
    """Hashes and positions, of which `begin` is the first, part after part."""
    mask = _u64(size - 1)
    for i in range(hashes.shape[0]):
        part = (hashes[i] & mask) >> _u64(shift)
        dealt[at[part]], places[at[part]] = hashes[i], begin + i
        at[part] += 1


@kernel(nogil=True)
def _insert(offsets, data, hashes, dealt, places, tags, slots, stop):  # type: ignore[no-untyped-def]
    """Put positions into the first free slot from that of their hash on, before slot `stop` (-1: anywhere). Returns how
    many found none, which are then the first, and whether two strings are the same: they meet, since both are looked
    for from the same slot on. It ends there; a string that stands often would pass all those before it. Of the hashes
    in the table the upper bytes are at hand.
    """
    size = slots.shape[0]
    left = 0
    for i in range(dealt.shape[0]):
        h, place = dealt[i], places[i]
        tag = np.uint8(h >> _u64(56))
        at = np.int64(h & _u64(size - 1))
        while at != stop and slots[at] >= 0:
            if tags[at] == tag and hashes[slots[at]] == h and _is_same(offsets, data, place, slots[at]):
                return left, True
            at += 1
            if at == size and stop < 0:
                at = np.int64(0)
        if at == stop:
            dealt[left], places[left] = h, place
            left += 1
        else:
            slots[at], tags[at] = place, tag
    return left, False


@kernel()
def _is_same(offsets, data, i, j):  # type: ignore[no-untyped-def]
    one, other = data[offsets[i] : offsets[i + 1]], data[offsets[j] : offsets[j + 1]]
    return one.size == other.size and (one == other).all()


def find_strings(offsets: Any, data: Any, known: tuple[Any, Any], slots: Any) -> Any:
    """Where each string data[offsets[i]:offsets[i+1]] stands among the `known` ones (offsets and bytes), whose table of
    slots is given; -1 where it does not. On two threads.

    The one after the last that was found is tried first, so that strings in about the same order need no look-up;
    others are looked up some at a time, so that the memory is asked for all of them at once.
    """
    n = len(offsets) - 1
    found, middle = np.empty(n, slots.dtype), n // 2
    halves = (offsets[: middle + 1], offsets[middle:]), (found[:middle], found[middle:])
    with ThreadPoolExecutor(2) as pool:
        both = pool.map if n >= _MANY else map
        list(both(_find_strings, halves[0], repeat(data), *map(repeat, known), repeat(slots), halves[1]))
    return found


@kernel(nogil=True)
def _find_strings(offsets, data, known_offsets, known_data, slots, found):  # type: ignore[no-untyped-def]
    at, begins, touched = np.empty(_TOGETHER, np.int64), np.empty(_TOGETHER, np.int64), np.empty(_TOGETHER, np.uint8)
    i, following, n, size = 0, np.int64(0), found.shape[0], slots.shape[0]
    while i < n:
        begin = i
        while (
            i < n
            and following < known_offsets.shape[0] - 1
            and _stands(data, offsets[i], offsets[i + 1], known_offsets, known_data, following)
        ):
            found[i] = following
            i, following = i + 1, following + 1
        count = min(_TOGETHER if i == begin else 1, n - i)
        for j in range(count):
            at[j] = np.int64(_hash_string(data, offsets[i + j], offsets[i + j + 1]) & _u64(size - 1))
        for j in range(count):
            found[i + j] = slots[at[j]]
        for j in range(count):
            begins[j] = known_offsets[max(found[i + j], 0)]
        for j in range(count):  # asked for here, so that all are under way before the first is compared
            touched[j] = known_data[begins[j]]
        for j in range(count):
            first, last = offsets[i + j], offsets[i + j + 1]
            while found[i + j] >= 0 and not _stands(data, first, last, known_offsets, known_data, found[i + j]):
                at[j] = at[j] + 1 if at[j] + 1 < size else np.int64(0)
                found[i + j] = slots[at[j]]
        i += count
        if found[i - 1] >= 0:
            following = np.int64(found[i - 1]) + 1


@kernel(inline="always")
def _stands(data, begin, end, known_offsets, known_data, place):  # type: ignore[no-untyped-def]
    """Whether the bytes are those of a known string."""
    start = known_offsets[place]
    if known_offsets[place + 1] - start != end - begin:
        return False
    for j in range(end - begin):  # noqa: SIM110  numba has no all()
        if data[begin + j] != known_data[start + j]:
            return False
    return True
