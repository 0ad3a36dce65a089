"""A model's line without some of its strings: what is behind a gap moves up."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate

from minleak._design.unlisted.model import Model


class CutLine:
    """Positions of a model with some intervals, each (start, weight) of a string, cut out.

    >>> from minleak._design.unlisted.ngram import NGram
    >>> model = NGram.fit(["a", "b"], longest=2)
    >>> line = CutLine(model, [model.interval("a")])
    >>> line.length == model.total - model.weight("a"), line.at(line.start("b"))
    (True, 'b')
    """

    def __init__(self, model: Model, cuts: Iterable[tuple[int, int]]) -> None:
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
