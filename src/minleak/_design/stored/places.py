"""Places from streams of bits: a stream is a number r in [0, 1), and gives nearby places in plans that are alike.

A secret on rings takes place floor(r u w_x), exactly uniform for every weight and the same share of its line in every
version of a plan. A giant, which is in all sets, takes floor(r s) if that is on a ring; else it goes down a tree of the
homes, left with the share that the left side has of both, by another number at each level: a home whose weight changes
then moves few of those that are not there.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

# Which number is whose: a secret's own, a giant's, and one for each level of the tree from its leaves on.
OWN, GIANT, LEVEL = 0, 1, 2
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


class Streams(Protocol):
    """Numbers r in [0, 1), several for each of the draws asked for, 128 bits at a time."""

    def bits(self, which: Indices, number: int, counter: int) -> Words:
        """Two words for each of the draws `which`: the bits of its number from 128 * counter on."""


def coupled_places(
    streams: Streams, owned: Indices, is_giant: npt.NDArray[np.bool_], ends: Indices, *, by_tree: bool
) -> Indices:
    """A place for each draw from its stream: of so many that its secret has, which may be a giant. `ends` are where the
    homes' phases end, one after the other.
    """
    places = np.zeros(len(owned), dtype=np.int64)
    own, giants = np.flatnonzero(~is_giant & (owned > 1)), np.flatnonzero(is_giant & (owned > 0))
    places[own] = scaled(streams, own, OWN, owned[own])
    if len(giants):
        places[giants] = scaled(streams, giants, GIANT, owned[giants])
        if by_tree and len(ends):
            housed = giants[places[giants] < ends[-1]]
            homes = _descended(streams, housed, ends)
            places[housed] = np.where(homes > 0, ends[homes - 1], 0)
    return places


def _descended(streams: Streams, which: Indices, ends: Indices) -> Indices:
    """A home for each draw, as likely as it is heavy: a leaf of the tree over all homes in their order."""
    sums = np.concatenate([[0], ends])
    last = len(ends)
    home = np.zeros(len(which), dtype=np.int64)
    for level in reversed(range(max(last - 1, 0).bit_length())):
        middle = np.minimum(home + (1 << level), last)
        left, both = sums[middle] - sums[home], sums[np.minimum(home + (2 << level), last)] - sums[home]
        home = np.where(scaled(streams, which, LEVEL + level, both) < left, home, middle)
    return home


def scaled(streams: Streams, which: Indices, number: int, bounds: Indices) -> Indices:
    """floor(r N) for each bound N from 1 to 2^63, exactly: more bits are read where those at hand do not tell."""
    if not len(which):
        return np.empty(0, dtype=np.int64)
    words, bound = streams.bits(which, number, 0), bounds.astype(np.uint64)
    high, low = _product(words[:, 0], bound)
    carry, rest = _product(words[:, 1], bound)
    middle = low + carry
    result = (high + (middle < low)).astype(np.int64)
    # r N lies within N / 2^128 from what is known of it on: is there a whole number strictly between?
    unsure = (middle == np.uint64(2**64 - 1)) & (rest > np.uint64(0) - bound)
    for i in np.flatnonzero(unsure).tolist():
        result[i] = _read_on(streams, which[i : i + 1], number, int(bounds[i]))
    return result


def number_below(streams: Streams, bound: int) -> int:
    """floor(r N) for the first draw's own number and a bound of any size, exactly."""
    return _read_on(streams, np.zeros(1, dtype=np.int64), OWN, bound)


def _read_on(streams: Streams, one: Indices, number: int, bound: int) -> int:
    known, bits, counter = 0, 0, 0
    while True:
        first, second = streams.bits(one, number, counter)[0].tolist()
        known, bits, counter = known << 128 | first << 64 | second, bits + 128, counter + 1
        product = known * bound
        if (product & ((1 << bits) - 1)) + bound <= 1 << bits:
            return int(product >> bits)


def _product(a: Words, b: Words) -> tuple[Words, Words]:
    """The upper and the lower 64 bits of a * b."""
    a1, a0, b1, b0 = a >> _HALF, a & _LOW, b >> _HALF, b & _LOW
    middle = a1 * b0 + (a0 * b0 >> _HALF)
    upper = a0 * b1 + (middle & _LOW)
    return a1 * b1 + (middle >> _HALF) + (upper >> _HALF), a * b
