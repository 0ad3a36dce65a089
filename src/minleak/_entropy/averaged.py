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
from minleak._entropy.base import Entropy, RenyiMean
from minleak._entropy.deformed import deformed, restored
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


def arimoto_exponent(alpha: float) -> float:
    """(1-a)/a, with its limits at 0 and infinity."""
    if alpha == 0:
        return math.inf
    return -1.0 if alpha == math.inf else (1 - alpha) / alpha


class Averaged(Entropy):
    """A subclass gives `renyi_mean`, its (a, c); one that sees the mean through a function, `of_mean` and `slope`."""

    @property
    @abstractmethod
    def renyi_mean(self) -> RenyiMean:
        """(a, c), the order and the exponent of the mean."""

    def of_mean(self, nats: float) -> float:
        return nats / self.unit

    @property
    def arimoto_order(self) -> float | None:
        order, exponent = self.renyi_mean
        return order if exponent == arimoto_exponent(order) else None

    def of_spectrum(self, values: Array, times: Array) -> float:
        return self.of_mean(renyi_of_spectrum(values, times, self.renyi_mean.order))

    def of_targets(self, targets: Targets) -> Array:
        return np.array([self.of_mean(nats) for nats in targets.renyi(self.renyi_mean.order).tolist()])

    def of_random_sets(self, sets: RandomSets) -> float | None:
        if self.arimoto_order == math.inf:
            return -math.log(float(sets.p @ sets.among_best(1))) / self.unit
        nats = sets.shannon() if self.arimoto_order == 1 else None
        return None if nats is None else nats / self.unit

    def slope(self, u: float, mass: float = 1.0) -> float:
        c = self.renyi_mean.exponent
        left = mass + c * u if c else 1.0
        return 1.0 / (self.unit * left) if left > 0 else math.inf
