"""Coding: strings as intervals of integers, by arithmetic coding with the frequencies after each context; Escape: the
characters outside an alphabet, each with a share of the place that the alphabet leaves them.
"""

from __future__ import annotations

import heapq
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache, partial
from itertools import accumulate, count
from typing import Any

import numpy as np

from minleak.core._parameters import whole
from minleak.errors import InvalidParameter, UnknownSecret
from minleak.strings._fitting import Level, T
from minleak.strings._policy import Automaton, Policy

#: The shares of all characters outside the alphabet add up to this.
UNITS = 1 << 24
# Neighbours share a script: characters are weighed in groups of so many.
_GROUP = 32
# Halves of a pair are no characters: text that holds one cannot be written to a file.
_HALVES = range(0xD800, 0xE000)
_CODES = 0x110000
_BITS = (T * UNITS).bit_length() - 1  # of the units that one character is chosen from
# The last symbols of a prefix as a number, and the state of the policy's automaton.
_Context = tuple[int, int]
_BEGIN: _Context = (0, 0)
# A weight, the string or prefix that has it, the context after it, and whether it is a whole string.
_Node = tuple[int, str, _Context, bool]
# Rows of shares that are kept once they are made for a state of the policy.
_KEPT = 1 << 13


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
        for character, times in seen.items():
            counts[ranks.rank(character) // _GROUP] += times
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


class Coder:
    """Arithmetic coding in integers: after each prefix the line is shared among the next characters and the end, at
    least one unit of 2^16 for each, so that every string of at most `longest` characters has a positive weight.
    Characters outside the alphabet share one of these places, each with a part of its own, unless `escape` is None.

    With a policy, its automaton follows the prefix: a character has a share only if an accepted string can still be
    reached in the length that is left, and the end only if the prefix is accepted. Their shares are scaled up to the
    whole, so that the accepted strings cover the line and no others have a place.
    """

    def __init__(
        self,
        alphabet: str,
        longest: int,
        levels: list[Level],
        escape: Escape | None,
        automaton: Automaton | None = None,
    ) -> None:
        self.alphabet, self.longest, self.order = alphabet, longest, len(levels) - (automaton is not None)
        self.levels, self.escape, self.automaton = levels, escape, automaton
        if automaton is not None:
            self._scaled_shares = lru_cache(_KEPT)(partial(self._scale_shares, automaton))
        self._size = len(alphabet) + 1 + (escape is not None)
        self._outside = len(alphabet) + 1  # the symbol of every other character, where there is one
        self._symbol = {character: i for i, character in enumerate(alphabet, 1)}
        self._powers: list[int] = [self._size**length for length in range(self.order)]
        rows = np.cumsum([0, *(len(level.keys) for level in levels)]).tolist()
        self._rows: list[dict[int, int]] = [
            dict(zip(level.keys.tolist(), range(begin * self._size, end * self._size, self._size), strict=True))
            for level, begin, end in zip(levels, rows[:-1], rows[1:], strict=True)
        ]
        self._table = np.concatenate([level.begins.ravel() for level in levels])
        self._begins: Any = memoryview(self._table.data)
        self.total = 1 << (_BITS * longest)

    @property
    def policy(self) -> Policy | None:
        """Which strings it holds, if not all."""
        return None if self.automaton is None else self.automaton.policy

    # -- a string and its interval ------------------------------------------------------------------------------------

    def weight(self, string: str) -> int:
        """How many positions of the line the string owns; 0 if it is too long, or no text."""
        return self.interval(string)[1] if self.holds(string) else 0

    def holds(self, string: object) -> bool:
        """Whether the string has a place: text of at most `longest` characters, of the alphabet's if there are no
        others, that meets the policy if there is one.
        """
        if not isinstance(string, str) or len(string) > self.longest:
            return False
        if self.escape is None:
            known = self._symbol.keys() >= set(string)
            return known and (
                self.automaton is None or self.automaton.accepts([self._symbol[character] - 1 for character in string])
            )
        return string.isascii() or not any("\ud800" <= character <= "\udfff" for character in string)

    def interval(self, string: str) -> tuple[int, int]:
        """(start, weight) of a string on the line."""
        if not self.holds(string):
            raise UnknownSecret(self._refusal())
        start, unit, context = 0, self.total >> _BITS, _BEGIN
        for at, character in enumerate(string):
            symbol = self._symbol.get(character, self._outside)
            part = self._part(*self._shares(context, self.longest - at), symbol)
            if self.escape is not None and symbol == self._outside:
                part = self.escape.inside(part, self.escape.rank(character))
            begin, width = part
            start += unit * begin
            if at == self.longest - 1:
                return start, unit * width
            unit = unit * width >> _BITS
            context = self._after(context, symbol)
        begin, width = self._part(*self._shares(context, self.longest - len(string)), 0)
        return start + unit * begin, unit * width

    def at(self, position: int) -> str:
        """The string that owns a position of the line."""
        position = whole(position, "a position", 0)
        if position >= self.total:
            raise InvalidParameter("a position is below the model's total")
        unit, context, found = self.total >> _BITS, _BEGIN, []
        for at in range(self.longest):
            place = position // unit
            begins, row = self._shares(context, self.longest - at)
            symbol = bisect_right(begins, place // UNITS, row, row + self._size) - 1 - row
            if symbol == 0:
                break
            part = self._part(begins, row, symbol)
            if self.escape is not None and symbol == self._outside:
                rank = self.escape.at((place - part[0]) * UNITS // part[1])
                part = self.escape.inside(part, rank)
                found.append(self.escape.character(rank))
            else:
                found.append(self.alphabet[symbol - 1])
            begin, width = part
            position -= unit * begin
            unit = unit * width >> _BITS
            context = self._after(context, symbol)
        return "".join(found)

    def heaviest(self, k: int, above: int = 0) -> list[tuple[str, int]]:
        """Up to k strings heavier than `above` with their weights, heaviest first.

        Best-first search over prefixes: no string is heavier than any of its prefixes.
        """
        k, above = whole(k, "the number of strings", 0), whole(above, "the weight above which they are", 0)
        ties = count()
        heap: list[Any] = []
        found: list[tuple[str, int]] = []

        def queue(siblings: Iterator[_Node]) -> None:
            for node in siblings:  # the first: the others wait behind it, since none weighs more
                if node[0] > above:
                    heapq.heappush(heap, (-node[0], next(ties), node, siblings))
                return

        queue(iter([(self.total, "", _BEGIN, False)]))
        while heap and len(found) < k:
            _, _, node, siblings = heapq.heappop(heap)
            queue(siblings)
            weight, string, _, whole_string = node
            if whole_string:
                found.append((string, weight))
            else:
                queue(iter(sorted(self._longer(node, above), reverse=True)))
                queue(self._with_others(node))
        return found

    def _longer(self, node: _Node, above: int) -> Iterator[_Node]:
        """The prefix as a whole string, and with each character of the alphabet after it, if heavier than that."""
        weight, prefix, context, _ = node
        unit, (begins, row) = (weight >> _BITS) * UNITS, self._shares(context, self.longest - len(prefix))
        shares = np.diff(np.asarray(begins[row : row + self._size], dtype=np.int64), append=T)
        for symbol in np.flatnonzero(shares[: self._outside] > above // unit).tolist():
            mass = unit * int(shares[symbol])
            if symbol == 0:
                yield mass, prefix, context, True
            else:
                yield mass, *self._extend(prefix, context, symbol, self.alphabet[symbol - 1])

    def _with_others(self, node: _Node) -> Iterator[_Node]:
        """The prefix with each other character after it, heaviest first."""
        if self.escape is not None:
            weight, prefix, context, _ = node
            shares = self._shares(context, self.longest - len(prefix))
            unit, part = weight >> _BITS, self._part(*shares, self._outside)
            for rank in self.escape.by_share():
                longer = self._extend(prefix, context, self._outside, self.escape.character(rank))
                yield unit * self.escape.inside(part, rank)[1], *longer

    def _extend(self, prefix: str, context: _Context, symbol: int, character: str) -> tuple[str, _Context, bool]:
        return prefix + character, self._after(context, symbol), len(prefix) + 1 == self.longest

    # -- inside -------------------------------------------------------------------------------------------------------

    def _refusal(self) -> str:
        if self.automaton is not None:
            return (
                f"the model holds text of at most {self.longest} characters of its alphabet that meets its policy, and "
                "this is none: refuse it, or fit a model with another accept="
            )
        return (
            f"the model holds text of at most {self.longest} characters, and this is longer or no text: refuse it, "
            "or fit a model with a larger longest="
        )

    def _shares(self, context: _Context, left: int) -> tuple[Any, int]:
        """Where the shares after a context are, and where they begin there, if `left` characters may follow."""
        row = self._row(*context)
        if self.automaton is None:
            return self._begins, row
        return self._scaled_shares(row, context[1], min(left, self.automaton.enough)), 0

    def _row(self, key: int, state: int) -> int:
        """Where the shares after a context begin: those of the longest part of it that was seen."""
        if self.automaton is not None:
            row = self._rows[-1].get(state * self._powers[-1] + key)
            if row is not None:
                return row
        for length in range(self.order - 1, 0, -1):
            row = self._rows[length].get(key % self._powers[length])
            if row is not None:
                return row
        return 0

    def _scale_shares(self, automaton: Automaton, row: int, state: int, left: int) -> Any:
        """The shares of what the policy allows, scaled up to the whole, at least a unit for each."""
        allowed = automaton.allowed_symbols(state, left)
        shares = np.full(self._size, T)
        shares[:-1] = self._table[row + 1 : row + self._size]
        shares -= self._table[row : row + self._size]
        shares *= allowed
        found = shares * (T - np.count_nonzero(allowed)) // shares.sum() + allowed
        found[found.argmax()] += T - found.sum()
        return memoryview((np.cumsum(found) - found).data)

    def _after(self, context: _Context, symbol: int) -> _Context:
        """The context after one more symbol."""
        key, state = context
        if self.automaton is not None:
            state = int(self.automaton.table[state, symbol - 1])
        return (key * self._size + symbol) % self._powers[-1], state

    def _part(self, begins: Any, row: int, symbol: int) -> tuple[int, int]:
        """Where the part of a symbol begins, and its width, both of the 2^_BITS of a character."""
        begin: int = begins[row + symbol]
        end: int = T if symbol == self._size - 1 else begins[row + symbol + 1]
        return begin * UNITS, (end - begin) * UNITS
