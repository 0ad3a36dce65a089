"""Entropies of a guessing attacker: one guess, l guesses, or guessing until right."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.columns import heavy_columns
from minleak._data.parameters import whole
from minleak._entropy.averaged import Averaged
from minleak._entropy.base import Entropy, Sampled, log, log_base
from minleak._entropy.forms import AllGuesses, BestGuesses, RenyiMean
from minleak._entropy.random_sets import RandomSets
from minleak._entropy.spectra import beyond, guesswork_of_spectrum
from minleak._entropy.targets import Targets


class MinEntropy(Averaged):
    """One best guess: Fhat(v) = max v, eta(z) = -log z. In bits unless `base` says otherwise.

    >>> MinEntropy()([2, 1, 1])
    1.0
    """

    increasing = False
    best_sorted = True

    def __init__(self, *, base: float = 2) -> None:
        self.unit = log_base(base)

    @property
    def form(self) -> RenyiMean:
        return RenyiMean(math.inf, -1.0, unit=self.unit)

    @property
    def name(self) -> str:
        return "min-entropy"

    def eta(self, z: float) -> float:
        return 0.0 - log(z) / self.unit

    def _perspective(self, v: Array) -> Array:
        return np.asarray(v.max(axis=0))

    # -log(T / (T + R)) = log1p(R / T) keeps the digits when a guess is almost surely right.
    def summary(self, v: Array) -> Array:
        return np.array(heavy_columns(v)[:2])

    def value(self, summary: Array) -> float:
        top, rest = summary.sum(axis=1)
        return math.log1p(rest / top) / self.unit

    def of_samples(self, sampled: Sampled) -> Any:
        return sampled.compared(1, lambda after, before: math.log(max(after, 1e-300) / before) / self.unit, 0.0)


class GuessError(Entropy):
    """The probability that l best guesses are all wrong: Fhat(v) = |v|_1 - (the sum of the l largest), eta(z) = z.

    GuessError(1) is one minus the Bayes vulnerability.

    >>> GuessError(2)([4, 3, 2, 1])
    0.30000000000000004
    """

    increasing = True
    best_sorted = True

    def __init__(self, l: int = 1) -> None:
        self.l = whole(l, "the number of guesses l", most=2**53)

    @property
    def form(self) -> BestGuesses:
        return BestGuesses(self.l)

    @property
    def name(self) -> str:
        return f"guess-error:{self.l}"

    def _perspective(self, v: Array) -> Array:
        others = len(v) - self.l
        if others <= 0:
            return np.zeros(v.shape[1])
        if self.l == 1:
            return heavy_columns(v)[1]
        return np.asarray(np.partition(v, others, axis=0)[:others].sum(axis=0))

    def of_spectrum(self, values: Array, times: Array) -> float:
        return beyond(values, times, self.l)

    def of_targets(self, targets: Targets) -> Array:
        known = np.minimum(targets.giants, self.l)
        equal = targets.share * np.maximum(targets.places - (self.l - known), 0)
        return np.where(self.l <= targets.giants, targets.tails[known], equal)

    def of_random_sets(self, sets: RandomSets) -> float:
        return float(sets.p @ (1 - sets.among_best(self.l)))

    def worth_by_count(self, n: int) -> Array:
        return np.asarray(np.maximum(np.arange(n + 1.0) - self.l, 0.0) / n)

    def of_samples(self, sampled: Sampled) -> Any:
        return sampled.compared(self.l, operator.sub, 0.0)


class Guesswork(Entropy):
    """The expected number of guesses until right: Fhat(v) = sum of i v_[i], v_[i] the i-th largest, eta(z) = z.

    >>> Guesswork()([4, 3, 2, 1])
    2.0
    """

    increasing = True
    best_sorted = True
    form = AllGuesses()

    @property
    def name(self) -> str:
        return "guesswork"

    def _perspective(self, v: Array) -> Array:
        ascending = np.array(v.T, order="C")  # a copy always: others look at v too
        ascending.sort(axis=1)
        return np.asarray(ascending @ np.arange(len(v), 0, -1, dtype=np.float64))

    def of_spectrum(self, values: Array, times: Array) -> float:
        return guesswork_of_spectrum(values, times)

    def of_targets(self, targets: Targets) -> Array:
        ranked = targets.of_giants(np.arange(1, len(targets.p) + 1) * targets.p)
        middle = targets.giants + (targets.places + 1) / 2
        return np.asarray(ranked + np.where(targets.left > 0, targets.left * middle, 0.0))

    def of_random_sets(self, sets: RandomSets) -> float:
        return float(sets.p @ sets.ranks())

    def worth_by_count(self, n: int) -> Array:
        N = np.arange(n + 1.0)
        return np.asarray(N * (N + 1) / (2 * n))

    def of_samples(self, sampled: Sampled) -> Any:
        return sampled.guesswork()
