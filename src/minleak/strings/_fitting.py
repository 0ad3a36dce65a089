"""Fitting an n-gram model: from strings to whole frequencies of the next character after each context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.errors import InvalidParameter

#: The frequencies after one context add up to this.
T = 1 << 16
# Counts beyond so many in all are scaled down, so that products stay within 64 bits.
_EVENTS = 1 << 29
# Entries of the tables of all contexts: 2 bytes each in the file.
_ENTRIES = 2 * 10**8
_ROWS = 1 << 14

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Level:
    """The contexts of one length, by key, and where each symbol's share begins after each."""

    keys: Counts
    begins: npt.NDArray[np.uint16]


def fit_levels(
    symbols: Counts,
    lengths: Counts,
    weights: Counts | None,
    *,
    order: int,
    size: int,
    longest: int,
    states: tuple[Counts, Counts] | None = None,
    n_states: int = 1,
) -> list[Level]:
    """Levels for contexts of 0, ..., order - 1 symbols, and one more for order - 1 symbols together with a state of
    the string so far, if `states` says which it is before each symbol and at each end.

    `symbols` are those of all strings end to end, numbered from 1; 0 is the end of a string after it, and before its
    begin in a context. After a context of C events and t different followers a symbol seen c times has a share of
    (c + t q)/(C + t), q being its share after the context without its first symbol (Witten and Bell's back-off), and
    at least one unit.
    """
    if order > 62 or n_states * size**order >= 2**62:
        raise InvalidParameter(f"{order} characters of an alphabet of {size - 2:,} are too many: lower the order")
    contexts, following, counts = _count_contexts(
        symbols, lengths, weights, states, order=order, size=size, longest=longest
    )
    levels: list[Level] = []
    for length in range(order + (states is not None)):
        keys, row = np.unique(contexts % size**length if length < order else contexts, return_inverse=True)
        if len(keys) * size > _ENTRIES:
            raise InvalidParameter(
                f"{len(keys):,} contexts of {length} characters with {size:,} symbols each are too many: lower the "
                "order or give a smaller alphabet"
            )
        begins = np.empty((len(keys), size), dtype=np.uint16)
        cells, place = np.unique(row * size + following, return_inverse=True)
        seen = np.bincount(place, weights=counts).astype(np.int64)
        for first in range(0, len(keys), _ROWS):
            block = np.zeros((min(_ROWS, len(keys) - first), size), dtype=np.int64)
            inside = slice(*np.searchsorted(cells, [first * size, (first + len(block)) * size]))
            block.flat[cells[inside] - first * size] = seen[inside]
            begins[first : first + len(block)] = _share_begins(
                block, _shorter(levels, keys[first : first + len(block)], size)
            )
        levels.append(Level(keys, begins))
    return levels


def _count_contexts(
    symbols: Counts,
    lengths: Counts,
    weights: Counts | None,
    states: tuple[Counts, Counts] | None,
    *,
    order: int,
    size: int,
    longest: int,
) -> tuple[Counts, Counts, Counts]:
    """Different pairs of a context of order - 1 symbols and what followed, and how often. The last symbol of a context
    is the lowest digit of its key, the state before all digits.
    """
    room = lengths + order  # order - 1 blanks before each string, its end after it
    starts = np.cumsum(room) - room + order - 1
    line = np.zeros(int(room.sum()), dtype=np.int64)
    text = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(len(symbols))
    line[text] = symbols
    ends = lengths < longest  # the end of a string of full length needs no saying
    targets = np.concatenate([text, (starts + lengths)[ends]])
    keys = np.zeros(len(targets), dtype=np.int64)
    for back in range(1, order):
        keys += line[targets - back] * size ** (back - 1)
    if states is not None:
        keys += np.concatenate([states[0], states[1][ends]]) * size ** (order - 1)
    pairs = keys * size + line[targets]
    if weights is None:
        pairs, counts = np.unique(pairs, return_counts=True)
    else:
        pairs, place = np.unique(pairs, return_inverse=True)
        counts = np.bincount(place, weights=np.concatenate([np.repeat(weights, lengths), weights[ends]]).astype(float))
    scale = max(1, -(-int(counts.sum()) // _EVENTS))
    return pairs // size, pairs % size, np.maximum(counts.astype(np.int64) // scale, 1)


def _shorter(levels: list[Level], keys: Counts, size: int) -> Counts:
    """The shares of each symbol after the contexts without their first symbol; equal ones before there are any."""
    if not levels:
        return np.full((len(keys), size), T // size, dtype=np.int64)
    last = levels[-1]
    begins = last.begins[np.searchsorted(last.keys, keys % size ** (len(levels) - 1))].astype(np.int64)
    return np.asarray(np.diff(begins, axis=1, append=T))


def _share_begins(seen: Counts, shorter: Counts) -> npt.NDArray[np.uint16]:
    size = seen.shape[1]
    kinds, events = (seen > 0).sum(axis=1, keepdims=True), seen.sum(axis=1, keepdims=True)
    found = 1 + (seen * T + kinds * shorter) * (T - size) // ((events + kinds) * T)
    found[np.arange(len(found)), found.argmax(axis=1)] += T - found.sum(axis=1)
    begins: npt.NDArray[np.uint16] = (np.cumsum(found, axis=1) - found).astype(np.uint16)
    return begins


def encode(strings: Sequence[str], alphabet: Sequence[str]) -> tuple[Counts, Counts, Any]:
    """The symbols of all strings end to end, how many each has, and the code points of the characters."""
    codes = np.frombuffer("".join(strings).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)
    known = np.array(sorted(map(ord, alphabet)), dtype=np.int64)
    place = np.searchsorted(known, codes)
    inside = known[np.minimum(place, len(known) - 1)] == codes
    return np.where(inside, place + 1, len(known) + 1), np.array([len(s) for s in strings], dtype=np.int64), codes
