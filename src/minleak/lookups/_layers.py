"""A layer of a selector, made from names and their blocks: equal blocks make equal bytes, in any language.

The value of a name is the exclusive or of three slots, one in each third of the table. Names are *peeled* in rounds: in
each, every name that has a slot of its own (one that no name left shares) owns the lowest such slot and goes. Then, the
last round first, each owned slot is set so that its name has its value. As in Bloomier and XOR filters.
"""

from __future__ import annotations

import hashlib

import numpy as np

from minleak.errors import InvalidParameter
from minleak.lookups._buckets import Names, Numbers
from minleak.lookups._format import FIELDS, HEAD, MAGIC, VERSION, size_of_layer, slots

# Slots for each name, in percent; a peeling ends with 123 for many names and needs a few slots more for few of them.
_SLOTS, _MORE = 124, 8
# Names of the service for each value, times k: a twentieth of k strangers join each block.
_STRANGERS = 20
_SEEDS = 100
#: The seed that names are also put in order by.
ORDER = bytes(4)


def head(prefix: str) -> bytes:
    """How a file begins, before its layers."""
    return HEAD.pack(MAGIC, VERSION, prefix.encode("ascii"))


def third_of(n: int) -> int:
    """The slots of a third for n names."""
    return -(-_SLOTS * n // 300) + _MORE


def bits_for(blocks: int, names: int, k: int) -> int:
    """The bits of a value, so that of so many names of a service few that are not listed fall into a block."""
    return int(max(blocks + 1, -(-_STRANGERS * names // k)) - 1).bit_length()


def size_for(listed: int, names: int, k: int) -> int:
    """The bytes of a layer that lists so many names in blocks of k."""
    return size_of_layer(third_of(listed), bits_for(max(1, listed // k), names, k))


def order_by_popularity(weights: np.ndarray, names: Names) -> Numbers:
    """The places of names, the most popular first; those of one popularity by their hash, in no order of their own."""
    first = np.ascontiguousarray(names.digests(salt=ORDER)[:, :16]).view(">u8").astype(np.uint64)
    rank = np.unique(weights, return_inverse=True)[1]
    return np.lexsort((first[:, 1], first[:, 0], -rank))


def append_layer(before: bytes, names: Names, block: Numbers, *, first: int, bits: int, k: int) -> bytes:
    """The file with one layer more. `block` numbers the blocks of the names from 0 on, by popularity."""
    blocks, third = int(block.max()) + 1, third_of(len(names))
    key = _key(names, block, first, blocks)
    number = _number(key, blocks)
    for seed in range(_SEEDS):
        at = slots(names.digests(salt=seed.to_bytes(4, "big")), third)
        rounds = _peel(at, 3 * third)
        if rounds is not None:
            break
    else:
        raise InvalidParameter("names must be distinct, and no seed tells these apart. Remove names that repeat.")
    table = _fill(key, 3 * third, bits)
    values = number[block]
    for owners, own in reversed(rounds):
        table[own] = 0
        table[own] = values[owners] ^ np.bitwise_xor.reduce(table[at[owners]], axis=1)
    size = len(before) + size_of_layer(third, bits)
    made = before + FIELDS.pack(size, seed, third, first, blocks, bits, k, len(names)) + _pack(table, bits)
    return made + hashlib.sha256(made).digest()


def _key(names: Names, block: Numbers, first: int, blocks: int) -> bytes:
    """The SHA-256 of what the layer says: which names share which block."""
    digests = names.digests(salt=ORDER)
    heads = np.ascontiguousarray(digests[:, :16]).view(">u8").astype(np.uint64)
    order = np.lexsort((heads[:, 1], heads[:, 0], block))
    sizes = np.bincount(block, minlength=blocks).astype(">u4").tobytes()
    numbers = first.to_bytes(4, "big") + blocks.to_bytes(4, "big")
    return hashlib.sha256(numbers + sizes + digests[order].tobytes()).digest()


def _number(key: bytes, blocks: int) -> Numbers:
    """The numbers of the blocks, in an order that tells nothing of their popularity."""
    hashes = [hashlib.sha256(key + b"block" + rank.to_bytes(4, "big")).digest() for rank in range(blocks)]
    number = np.empty(blocks, np.int64)
    number[sorted(range(blocks), key=hashes.__getitem__)] = np.arange(blocks)
    return number


def _fill(key: bytes, count: int, bits: int) -> Numbers:
    """Slots as they are before any is set: no value is likelier than another."""
    parts = [hashlib.sha256(key + b"slots" + part.to_bytes(4, "big")).digest() for part in range(-(-count // 8))]
    return np.frombuffer(b"".join(parts), ">u4")[:count].astype(np.int64) >> (32 - bits)


def _peel(at: Numbers, count: int) -> list[tuple[Numbers, Numbers]] | None:
    """The rounds: names and the slots that they own; None if names are left that share all their slots."""
    shared = np.bincount(at.ravel(), minlength=count)
    whose = np.zeros(count, np.int64)  # the exclusive or of the names that have the slot
    places = np.arange(len(at))
    for column in at.T:
        np.bitwise_xor.at(whose, column, places)
    rounds, left = [], len(at)
    lone = np.flatnonzero(shared == 1)
    while len(lone):
        owners, lowest = np.unique(whose[lone], return_index=True)
        rounds.append((owners, lone[lowest]))
        left -= len(owners)
        for column in at[owners].T:
            np.subtract.at(shared, column, 1)
            np.bitwise_xor.at(whose, column, owners)
        touched = at[owners].ravel()
        lone = np.unique(touched[shared[touched] == 1])
    return None if left else rounds


def _pack(table: Numbers, bits: int) -> bytes:
    """The values one after the other, the most significant bit first, with zero bits to a whole byte."""
    rows = np.empty((len(table), bits), np.uint8)
    for bit in range(bits):
        rows[:, bit] = table >> (bits - 1 - bit) & 1
    return np.packbits(rows).tobytes()
