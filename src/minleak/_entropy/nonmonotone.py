"""Three conditional Renyi entropies that the paper rejects: observing can increase them."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from minleak._data.arrays import Array
from minleak._entropy.averaged import exponential_mean
from minleak._entropy.base import ConditionalEntropy, log_base, order, shortest
from minleak._entropy.renyi import renyi_columns


class NonMonotone(ConditionalEntropy):
    """Shared by the three: H(X) is the Renyi entropy of order alpha, H(X|Y) is not bounded by it."""

    monotone = False

    def __init__(self, alpha: float, *, base: float = 2) -> None:
        self.alpha = order(alpha, "the order alpha")
        self.unit = log_base(base)

    @property
    def name(self) -> str:
        return f"{type(self).__name__.lower()}:{shortest(self.alpha)}"

    def summary(self, v: Array) -> Array:
        return renyi_columns(v, self.alpha)

    def value(self, summary: Array) -> float:
        s, h = summary
        return self._combined(s[s > 0] / s.sum(), h[s > 0]) / self.unit

    @abstractmethod
    def _combined(self, s: Array, h: Array) -> float:
        """H(X|Y) in nats from p(y) > 0 and the Renyi entropies of the posteriors."""


class Cachin(NonMonotone):
    """The mean of H_a(X given y) over y.

    Observing can increase it for a > 1, given enough secrets; for a <= 1 it cannot, H_a being concave.
    """

    def _combined(self, s: Array, h: Array) -> float:
        return float(s @ h)


class JizbaArimitsu(NonMonotone):
    """H_a(X,Y) - H_a(Y), also Golshani's. Observing can increase it for every a other than 0 and 1."""

    def _combined(self, s: Array, h: Array) -> float:
        a = self.alpha
        logs = np.log(s) - np.log(s).max()
        if a == math.inf:
            return float((h - logs).min())
        x = a * logs
        if a <= 2 or x.min() > -700:  # no p(y)^a that matters underflows: the mean keeps more digits
            return exponential_mean(np.exp(x), h, 1 - a)
        both = x + (1 - a) * h  # the logarithm of the sum over x of p(x,y)^a
        return float(np.logaddexp.reduce(both) - np.logaddexp.reduce(x)) / (1 - a)


class RennerWolf(NonMonotone):
    """1/(1-a) max over y of log |p(.|y)|_a^a: the largest H_a(X given y) for a < 1, the smallest for a > 1.

    Observing can increase it for a < 1. For a > 1 the print's maximum makes it a minimum of entropies, which by the
    convexity of sum p^a cannot exceed H_a(X). At a = 1 the two one-sided limits differ; the larger is taken.
    """

    def _combined(self, s: Array, h: Array) -> float:
        del s
        return float(h.max() if self.alpha <= 1 else h.min())
