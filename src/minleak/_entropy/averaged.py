"""Entropies that average the Renyi entropies of the posteriors, and all that follows from it.

For Shannon's, min-entropy and the three conditional Renyi entropies of order a,

    H(X|Y) = (1/c) log sum over y of p(y) exp(c H_a(X given y)),

so that sweeps, sums under another prior, buckets and convex design need to know no more than (a, c).
"""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from minleak._data.arrays import Array
from minleak._entropy.base import Entropy
from minleak._entropy.deformed import deformed, restored
from minleak._entropy.forms import RenyiMean
from minleak._entropy.random_sets import RandomSets
from minleak._entropy.spectra import renyi_of_spectrum
from minleak._entropy.targets import Targets


def exponential_mean(s: Array, h: Array, c: float) -> float:
    """(1/c) log of the mean of exp(c h) under weights s; the mean at c = 0, the extremes at c = -inf and inf."""
    s, h = s[s > 0], h[s > 0]
    s = s / s.sum()
    with np.errstate(over="ignore", invalid="ignore"):
        x = c * h
    if not np.isfinite(x).all():
        return float(h.max() if c > 0 else h.min())
    largest = x.max()
    if largest < 700:
        excess = s @ deformed(h, c)
        if c * excess > -0.5:
            return float(restored(excess, c))
    return float(largest + math.log(s @ np.exp(x - largest))) / c


class Averaged(Entropy):
    """A subclass gives its `form`, a mean of Renyi entropies."""

    @property
    @abstractmethod
    def form(self) -> RenyiMean:
        """The order and the exponent of the mean, and what it is seen through."""

    def of_spectrum(self, values: Array, times: Array) -> float:
        return self.form.outer(renyi_of_spectrum(values, times, self.form.order))

    def of_targets(self, targets: Targets) -> Array:
        return np.array([self.form.outer(nats) for nats in targets.renyi(self.form.order).tolist()])

    def of_random_sets(self, sets: RandomSets) -> float | None:
        if self.form.arimoto_order == math.inf:
            return -math.log(float(sets.p @ sets.among_best(1))) / self.unit
        nats = sets.shannon() if self.form.arimoto_order == 1 else None
        return None if nats is None else nats / self.unit
