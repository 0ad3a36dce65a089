"""Streams: the random bits of draws, keyed or fresh, and how bits become a place.

A draw has a random number r in [0, 1), whose bits are read as far as needed, and takes place floor(r N) of N: exactly
uniform for every N. Keyed bits are HMAC-SHA256 of lineage, scope and label. runtimes/spec.md specifies the same
for other languages, with test vectors.
"""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Indices

Words = npt.NDArray[np.uint64]

# The bytes of a block of HMAC-SHA256, and of the padded key that both of its hashes begin with.
_BLOCK, _PADDED = 32, 64
# Up to this many draws are scaled one by one.
_SINGLE = 4
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


class Streams(ABC):
    """A number r in [0, 1) for each of the draws 0, 1, 2, ...; bits are read as far as they are needed."""

    @abstractmethod
    def bits(self, which: Indices, counter: int) -> Words:
        """For each of the draws `which` the bits of its number from 128 * counter on: two words, the upper first."""

    def below(self, bounds: Any) -> Any:
        """floor(r N) of each draw for its bound N; 0 where N is 0. Bounds in an int64 array give an array; a list or
        an array of Python's integers, which may be of any size, gives a list.
        """
        if not isinstance(bounds, np.ndarray) or bounds.dtype == object:
            return [self._scale(i, bound) for i, bound in enumerate(bounds)]
        if len(bounds) <= _SINGLE:  # numpy is faster only from some dozens of draws on
            few = [self._scale(i, bound) if bound > 1 else 0 for i, bound in enumerate(bounds.tolist())]
            return np.array(few, dtype=np.int64)
        places = np.zeros(len(bounds), dtype=np.int64)
        asked = np.flatnonzero(bounds > 1)
        if not len(asked):
            return places
        words, bound = self.bits(asked, 0), bounds[asked].astype(np.uint64)
        high, low = _product(words[:, 0], bound)
        carry, rest = _product(words[:, 1], bound)
        middle = low + carry
        places[asked] = (high + (middle < low)).astype(np.int64)
        # r N is less than N / 2^128 above its known part: is there a whole number strictly between?
        unsure = (middle == np.uint64(2**64 - 1)) & (rest > np.uint64(0) - bound)
        for i in np.flatnonzero(unsure).tolist():
            first = (int(words[i, 0]) << 64) | int(words[i, 1])
            places[asked[i]] = self._scale(int(asked[i]), int(bounds[asked[i]]), first)
        return places

    def _scale(self, which: int, bound: int, first: int | None = None) -> int:
        """floor(r N) by reading on until it is decided, from the `first` 128 bits where these are known."""
        known, bits, counter = self.number(which, 0) if first is None else first, 128, 1
        while True:
            product = known * bound
            if (product & ((1 << bits) - 1)) + bound <= 1 << bits:
                return product >> bits
            known, bits, counter = known << 128 | self.number(which, counter), bits + 128, counter + 1

    def number(self, which: int, counter: int) -> int:
        """The bits of one draw, as a whole number of 128 bits."""
        upper, lower = self.bits(np.array([which]), counter)[0].tolist()
        return int(upper) << 64 | int(lower)


class Keyed(Streams):
    """HMAC-SHA256 of a message for each draw, followed by the number of the block."""

    def __init__(self, keyed: Callable[[bytes], bytes], messages: Sequence[bytes]) -> None:
        self._keyed, self._messages = keyed, messages

    def bits(self, which: Indices, counter: int) -> Words:
        block, half = divmod(counter, 2)
        number, keyed, messages = block.to_bytes(4, "big"), self._keyed, self._messages
        hashed = b"".join([keyed(messages[i] + number) for i in which.tolist()])
        words = np.frombuffer(hashed, dtype=">u8").reshape(-1, _BLOCK // 8)
        return words[:, 2 * half : 2 * half + 2].astype(np.uint64)

    def number(self, which: int, counter: int) -> int:
        block, half = divmod(counter, 2)
        hashed = self._keyed(self._messages[which] + block.to_bytes(4, "big"))
        return int.from_bytes(hashed[16 * half : 16 * half + 16], "big")


class Fresh(Streams):
    """The operating system's randomness. Nothing is kept between calls, so threads and forks share nothing."""

    def bits(self, which: Indices, counter: int) -> Words:
        del counter
        return np.frombuffer(os.urandom(16 * len(which)), dtype=np.uint64).reshape(-1, 2)


class Seeded(Streams):
    """Repeatable randomness for experiments. Whoever knows the seed knows every draw."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def bits(self, which: Indices, counter: int) -> Words:
        del counter
        return self._rng.integers(0, 2**64, size=(len(which), 2), dtype=np.uint64)


class Stream:
    """An endless stream of random bytes, and exact integers from it.

    `block(i)` is the i-th block of bytes.
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
        return np.frombuffer(self.take(8 * count), dtype=">u8").astype(np.uint64)

    def below(self, bound: int, most: int = 0) -> int:
        """An integer uniform in [0, bound), exactly: floor(bound r) of a random r in [0, 1), whose bits are read until
        it is decided. The first read is enough but once in 2^64 times, whatever the bound. If the bound is secret, give
        `most`: as many bits are then read as for the larger of the two.
        """
        bits = 64 * (-(-max(bound, most).bit_length() // 64) + 1)
        fraction = int.from_bytes(self.take(bits // 8), "big")
        while (fraction * bound & (1 << bits) - 1) + bound > 1 << bits:
            fraction, bits = fraction << 64 | int.from_bytes(self.take(8), "big"), bits + 64
        return fraction * bound >> bits

    def among(self, weights: Indices) -> int:
        """A position, with probability in proportion to its integer weight, exactly."""
        running = np.cumsum(weights)
        return int(np.searchsorted(running, self.below(int(running[-1])), side="right"))


def message(*parts: bytes) -> bytes:
    """An unambiguous encoding of the parts: a version byte 1, then each part after its length in four bytes."""
    return b"\x01" + b"".join(map(prefix_length_4, parts))


def prefix_length_4(part: bytes) -> bytes:
    """The part after its length in four bytes, big-endian, as runtimes/spec.md says."""
    return len(part).to_bytes(4, "big") + part


def hmac_sha256(key: bytes) -> Callable[[bytes], bytes]:
    """HMAC-SHA256 under one key (RFC 2104). The padded key is hashed once, which is several times faster than
    `hmac.digest` for many messages.
    """
    padded = key.ljust(_PADDED, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded))
    outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in padded))

    def keyed(text: bytes) -> bytes:
        first, second = inner.copy(), outer.copy()
        first.update(text)
        second.update(first.digest())
        return second.digest()

    return keyed


def _product(a: Words, b: Words) -> tuple[Words, Words]:
    """The upper and the lower 64 bits of a * b."""
    a1, a0, b1, b0 = a >> _HALF, a & _LOW, b >> _HALF, b & _LOW
    middle = a1 * b0 + (a0 * b0 >> _HALF)
    upper = a0 * b1 + (middle & _LOW)
    return a1 * b1 + (middle >> _HALF) + (upper >> _HALF), a * b
