"""Escape: all characters outside an alphabet, each with a share of the place that the alphabet leaves them."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate

#: The shares of all characters outside the alphabet add up to this.
UNITS = 1 << 24
# Neighbours share a script: characters are weighed in groups of so many.
_GROUP = 32
# Halves of a pair are no characters: text that holds one cannot be written to a file.
_HALVES = range(0xD800, 0xE000)
_CODES = 0x110000


class Escape:
    """Characters that are not in the alphabet, by rank in Unicode's order. Those of group g have `shares[g]` units
    each, and the first ones a unit more until all units are given.
    """

    def __init__(self, alphabet: Iterable[str], shares: list[int]) -> None:
        left_out = sorted({*map(ord, alphabet), *_HALVES})
        self._left_out = left_out
        self._gaps = [code - i for i, code in enumerate(left_out)]  # the rank of what follows each code left out
        self.count = _CODES - len(left_out)
        self.shares = shares
        sizes = [min(_GROUP, self.count - begin) for begin in range(0, self.count, _GROUP)]
        given = [size * share for size, share in zip(sizes, shares, strict=True)]
        self._more = UNITS - sum(given)
        if not 0 <= self._more <= self.count or min(shares) < 1:
            raise ValueError("the shares of an escape leave room, and every character has one")
        before = [0, *accumulate(given)][:-1]
        self._begins = [begin + min(_GROUP * g, self._more) for g, begin in enumerate(before)]

    @classmethod
    def fit(cls, alphabet: Iterable[str], seen: dict[str, int]) -> Escape:
        """Groups in proportion to the counts of characters seen outside the alphabet, and one count for each group in
        which Unicode has characters at all.
        """
        others = _CODES - len({*alphabet}) - len(_HALVES)
        ranks = cls(alphabet, [UNITS // others] * -(-others // _GROUP))
        sizes = [min(_GROUP, ranks.count - begin) for begin in range(0, ranks.count, _GROUP)]
        counts = [0] * len(sizes)
        for rank in range(0, ranks.count, 8):  # scripts are longer than eight characters
            counts[rank // _GROUP] |= unicodedata.category(ranks.character(rank)) not in ("Cn", "Co", "Cc")
        for character, count in seen.items():
            counts[ranks.rank(character) // _GROUP] += count
        spare, total = UNITS - ranks.count, sum(counts)
        return cls(alphabet, [1 + spare * c // total // size for c, size in zip(counts, sizes, strict=True)])

    def rank(self, character: str) -> int:
        """The number of a character among those outside the alphabet."""
        code = ord(character)
        return code - bisect_right(self._left_out, code)

    def character(self, rank: int) -> str:
        """The character of a rank."""
        return chr(rank + bisect_right(self._gaps, rank))

    def interval(self, rank: int) -> tuple[int, int]:
        """(start, units) of the character of a rank."""
        group, inside = divmod(rank, _GROUP)
        extra = min(max(self._more - _GROUP * group, 0), inside)
        return self._begins[group] + self.shares[group] * inside + extra, self.shares[group] + (rank < self._more)

    def inside(self, part: tuple[int, int], rank: int) -> tuple[int, int]:
        """(start, width) of the character of a rank within the part of all, whose width is a multiple of UNITS."""
        (begin, width), (start, units) = part, self.interval(rank)
        share = width // UNITS
        return begin + share * start, share * units

    def at(self, unit: int) -> int:
        """The rank of the character that owns a unit."""
        group = bisect_right(self._begins, unit) - 1
        inside, share = unit - self._begins[group], self.shares[group]
        longer = min(max(self._more - _GROUP * group, 0), _GROUP)
        if inside < longer * (share + 1):
            return _GROUP * group + inside // (share + 1)
        return _GROUP * group + longer + (inside - longer * (share + 1)) // share

    @cached_property
    def _by_share(self) -> list[int]:
        return sorted(range(len(self.shares)), key=lambda group: -self.shares[group])

    def by_share(self) -> Iterable[int]:
        """The ranks, those with the largest shares first."""
        for group in self._by_share:
            yield from range(_GROUP * group, min(_GROUP * (group + 1), self.count))
