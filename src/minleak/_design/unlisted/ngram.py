"""NGram: every string up to a length has an interval of integers, by what its characters usually follow."""

from __future__ import annotations

import heapq
import os
from bisect import bisect_right
from collections.abc import Iterable
from itertools import count
from typing import Any

import numpy as np

from minleak._data.prior import Prior
from minleak._design.unlisted.escape import UNITS, Escape
from minleak._design.unlisted.fitting import Level, T, encoded, fit_levels
from minleak._entropy.base import whole
from minleak.errors import InvalidParameter, UnknownSecret, listed, shown

_BITS = (T * UNITS).bit_length() - 1  # of the units that one character is chosen from
_ALPHABET = 200  # characters that are counted one by one, unless an alphabet is given


class NGram:
    """A model of strings by the characters that follow the last order - 1, with back-off to fewer; made by `fit`.

    Arithmetic coding in integers: after each prefix the line is shared among the next characters and the end, at least
    one unit of 2^16 for each, so that every string of at most `longest` characters has a positive weight. Characters
    outside the alphabet share one of these places, each with a part of its own: no text is left out.

    >>> model = NGram.fit(["anna", "hanna", "anne"], order=3, longest=8)
    >>> model.at(model.interval("hannes")[0])
    'hannes'
    >>> 0 < model.weight("日本") < model.weight("hannes") < model.weight("anna")
    True
    """

    def __init__(self, alphabet: str, longest: int, levels: list[Level], escape: Escape) -> None:
        self.alphabet, self.longest, self.order = alphabet, longest, len(levels)
        self.levels, self.escape = levels, escape
        self._size = len(alphabet) + 2
        self._symbol = {character: i for i, character in enumerate(alphabet, 1)}
        self._powers = [self._size**length for length in range(self.order)]
        rows = np.cumsum([0, *(len(level.keys) for level in levels)]).tolist()
        self._rows = [
            dict(zip(level.keys.tolist(), range(begin * self._size, end * self._size, self._size), strict=True))
            for level, begin, end in zip(levels, rows[:-1], rows[1:], strict=True)
        ]
        self._begins = memoryview(np.concatenate([level.begins.ravel() for level in levels]))
        self.total = 1 << (_BITS * longest)

    @classmethod
    def fit(
        cls,
        strings: Prior | Iterable[str],
        *,
        order: int = 4,
        longest: int = 32,
        alphabet: str | None = None,
    ) -> NGram:
        """A model fitted to strings, each as often as it comes, or to a prior's labels, each by its weight.

        `order` characters make an n-gram: the next one depends on the order - 1 before it. `alphabet` are the
        characters that are counted one by one; without it the 200 commonest. Strings beyond `longest` are left out.
        """
        order, longest = whole(order, "the order", 1), whole(longest, "the longest length", 1)
        texts, weights = _texts(strings)
        fits = [i for i, text in enumerate(texts) if len(text) <= longest]
        if not fits:
            raise InvalidParameter(f"a model is fitted to at least one string of at most {longest} characters")
        if len(fits) < len(texts):
            texts = [texts[i] for i in fits]
            weights = None if weights is None else weights[fits]
        chosen = _alphabet(alphabet, texts)
        symbols, lengths, codes = encoded(texts, chosen)
        outside = symbols == len(chosen) + 1
        often = None if weights is None else np.repeat(weights, lengths)[outside]
        values, place = np.unique(codes[outside], return_inverse=True)
        seen = dict(zip(map(chr, values.tolist()), np.bincount(place, weights=often).astype(int).tolist(), strict=True))
        levels = fit_levels(symbols, lengths, weights, order=order, size=len(chosen) + 2, longest=longest)
        return cls(chosen, longest, levels, Escape.fitted(chosen, seen))

    # -- a string and its interval ------------------------------------------------------------------------------------

    def weight(self, string: str) -> int:
        """How many positions of the line the string owns; 0 if it is too long, or no text."""
        return self.interval(string)[1] if self.holds(string) else 0

    def holds(self, string: object) -> bool:
        """Whether the string has a place: text of at most `longest` characters."""
        if not isinstance(string, str) or len(string) > self.longest:
            return False
        return string.isascii() or not any("\ud800" <= character <= "\udfff" for character in string)

    def interval(self, string: str) -> tuple[int, int]:
        """(start, weight) of a string on the line."""
        if not self.holds(string):
            raise UnknownSecret(
                f"the model holds text of at most {self.longest} characters, and this is longer or no text: refuse it, "
                "or fit a model with a larger longest="
            )
        start, unit, key = 0, self.total >> _BITS, 0
        for at, character in enumerate(string):
            symbol = self._symbol.get(character, self._size - 1)
            row = self._row(key)
            begin, share = self._share(row, symbol)
            if symbol == self._size - 1:
                inside, units = self.escape.interval(self.escape.rank(character))
                begin, width = begin * UNITS + share * inside, share * units
            else:
                begin, width = begin * UNITS, share * UNITS
            start += unit * begin
            if at == self.longest - 1:
                return start, unit * width
            unit = unit * width >> _BITS
            key = (key * self._size + symbol) % self._powers[-1]
        begin, share = self._share(self._row(key), 0)
        return start + unit * begin * UNITS, unit * share * UNITS

    def at(self, position: int) -> str:
        """The string that owns a position of the line."""
        if not 0 <= position < self.total:
            raise InvalidParameter("a position is from 0 on and below the model's total")
        unit, key, found, last = self.total >> _BITS, 0, [], self._size - 1
        for _ in range(self.longest):
            place = position // unit
            row = self._row(key)
            symbol = bisect_right(self._begins, place // UNITS, row, row + self._size) - 1 - row
            if symbol == 0:
                break
            begin, share = self._share(row, symbol)
            if symbol == last:
                rank = self.escape.at((place - begin * UNITS) // share)
                inside, units = self.escape.interval(rank)
                found.append(self.escape.character(rank))
                begin, width = begin * UNITS + share * inside, share * units
            else:
                found.append(self.alphabet[symbol - 1])
                begin, width = begin * UNITS, share * UNITS
            position -= unit * begin
            unit = unit * width >> _BITS
            key = (key * self._size + symbol) % self._powers[-1]
        return "".join(found)

    def heaviest(self, k: int, above: int = 0) -> list[tuple[str, int]]:
        """The k heaviest strings and their weights, heaviest first: of those heavier than `above`, all if fewer.

        Best-first over prefixes: what begins with a prefix weighs no more than all of it.
        """
        ties, last = count(), self._size - 1
        heap: list[tuple[int, int, str, int, Any]] = [(-self.total, next(ties), "", 0, None)]
        found: list[tuple[str, int]] = []
        while heap and len(found) < k:
            bound, _, prefix, key, rest = heapq.heappop(heap)
            if rest == "whole":
                found.append((prefix, -bound))
                continue
            if rest is not None:  # the next of the characters outside the alphabet, after this prefix
                mass, ranks, rank = rest
                self._push(
                    heap,
                    ties,
                    mass * self.escape.interval(rank)[1],
                    prefix + self.escape.character(rank),
                    (key * self._size + last) % self._powers[-1],
                    above,
                )
                following = next(ranks, None)
                if following is not None:
                    self._queue(heap, ties, mass, ranks, following, prefix, key, above)
                continue
            unit, row = -bound >> _BITS, self._row(key)
            for symbol in range(self._size):
                share = self._share(row, symbol)[1]
                if symbol == 0:
                    if unit * share * UNITS > above:
                        heapq.heappush(heap, (-unit * share * UNITS, next(ties), prefix, key, "whole"))
                elif symbol < last:
                    self._push(
                        heap,
                        ties,
                        unit * share * UNITS,
                        prefix + self.alphabet[symbol - 1],
                        (key * self._size + symbol) % self._powers[-1],
                        above,
                    )
                else:
                    ranks = iter(self.escape.by_share())
                    self._queue(heap, ties, unit * share, ranks, next(ranks), prefix, key, above)
        return found

    def _push(self, heap: Any, ties: Any, weight: int, prefix: str, key: int, above: int) -> None:
        if weight > above:
            rest = "whole" if len(prefix) == self.longest else None
            heapq.heappush(heap, (-weight, next(ties), prefix, key, rest))

    def _queue(self, heap: Any, ties: Any, mass: int, ranks: Any, rank: int, prefix: str, key: int, above: int) -> None:
        weight = mass * self.escape.interval(rank)[1]
        if weight > above:
            heapq.heappush(heap, (-weight, next(ties), prefix, key, (mass, ranks, rank)))

    # -- inside -------------------------------------------------------------------------------------------------------

    def _row(self, key: int) -> int:
        """Where the shares after a context begin: those of the longest part of it that was seen."""
        for length in range(self.order - 1, -1, -1):
            row = self._rows[length].get(key % self._powers[length])
            if row is not None:
                return row
        raise InvalidParameter("a model without shares for the empty context")

    def _share(self, row: int, symbol: int) -> tuple[int, int]:
        begin = self._begins[row + symbol]
        end = T if symbol == self._size - 1 else self._begins[row + symbol + 1]
        return begin, end - begin

    def __repr__(self) -> str:
        contexts = sum(len(level.keys) for level in self.levels)
        return f"NGram(order={self.order}, longest={self.longest}, alphabet={len(self.alphabet)}, contexts={contexts})"


def _texts(strings: Prior | Iterable[str]) -> tuple[list[str], Any]:
    weights = None
    if isinstance(strings, Prior):
        weights = strings.weights
        if weights.dtype.kind == "f" or weights.max() > 2**40:
            weights = np.maximum(strings.p * 2**40, 0).astype(np.int64)
        weights = weights.astype(np.int64)
        strings = list(strings.labels)
    texts = listed(strings, "a model is fitted to a list of strings or to a Prior whose labels are strings")
    for at, text in enumerate(texts):
        if not isinstance(text, str) or not (text.isascii() or text.encode("utf-8", "replace").decode() == text):
            raise InvalidParameter(f"a model is fitted to text, which string number {at} is not")
    if weights is not None and not weights.all():
        texts, weights = [t for t, w in zip(texts, weights.tolist(), strict=True) if w], weights[weights > 0]
    return texts, weights


def _alphabet(given: str | None, texts: list[str]) -> str:
    if given is None:
        codes = np.frombuffer("".join(texts).encode("utf-32-le"), dtype="<u4")
        values, counts = np.unique(codes, return_counts=True)
        common = values[np.argsort(-counts, kind="stable")[:_ALPHABET]].tolist()
        return "".join(map(chr, sorted(common))) or "a"
    if not isinstance(given, str) or not 1 <= len(given) <= 2**14 or len(set(given)) < len(given):
        raise InvalidParameter("an alphabet is a text of different characters, 16,384 at most")
    if any("\ud800" <= character <= "\udfff" for character in given):
        raise InvalidParameter("an alphabet holds characters, no halves of them")
    return "".join(sorted(given))
