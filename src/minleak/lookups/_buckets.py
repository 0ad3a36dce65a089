"""Names as bytes and their hashes, and Buckets: what a service is asked by today, the first bits of a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.errors import InvalidParameter, quote

#: The hashes that a prefix can be of.
HASHES = tuple(sorted(name for name in hashlib.algorithms_guaranteed if not name.startswith("shake")))
# A bucket is a 64-bit number, and a selector counts its blocks before them.
_MOST_BITS, _MOST_CHARACTERS = 62, 1000

Numbers = npt.NDArray[np.int64]
Digests = npt.NDArray[np.uint8]


class Names:
    """Names as UTF-8 bytes, with their digests, each computed once."""

    def __init__(self, labels: Iterable[Any]) -> None:
        self.texts = list(labels)
        try:
            self.bytes = [text.encode() for text in self.texts]
        except (AttributeError, UnicodeEncodeError):
            at, label = next((i, x) for i, x in enumerate(self.texts) if as_bytes(x) is None)
            what = "half of a surrogate pair" if isinstance(label, str) else f"a label of type {type(label).__name__}"
            raise InvalidParameter(
                f"names must be text that UTF-8 can hold; got {what} at row {at}. Turn labels into text first."
            ) from None
        self._digests: dict[tuple[str, bytes], Digests] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def digests(self, hash: str = "sha256", salt: bytes = b"") -> Digests:
        """The hash of each name after the salt, a row each."""
        if (hash, salt) not in self._digests:
            made = getattr(hashlib, hash)
            joined = b"".join([made(salt + name).digest() for name in self.bytes])
            self._digests[hash, salt] = np.frombuffer(joined, np.uint8).reshape(len(self), -1)
        return self._digests[hash, salt]

    def take(self, places: Numbers) -> Names:
        """The names at these places, with the digests that are known."""
        chosen = places.tolist()
        taken = Names.__new__(Names)
        taken.texts, taken.bytes = [self.texts[i] for i in chosen], [self.bytes[i] for i in chosen]
        taken._digests = {how: digests[places] for how, digests in self._digests.items()}
        return taken


def as_names(names: Names | Iterable[Any]) -> Names:
    """The names themselves, or those of a sequence of text."""
    if isinstance(names, Names):
        return names
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidParameter(f"names must be a sequence of text; got {type(names).__name__}. Put one name in a list.")
    return Names(names)


def as_bytes(name: object) -> bytes | None:
    """The UTF-8 bytes of a name; None if it has none."""
    try:
        return name.encode() if isinstance(name, str) else None
    except UnicodeEncodeError:
        return None


class Buckets:
    """The buckets of a service that is asked by the first bits of a hash of a name, or by its first characters.

    Parameters
    ----------
    prefix
        A hash and a number of bits up to 62, such as "sha256:16", or a number of characters, such as "3". The hash is
        of the name's UTF-8 bytes, and its first bits are the most significant ones of its first byte on.

    >>> Buckets("sha256:16").bucket("react")
    'p2759'
    >>> Buckets("2").bucket("react")
    'pre'
    """

    def __init__(self, prefix: str) -> None:
        hash, colon, size = str(prefix).partition(":")
        count = size if colon else hash
        known = count.isascii() and count.isdigit() and count[0] != "0" and len(count) < 5
        if not known or (colon and hash not in HASHES):
            raise InvalidParameter(
                "prefix must be a hash and a number of bits, such as sha256:8, or a number of characters, such as 3; "
                f"got {quote(prefix)[:60]}. The hashes are {', '.join(HASHES)}."
            )
        most, unit = (_MOST_BITS, "bits") if colon else (_MOST_CHARACTERS, "characters")
        if int(count) > most:
            raise InvalidParameter(f"prefix must have at most {most} {unit}; got {count}. Choose fewer.")
        self.prefix = str(prefix)
        #: The hash, or None where buckets are first characters.
        self.hash = hash if colon else None
        #: How many bits of the hash, or how many characters.
        self.size = int(count)

    def bucket(self, name: str) -> str:
        """Return the bucket of a name: "p" and its prefix, in hexadecimal if it is of a hash."""
        text = as_bytes(name)
        if text is None:
            raise InvalidParameter(
                f"name must be text that UTF-8 can hold; got {type(name).__name__}. Turn it into text."
            )
        if self.hash is None:
            return f"p{name[: self.size]}"
        digest = getattr(hashlib, self.hash)(text).digest()
        return self.say(int.from_bytes(digest[:8], "big") >> (64 - self.size))

    def buckets(self, names: Names | Iterable[str]) -> Numbers:
        """Return the number of the bucket of each name: its prefix as an integer, or for first characters the buckets
        in alphabetical order.
        """
        given = as_names(names)
        if self.hash is None:
            first = np.array([text[: self.size] for text in given.texts], dtype=object)
            return np.unique(first, return_inverse=True)[1].astype(np.int64)
        first = np.ascontiguousarray(given.digests(self.hash)[:, :8]).view(">u8").ravel()
        return (first >> np.uint64(64 - self.size)).astype(np.int64)

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return f"prefix {self.prefix}"

    def say(self, number: int) -> str:
        """Return how the bucket of that prefix of a hash is called."""
        return f"p{number:0{-(-self.size // 4)}x}"

    def __repr__(self) -> str:
        return f"Buckets({self.prefix!r})"
