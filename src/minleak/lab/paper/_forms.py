"""Forms in the paper beside those of its theorem: three conditional Renyi entropies that it rejects, since observing
can increase them, and the logarithm of guesswork, which it plots.
"""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from minleak.core._arrays import Array
from minleak.core._entropy.base import ConditionalEntropy, Entropy, log, log_base
from minleak.core._entropy.families import Guesswork, Hayashi


class NonMonotone(ConditionalEntropy):
    """Shared by the three: H(X) is the Renyi entropy of order alpha, H(X|Y) is not bounded by it."""

    monotone = False

    def __init__(self, alpha: float, *, base: float = 2) -> None:
        self.alpha = alpha
        self.unit = log_base(base)
        self._renyi = Hayashi(alpha, base=math.e)

    @property
    def name(self) -> str:
        return f"{type(self).__name__.lower()}:{self.alpha:g}"

    def summary(self, v: Array) -> Array:
        """p(y) and the Renyi entropy of the posterior in nats, for each column."""
        return self._renyi.summary(v)

    def value(self, summary: Array) -> float:
        s, h = summary
        return self._combine(s[s > 0] / s.sum(), h[s > 0]) / self.unit

    @abstractmethod
    def _combine(self, s: Array, h: Array) -> float:
        """H(X|Y) in nats from p(y) > 0 and the Renyi entropies of the posteriors."""


class Cachin(NonMonotone):
    """The mean of H_a(X given y) over y.

    Observing can increase it for a > 1, given enough secrets; for a <= 1 it cannot, H_a being concave.
    """

    def _combine(self, s: Array, h: Array) -> float:
        return float(s @ h)


class JizbaArimitsu(NonMonotone):
    """H_a(X,Y) - H_a(Y), also Golshani's. Observing can increase it for every a other than 0 and 1."""

    def _combine(self, s: Array, h: Array) -> float:
        a = self.alpha
        logs = np.log(s) - np.log(s).max()
        if a == math.inf:
            return float((h - logs).min())
        x = a * logs
        if a <= 2 or x.min() > -700:  # no p(y)^a that matters underflows: Hayashi's mean keeps more digits
            return self._renyi.value(np.stack([np.exp(x), h]))
        both = x + (1 - a) * h  # the logarithm of the sum over x of p(x,y)^a
        return float(np.logaddexp.reduce(both) - np.logaddexp.reduce(x)) / (1 - a)


class RennerWolf(NonMonotone):
    """1/(1-a) max over y of log |p(.|y)|_a^a: the largest H_a(X given y) for a < 1, the smallest for a > 1.

    Observing can increase it for a < 1. For a > 1 the print's maximum makes it a minimum of entropies, which by the
    convexity of sum p^a cannot exceed H_a(X). At a = 1 the two one-sided limits differ; the larger is taken.
    """

    def _combine(self, s: Array, h: Array) -> float:
        del s
        return float(h.max() if self.alpha <= 1 else h.min())


class LogGuesswork(Entropy):
    """The logarithm of the expected number of guesses, in bits: eta = log2, F that of guesswork. The paper plots it to
    have one scale with Shannon's entropy.

    >>> LogGuesswork()([4, 3, 2, 1])
    1.0
    """

    name = "log-guesswork"
    increasing = True

    def __init__(self, *, base: float = 2) -> None:
        self.unit = log_base(base)

    def eta(self, z: float) -> float:
        return log(z) / self.unit

    def _perspective(self, v: Array) -> Array:
        return Guesswork()._perspective(v)
