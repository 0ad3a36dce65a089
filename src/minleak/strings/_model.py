"""StringModel: the interface of a prior over strings that cannot be listed; CutLine: its line without some strings."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Protocol, runtime_checkable

from minleak.errors import InvalidParameter


@runtime_checkable
class StringModel(Protocol):
    """A prior over strings as integers: string x owns the positions start, ..., start + weight - 1 of the line
    0, ..., total - 1. The intervals are disjoint and cover the line.

    A grammar or a language model with probabilities rounded to integers is one too if it has these five members;
    `minleak.testing.check_model` tests them. Only plans over an `NGram` can be saved and drawn from.
    """

    @property
    def total(self) -> int:
        """The length of the line."""

    def weight(self, string: str) -> int:
        """How many positions the string owns; 0 if the model cannot hold it."""

    def interval(self, string: str) -> tuple[int, int]:
        """(start, weight) of a string that has a weight; else an `UnknownSecret` that does not quote it."""

    def at(self, position: int) -> str:
        """The string that owns a position."""

    def heaviest(self, k: int, above: int = 0) -> list[tuple[str, int]]:
        """Up to k strings heavier than `above` with their weights, heaviest first."""


def strings_of(model: StringModel, most: int) -> Iterator[tuple[str, int]]:
    """Every string of a small model with its weight, in the order of the line. Refused beyond `most` strings.

    The line is walked from interval to interval, which finds gaps and overlaps.
    """
    position = 0
    for _ in range(most):
        if position == model.total:
            return
        string = model.at(position)
        start, weight = model.interval(string)
        if start != position or weight < 1:
            raise InvalidParameter(f"the model's intervals do not tile its line: one does not begin at {position}")
        yield string, weight
        position += weight
    if position != model.total:
        raise InvalidParameter(f"the model has more than {most:,} strings: they are not listed")


class CutLine:
    """The line of a model with the intervals (start, weight) of some strings cut out.

    >>> from minleak.strings import NGram
    >>> model = NGram.fit(["a", "b"], longest=2)
    >>> line = CutLine(model, [model.interval("a")])
    >>> line.length == model.total - model.weight("a"), line.at(line.start("b"))
    (True, 'b')
    """

    def __init__(self, model: StringModel, cuts: Iterable[tuple[int, int]]) -> None:
        ordered = sorted(cuts)
        self._model = model
        self._starts = [start for start, _ in ordered]
        self._lost = [0, *accumulate(weight for _, weight in ordered)]
        self._seams = [start - lost for start, lost in zip(self._starts, self._lost[:-1], strict=True)]
        self.length = model.total - self._lost[-1]

    def start(self, string: str) -> int:
        """Where a string that was not cut out begins."""
        start, _ = self._model.interval(string)
        return start - self._lost[bisect_left(self._starts, start)]

    def at(self, position: int) -> str:
        """The string that owns a position."""
        return self._model.at(position + self._lost[bisect_right(self._seams, position)])
