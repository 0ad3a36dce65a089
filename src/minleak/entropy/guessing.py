"""Entropies of a guessing attacker: one guess, l guesses, or guessing until right."""

from __future__ import annotations

import math

import numpy as np

from minleak.columns import heavy_columns
from minleak.entropy.base import Array, Entropy, log, log_base
from minleak.entropy.spectra import beyond, guesswork_of_spectrum, renyi_of_spectrum
from minleak.errors import InvalidParameter

# Columns this long, in blocks this large, are sorted by a compiled radix sort; loading it costs more than others save.
_LONG, _LARGE = 1024, 1 << 16


class MinEntropy(Entropy):
    """One best guess: Fhat(v) = max v, eta(z) = -log z. In bits unless `base` says otherwise.

    >>> MinEntropy()([2, 1, 1])
    1.0
    """

    increasing = False

    def __init__(self, *, base: float = 2) -> None:
        self.unit = log_base(base)

    @property
    def name(self) -> str:
        return "min-entropy"

    @property
    def arimoto_order(self) -> float:
        return math.inf

    def eta(self, z: float) -> float:
        return 0.0 - log(z) / self.unit

    def _perspective(self, v: Array) -> Array:
        return np.asarray(v.max(axis=0))

    # -log(T / (T + R)) = log1p(R / T) keeps the digits when a guess is almost surely right.
    def summary(self, v: Array) -> Array:
        return np.stack(heavy_columns(v)[:2])

    def value(self, summary: Array) -> float:
        top, rest = summary.sum(axis=1)
        return math.log1p(rest / top) / self.unit

    def of_spectrum(self, values: Array, times: Array) -> float:
        return renyi_of_spectrum(values, times, math.inf) / self.unit


class GuessError(Entropy):
    """The probability that l best guesses are all wrong: Fhat(v) = |v|_1 - (the sum of the l largest), eta(z) = z.

    GuessError(1) is one minus the Bayes vulnerability.

    >>> GuessError(2)([4, 3, 2, 1])
    0.30000000000000004
    """

    increasing = True

    def __init__(self, l: int = 1) -> None:
        if isinstance(l, bool) or not isinstance(l, int | np.integer) or not 1 <= l <= 2**53:
            raise InvalidParameter("the number of guesses l is a whole number from 1 on, of 2**53 at most")
        self.l = int(l)

    @property
    def name(self) -> str:
        return f"guess-error:{self.l}"

    def eta(self, z: float) -> float:
        return z

    def _perspective(self, v: Array) -> Array:
        others = len(v) - self.l
        if others <= 0:
            return np.zeros(v.shape[1])
        if self.l == 1:
            return heavy_columns(v)[1]
        return np.asarray(np.partition(v, others, axis=0)[:others].sum(axis=0))

    def of_spectrum(self, values: Array, times: Array) -> float:
        return beyond(values, times, self.l)


class Guesswork(Entropy):
    """The expected number of guesses until right: Fhat(v) = sum of i v_[i], v_[i] the i-th largest, eta(z) = z.

    >>> Guesswork()([4, 3, 2, 1])
    2.0
    """

    increasing = True

    @property
    def name(self) -> str:
        return "guesswork"

    def eta(self, z: float) -> float:
        return z

    def _perspective(self, v: Array) -> Array:
        if len(v) >= _LONG and v.size >= _LARGE:
            from minleak._kernels import guessing

            return np.asarray(guessing.guesswork_sums(v, np.empty(v.shape[1])))
        ascending = np.array(v.T, order="C")  # a copy always: others look at v too
        ascending.sort(axis=1)
        return np.asarray(ascending @ np.arange(len(v), 0, -1, dtype=np.float64))

    def of_spectrum(self, values: Array, times: Array) -> float:
        return guesswork_of_spectrum(values, times)
