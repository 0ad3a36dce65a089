"""The Sharma-Mittal entropies and Tsallis' among them: Hayashi's Renyi entropy seen through an exponential, in nats."""

from __future__ import annotations

import math

import numpy as np

from minleak.entropy.base import Array, log, order
from minleak.entropy.renyi import Hayashi
from minleak.errors import InvalidParameter


class SharmaMittal(Hayashi):
    """Fhat as Hayashi(a), eta(z) = (1 - z^((1-b)/(1-a))) / (b-1); a in [0, inf], b any real number. In nats.

    With R the Hayashi entropy of order a in nats this is (exp((1-b) R) - 1) / (1-b), which is how it is computed.
    b -> 1 is Hayashi(a), b = a Tsallis(a), both -> 1 Shannon.

    >>> round(SharmaMittal(2, 0.5)([1, 1, 1, 1]), 12)
    2.0
    """

    def __init__(self, alpha: float, beta: float) -> None:
        super().__init__(alpha, base=math.e)
        if isinstance(beta, bool) or not isinstance(beta, int | float | np.number) or not math.isfinite(beta):
            raise InvalidParameter(f"the degree beta is a finite number, not {beta!r}")
        self.beta = float(beta)

    @property
    def name(self) -> str:
        return f"sharma-mittal:{self.alpha:g},{self.beta:g}"

    @property
    def arimoto_order(self) -> float | None:
        return super().arimoto_order if self.beta == 1 else None

    def eta(self, z: float) -> float:
        if self.alpha in (1, math.inf) or self.beta == 1:
            return _deformed(super().eta(z), self.beta)
        return (1 - math.exp((1 - self.beta) / (1 - self.alpha) * log(z))) / (self.beta - 1)

    def value(self, summary: Array) -> float:
        return _deformed(super().value(summary), self.beta)


class Tsallis(SharmaMittal):
    """Fhat as Hayashi(q), eta(z) = (1 - z)/(q-1), q in [0, inf). In nats; q -> 1 is Shannon.

    >>> Tsallis(2)([1, 1])
    0.5
    """

    def __init__(self, q: float) -> None:
        super().__init__(order(q, "the order q", infinite=False), q)

    @property
    def name(self) -> str:
        return f"tsallis:{self.alpha:g}"


def _deformed(r: float, beta: float) -> float:
    """(exp((1-b) r) - 1) / (1-b), and r at b = 1."""
    return r if beta == 1 else math.expm1((1 - beta) * r) / (1 - beta)
