"""Look names up in a selector, as runtimes/selector.md of minleak says, with Python's standard library alone."""

import hashlib
import struct


class Selector:
    """A selector, from the bytes of its file; a damaged or foreign file is a ValueError."""

    def __init__(self, data: bytes) -> None:
        self._data, self._layers, at, total = bytes(data), [], 32, 0
        fits = data[:12] == b"selector\0\0\0\1" and hashlib.sha256(data[:-32]).digest() == data[-32:]
        while fits and at != len(data):
            size, seed, third, first, blocks, bits = struct.unpack_from(">6I", data.ljust(at + 32, b"\0"), at)
            fits = third > 0 and 1 <= bits <= 32 and 0 < blocks < 1 << bits and first == total
            fits = fits and at + 64 + (3 * third * bits + 7) // 8 == size <= len(data)
            self._layers.append((struct.pack(">I", seed), third, first, blocks, bits, at + 32))
            total, at = total + blocks, size
        if not fits or not self._layers:
            raise ValueError("the file must be a selector; got another one, or a damaged one")

    def find(self, name: str) -> "int | None":
        """The block of a name, or None if it is not listed: then ask by its prefix."""
        try:
            text = name.encode()
        except UnicodeEncodeError:
            return None  # text that UTF-8 cannot hold
        for seed, third, first, blocks, bits, table in self._layers:
            digest, value = hashlib.sha256(seed + text).digest(), 0
            for i in range(3):
                slot = int.from_bytes(digest[6 * i : 6 * i + 6], "big") % third + i * third
                byte, bit = divmod(slot * bits, 8)
                word = int.from_bytes(self._data[table + byte : table + byte + 5], "big")
                value ^= word >> (40 - bits - bit) & ((1 << bits) - 1)
            if value < blocks:
                return first + value
        return None
