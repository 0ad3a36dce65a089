"""Every random choice of a step listed with its probability, as Fractions: the code that draws, driven by a script."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from minleak.lab.sequences import _rounding as rounding


class Script:
    """A stream that takes the choices it is told and, after these, the first one each time; `options` are the
    probabilities that it was asked to choose between.
    """

    def __init__(self, choices: list[int]) -> None:
        self.choices, self.options = choices, []

    def chosen(self, probabilities: list[Fraction]) -> int:
        at = len(self.options)
        self.options.append(probabilities)
        return self.choices[at] if at < len(self.choices) else next(i for i, p in enumerate(probabilities) if p)

    def below(self, bound: int, most: int = 0) -> int:
        del most
        return self.chosen([Fraction(1, bound)] * bound)

    def among(self, weights: Any) -> int:
        total = int(sum(weights.tolist()))
        return self.chosen([Fraction(w, total) for w in weights.tolist()])

    def words(self, count: int) -> Script:
        del count
        return self


def law(draw: Callable[[Script], Any], monkeypatch: Any) -> dict[Any, Fraction]:
    """The law of what `draw` returns, summed over all choices."""

    def chance(p: int, q: int, words: Script, at: int) -> tuple[bool, int]:
        up = Fraction(int(p), int(q))
        return words.chosen([1 - up, up]) == 1, at

    monkeypatch.setattr(rounding, "chance", chance)
    monkeypatch.setattr(rounding, "round_columns", getattr(rounding.round_columns, "py_func", rounding.round_columns))
    found: dict[Any, Fraction] = defaultdict(Fraction)
    waiting: list[list[int]] = [[]]
    while waiting:
        script = Script(waiting.pop())
        result = draw(script)
        probability = Fraction(1)
        for at, options in enumerate(script.options):
            taken = script.choices[at] if at < len(script.choices) else None
            if taken is None:
                taken = next(i for i, p in enumerate(options) if p)
                done = script.choices + [
                    next(i for i, p in enumerate(o) if p) for o in script.options[len(script.choices) : at]
                ]
                waiting += [[*done, i] for i, p in enumerate(options) if p and i > taken]
            probability *= options[taken]
        found[result] += probability
    return dict(found)
