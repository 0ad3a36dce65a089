"""Entropies of an attacker who makes several guesses: l of them, or guessing until right."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._columns import FewColumns, heavy_columns
from minleak.core._entropy.base import Entropy
from minleak.core._entropy.few import guess_error, guesswork
from minleak.core._entropy.forms import AllGuesses, BestGuesses
from minleak.core._parameters import whole
from minleak.core._prior import Prior, as_prior


@lru_cache(maxsize=4)
def _ranks(n: int) -> Array:
    return np.arange(1.0, n + 1)


class GuessError(Entropy):
    """The probability that l best guesses are all wrong: Fhat(v) = |v|_1 - (the sum of the l largest), eta(z) = z.

    GuessError(1) is one minus the Bayes vulnerability.

    >>> GuessError(2)([4, 3, 2, 1])
    0.30000000000000004
    """

    increasing = True

    def __init__(self, l: int = 1) -> None:
        self.l = whole(l, "the number of guesses l", most=2**53)

    @property
    def name(self) -> str:
        return f"guess-error:{self.l}"

    @property
    def form(self) -> BestGuesses:
        return BestGuesses(self.l)

    def _perspective(self, v: Array) -> Array:
        others = len(v) - self.l
        if others <= 0:
            return np.zeros(v.shape[1])
        if self.l == 1:
            return heavy_columns(v)[1]
        return np.asarray(np.partition(v, others, axis=0)[:others].sum(axis=0))

    def of_spectrum(self, values: Array, times: Array) -> float:
        after = np.clip(np.cumsum(times) - self.l, 0.0, times)  # of each value, how many come after the l-th place
        return float(after @ values)

    def of_few(self, columns: FewColumns) -> float:
        return guess_error(self.l, columns)


class Guesswork(Entropy):
    """The expected number of guesses until right: Fhat(v) = sum of i v_[i], v_[i] the i-th largest, eta(z) = z.

    >>> Guesswork()([4, 3, 2, 1])
    2.0
    """

    name = "guesswork"
    increasing = True
    form = AllGuesses()

    def __call__(self, prior: Prior | Iterable[Any]) -> float:
        prior = as_prior(prior)
        if prior.spectrum is not None:
            return super().__call__(prior)
        p = prior.descending
        return float(p.dot(_ranks(len(p))))

    def _perspective(self, v: Array) -> Array:
        ascending = np.array(v.T, order="C")  # a copy always: others look at v too
        ascending.sort(axis=1)
        return np.asarray(ascending @ np.arange(len(v), 0, -1, dtype=np.float64))

    def of_spectrum(self, values: Array, times: Array) -> float:
        # c secrets of equal probability after b others stand on average at b + (c+1)/2
        before = np.cumsum(times) - times
        return float((times * values) @ (before + (times + 1) / 2))

    def of_few(self, columns: FewColumns) -> float:
        return guesswork(columns)
