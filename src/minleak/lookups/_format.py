"""The file of a selector, layer by layer, as runtimes/selector.md says: checked, read, and looked up in."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

import numpy as np

from minleak.errors import UnreadableFile
from minleak.lookups._buckets import Digests, Names, Numbers

#: How a file begins.
MAGIC = b"selector"
VERSION = 1
#: Magic, version, prefix of the names that are not listed.
HEAD = struct.Struct(">8sI20s")
#: Size of the file up to the end of the layer, then the other fields of `Layer` in their order.
FIELDS = struct.Struct(">8I")
#: The length of the SHA-256 that each layer ends with.
DIGEST = hashlib.sha256().digest_size
#: The most bits of a value.
MOST_BITS = 32
_SLOTS = 3


@dataclass(frozen=True)
class Layer:
    """A layer: its table begins at the byte `at`, and has three thirds of `third` slots of `bits` bits. Values below
    `blocks` are blocks, numbered from `first` on, each of at least k of the `listed` names.
    """

    seed: int
    third: int
    first: int
    blocks: int
    bits: int
    k: int
    listed: int
    at: int

    @property
    def slots(self) -> int:
        """How many slots the table has."""
        return _SLOTS * self.third

    @property
    def salt(self) -> bytes:
        """What names are hashed after."""
        return self.seed.to_bytes(4, "big")


def size_of_layer(third: int, bits: int) -> int:
    """The bytes of a layer."""
    return FIELDS.size + -(-_SLOTS * third * bits // 8) + DIGEST


def read(data: bytes) -> tuple[str, list[Layer]]:
    """The prefix and the layers of a file. One that is foreign, damaged or of another version is refused."""
    if data[:8] != MAGIC:
        raise UnreadableFile("the file must be a selector; got something else. Make one with ml.selector.")
    if len(data) < HEAD.size + FIELDS.size + DIGEST:
        raise UnreadableFile("the selector must be complete; got a part of it. Copy the file again.")
    _, version, prefix = HEAD.unpack_from(data)
    if version != VERSION:
        raise UnreadableFile(f"the selector must be of version {VERSION}; got version {version}. Upgrade minleak.")
    if hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
        raise UnreadableFile("the selector must be as it was written; got a damaged or cut file. Copy it again.")
    layers, at, blocks = list[Layer](), HEAD.size, 0
    while at < len(data):
        if at + FIELDS.size > len(data):
            raise _malformed()
        end, seed, third, first, count, bits, k, listed = FIELDS.unpack_from(data, at)
        layer = Layer(seed, third, first, count, bits, k, listed, at + FIELDS.size)
        fits = layer.third > 0 and 0 < layer.bits <= MOST_BITS and 0 < layer.blocks < 1 << layer.bits
        if not fits or layer.first != blocks or end != at + size_of_layer(layer.third, layer.bits) or end > len(data):
            raise _malformed()
        blocks += layer.blocks
        layers.append(layer)
        at = end
    try:
        return prefix.rstrip(b"\0").decode("ascii"), layers
    except UnicodeDecodeError:
        raise _malformed() from None


def _malformed() -> UnreadableFile:
    return UnreadableFile("the selector must be of the form in runtimes/selector.md; got another. Make it anew.")


def slots(digests: Digests, third: int) -> Numbers:
    """The three slots of each name, a row each, from its hash after the seed."""
    found = np.empty((len(digests), _SLOTS), np.int64)
    for i in range(_SLOTS):
        number = np.zeros(len(digests), np.int64)
        for byte in range(6 * i, 6 * i + 6):
            number = number << 8 | digests[:, byte]
        found[:, i] = number % third + i * third
    return found


def values_in(data: bytes, layer: Layer, digests: Digests) -> Numbers:
    """The value of each name in a layer."""
    everything, value = np.frombuffer(data, np.uint8), np.zeros(len(digests), np.int64)
    for column in slots(digests, layer.third).T:
        bit = column * layer.bits
        at, word = layer.at + (bit >> 3), np.zeros(len(digests), np.int64)
        for byte in range(5):
            word = word << 8 | everything[at + byte]
        value ^= word >> (40 - layer.bits - (bit & 7)) & ((1 << layer.bits) - 1)
    return value


def find(data: bytes, layers: list[Layer], names: Names) -> Numbers:
    """The block of each name; -1 for names that are not listed."""
    found = np.full(len(names), -1, np.int64)
    for layer in layers:
        left = np.flatnonzero(found < 0)
        some = names if len(left) == len(names) else names.take(left)
        values = values_in(data, layer, some.digests(salt=layer.salt))
        found[left] = np.where(values < layer.blocks, layer.first + values, -1)
    return found


def find_one(data: bytes, layers: list[Layer], name: bytes) -> int | None:
    """The block of one name, or None."""
    for layer in layers:
        digest, value = hashlib.sha256(layer.salt + name).digest(), 0
        for i in range(_SLOTS):
            slot = int.from_bytes(digest[6 * i : 6 * i + 6], "big") % layer.third + i * layer.third
            byte, bit = divmod(slot * layer.bits, 8)
            word = int.from_bytes(data[layer.at + byte : layer.at + byte + 5], "big")
            value ^= word >> (40 - layer.bits - bit) & ((1 << layer.bits) - 1)
        if value < layer.blocks:
            return layer.first + value
    return None
