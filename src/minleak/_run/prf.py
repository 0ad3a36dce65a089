"""Where the randomness of a draw comes from: the operating system, or a keyed function of who asks for what."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from minleak._design.stored.digests import labels_in_bytes
from minleak._run.keys import Key
from minleak.errors import InvalidParameter

Words = npt.NDArray[np.uint64]

# 64-bit words in one block of the keyed function for a plan, and for a lineage: two each of so many numbers.
_WORDS = 4
_NUMBERS = 4


class Source(Protocol):
    """Blocks of random 64-bit words, one for each of the draws asked for; block after block if one is not
    enough.
    """

    def blocks(self, which: npt.NDArray[np.int64], counter: int) -> Words:
        """An array with a row of words for each of the draws numbered `which`."""


class Fresh:
    """Fresh randomness from the operating system. Nothing is kept between calls, so threads and forks share nothing."""

    def blocks(self, which: npt.NDArray[np.int64], counter: int) -> Words:
        del counter
        return np.frombuffer(os.urandom(8 * len(which)), dtype="<u8")[:, None]


class Seeded:
    """Repeatable randomness for experiments. Whoever knows the seed knows every draw."""

    def __init__(self, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise InvalidParameter("a seed is a whole number, 0 or above")
        self._rng = np.random.default_rng(seed)

    def blocks(self, which: npt.NDArray[np.int64], counter: int) -> Words:
        del counter
        return self._rng.integers(0, 2**64, size=(len(which), 1), dtype=np.uint64)


class Lineal:
    """Keyed BLAKE2b of a lineage, the key's id, a scope and a secret's label, each with its length before it: streams
    of bits that all versions of a plan share.

    The state after what all draws share is kept, and copied for each draw.
    """

    def __init__(self, key: Key, lineage: bytes) -> None:
        self._start = hashlib.blake2b(key=key.reveal(), digest_size=16 * _NUMBERS, person=b"minleak-draw-2")
        self._start.update(prefixed(lineage) + prefixed(key.id.encode()))

    def asked(self, scopes: Iterable[Any], labels: Sequence[Any]) -> _Streams:
        """The streams for draws of the secrets with these labels, each in its scope."""
        heads = _scope_bytes(scopes, len(labels))
        tails = labels_in_bytes(labels)
        return _Streams(self._start, [head + prefixed(tail) for head, tail in zip(heads, tails, strict=True)])


class _Streams:
    def __init__(self, start: Any, messages: list[bytes]) -> None:
        self._start, self._messages = start, messages
        self._last: tuple[Any, int, int, Words] | None = None

    def bits(self, which: npt.NDArray[np.int64], number: int, counter: int) -> Words:
        """Two words of a number for each draw. Numbers come four to a block, and the last one is kept for the next."""
        block, at = divmod(number, _NUMBERS)
        last = self._last
        if last is None or last[0] is not which or last[1:3] != (block, counter):
            suffix = block.to_bytes(8, "little") + counter.to_bytes(8, "little")
            words = _hashed(self._start, self._messages, which, suffix)
            self._last = last = (which, block, counter, words)
        return last[3][:, 2 * at : 2 * at + 2]


class Sticky:
    """Keyed BLAKE2b of the plan's digest, the key's id, a scope and a secret's position, each with its length before
    it: how plans in files of versions 2 and 3 are drawn from.

    The state after what all draws share is kept, and copied for each draw.
    """

    def __init__(self, key: Key, plan_digest: bytes) -> None:
        self._start = hashlib.blake2b(key=key.reveal(), digest_size=8 * _WORDS, person=b"minleak-draw-1")
        self._start.update(prefixed(plan_digest) + prefixed(key.id.encode()))

    def asked(self, scopes: Iterable[Any], secrets: npt.NDArray[np.int64]) -> _Asked:
        """The source for draws of these secrets, each in its scope."""
        tails = secrets.astype("<i8").tobytes()
        eight = (8).to_bytes(8, "little")
        heads = _scope_bytes(scopes, len(secrets))
        return _Asked(self._start, [head + eight + tails[8 * i : 8 * i + 8] for i, head in enumerate(heads)])


class _Asked:
    def __init__(self, start: Any, messages: list[bytes]) -> None:
        self._start, self._messages = start, messages

    def blocks(self, which: npt.NDArray[np.int64], counter: int) -> Words:
        return _hashed(self._start, self._messages, which, counter.to_bytes(8, "little"))


def _hashed(start: Any, messages: list[bytes], which: npt.NDArray[np.int64], suffix: bytes) -> Words:
    """The hash of each message numbered `which` and the suffix, as a row of words."""
    asked = messages if len(which) == len(messages) else [messages[i] for i in which.tolist()]
    parts = []
    for message in asked:
        state = start.copy()
        state.update(message + suffix)
        parts.append(state.digest())
    return np.frombuffer(b"".join(parts), dtype="<u8").reshape(-1, start.digest_size // 8)


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

    def below(self, bound: int) -> int:
        """An integer uniform in [0, bound), exactly: the whole part of bound times a random fraction of one, of which
        so many bits are read as decide it. More than the first are needed once in 2^64 times, whatever the bound.
        """
        bits = 64 * (-(-bound.bit_length() // 64) + 1)
        fraction = int.from_bytes(self.take(bits // 8), "little")
        while (fraction * bound & (1 << bits) - 1) + bound > 1 << bits:
            fraction, bits = fraction << 64 | int.from_bytes(self.take(8), "little"), bits + 64
        return fraction * bound >> bits

    def among(self, weights: npt.NDArray[np.int64]) -> int:
        """A place in proportion to integer weights, exactly."""
        running = np.cumsum(weights)
        return int(np.searchsorted(running, self.below(int(running[-1])), side="right"))


class Walking:
    """Keyed BLAKE2b for walks: of what they are drawn from, the key's id and the parts that say which step of which
    walk it is, each with its length before it.
    """

    def __init__(self, key: Key, digest: bytes) -> None:
        self._start = hashlib.blake2b(key=key.reveal(), digest_size=64, person=b"minleak-walk-1")
        self._start.update(prefixed(digest) + prefixed(key.id.encode()))

    def hashed(self, *parts: bytes) -> bytes:
        """64 bytes that stand for the parts, and tell nothing about them to those without the key."""
        state = self._start.copy()
        state.update(b"".join(map(prefixed, parts)))
        return state.digest()

    def stream(self, *parts: bytes) -> Stream:
        """Randomness for the parts."""
        state = self._start.copy()
        state.update(b"".join(map(prefixed, parts)))

        def block(number: int) -> bytes:
            copy = state.copy()
            copy.update(prefixed(number.to_bytes(8, "little")))
            return copy.digest()

        return Stream(block)


def scope_bytes(scope: Any) -> bytes:
    """A scope in bytes that no other scope has; blank ones are refused."""
    return _scope_bytes([scope], 1)[0]


def listed(things: Iterable[Any], what: str) -> list[Any]:
    """All of them; text is one thing, and a set is in no order."""
    try:
        if not isinstance(things, str | bytes | set | frozenset):
            return list(things)
    except Exception:
        pass  # a single thing
    raise InvalidParameter(what)


def _scope_bytes(scopes: Iterable[Any], count: int) -> list[bytes]:
    known: dict[str, bytes] = {}
    result = []
    for scope in listed(scopes, "scopes are a list of text or bytes, one for each secret"):
        if isinstance(scope, str):
            if scope not in known:
                known[scope] = _scope_part(b"s" + scope.encode("utf-8", "surrogatepass"), not scope.strip())
            result.append(known[scope])
        elif isinstance(scope, bytes):
            result.append(_scope_part(b"b" + scope, not scope))
        else:
            raise InvalidParameter("a scope is text or bytes that name who asks, such as a user's id")
    if len(result) != count:
        raise InvalidParameter(f"{len(result)} scopes for {count} secrets: give one for each")
    return result


def _scope_part(part: bytes, is_blank: bool) -> bytes:
    """Blank text is nobody's name. Bytes may be a number, and 32 is no blank there."""
    if is_blank:
        raise InvalidParameter("a scope is empty: it names who asks, and without a name all would share their sets")
    return prefixed(part)


def prefixed(part: bytes) -> bytes:
    """The part with its length in eight bytes before it, so that no two lists of parts look the same."""
    return len(part).to_bytes(8, "little") + part


def uniform(source: Source, bounds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
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
