"""Randomness without a key: fresh words from the operating system, repeatable ones for experiments, and exact integers
from the words and bytes of any source.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Indices
from minleak._data.simulating import generator

Words = npt.NDArray[np.uint64]


class Source(Protocol):
    """Blocks of random 64-bit words, one for each of the draws asked for; block after block if one is not
    enough.
    """

    def blocks(self, which: Indices, counter: int) -> Words:
        """An array with a row of words for each of the draws numbered `which`."""


class Fresh:
    """Fresh randomness from the operating system. Nothing is kept between calls, so threads and forks share nothing."""

    def blocks(self, which: Indices, counter: int) -> Words:
        del counter
        return np.frombuffer(os.urandom(8 * len(which)), dtype="<u8")[:, None]


class Seeded:
    """Repeatable randomness for experiments. Whoever knows the seed knows every draw."""

    def __init__(self, seed: int) -> None:
        self._rng = generator(seed)

    def blocks(self, which: Indices, counter: int) -> Words:
        del counter
        return self._rng.integers(0, 2**64, size=(len(which), 1), dtype=np.uint64)


class Stream:
    """Random bytes without end, a block after the other, and exact integers from them.

    `block(i)` is the i-th block of 64 bytes.
    """

    def __init__(self, block: Callable[[int], bytes]) -> None:
        self._block, self._next, self._rest = block, 0, b""

    def take(self, size: int) -> bytes:
        """The next bytes."""
        parts, have = [self._rest], len(self._rest)
        while have < size:
            parts.append(self._block(self._next))
            self._next += 1
            have += len(parts[-1])
        data = b"".join(parts)
        self._rest = data[size:]
        return data[:size]

    def words(self, count: int) -> Words:
        """The next 64-bit words."""
        return np.frombuffer(self.take(8 * count), dtype="<u8").astype(np.uint64)

    def below(self, bound: int, most: int = 0) -> int:
        """An integer uniform in [0, bound), exactly: the whole part of bound times a random fraction of one, of which
        so many bits are read as decide it. More than the first are needed once in 2^64 times, whatever the bound. As
        many are read as for the bound `most`, if that is larger: where the bound itself is secret.
        """
        bits = 64 * (-(-max(bound, most).bit_length() // 64) + 1)
        fraction = int.from_bytes(self.take(bits // 8), "little")
        while (fraction * bound & (1 << bits) - 1) + bound > 1 << bits:
            fraction, bits = fraction << 64 | int.from_bytes(self.take(8), "little"), bits + 64
        return fraction * bound >> bits

    def among(self, weights: Indices) -> int:
        """A place in proportion to integer weights, exactly."""
        running = np.cumsum(weights)
        return int(np.searchsorted(running, self.below(int(running[-1])), side="right"))


def uniform(source: Source, bounds: Indices) -> Indices:
    """For each bound N an integer uniform in [0, N), exactly: words are cut to the bits of N-1 and rejected from N on.

    A word is accepted with probability above 1/2. A bound of 0 or 1 gives 0.
    """
    last = np.maximum(bounds - 1, 0).astype(np.uint64)
    mask = last.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        mask |= mask >> np.uint64(shift)
    result = np.empty(len(bounds), dtype=np.int64)
    waiting = np.arange(len(bounds), dtype=np.int64)
    counter = 0
    while len(waiting):
        block = source.blocks(waiting, counter)
        for word in range(block.shape[1]):
            value = block[:, word] & mask[waiting]
            good = value <= last[waiting]
            result[waiting[good]] = value[good].astype(np.int64)
            if good.all():
                return result
            waiting, block = waiting[~good], block[~good]
        counter += 1
    return result
