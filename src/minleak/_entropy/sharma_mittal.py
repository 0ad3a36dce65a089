"""The Sharma-Mittal entropies and Tsallis' among them: Hayashi's Renyi entropy seen through an exponential, in nats."""

from __future__ import annotations

import math

from minleak._data.parameters import real
from minleak._entropy.base import order, shortest
from minleak._entropy.forms import RenyiMean
from minleak._entropy.renyi import Hayashi


class SharmaMittal(Hayashi):
    """Fhat as Hayashi(a), eta(z) = (1 - z^((1-b)/(1-a))) / (b-1); a in [0, inf], b any real number. In nats.

    With R the Hayashi entropy of order a in nats this is (exp((1-b) R) - 1) / (1-b), which is how it is computed.
    b -> 1 is Hayashi(a), b = a Tsallis(a), both -> 1 Shannon.

    >>> round(SharmaMittal(2, 0.5)([1, 1, 1, 1]), 12)
    2.0
    """

    def __init__(self, alpha: float, beta: float) -> None:
        super().__init__(alpha, base=math.e)
        # Minus zero is zero.
        self.beta = real(beta, "the degree beta is a finite number", above=-math.inf, below=math.inf) + 0.0

    @property
    def name(self) -> str:
        return f"sharma-mittal:{shortest(self.alpha)},{shortest(self.beta)}"

    @property
    def form(self) -> RenyiMean:
        return RenyiMean(self.alpha, self.exponent, degree=1 - self.beta)

    def eta(self, z: float) -> float:
        return self.form.outer(super().eta(z))


class Tsallis(SharmaMittal):
    """Fhat as Hayashi(q), eta(z) = (1 - z)/(q-1), q in [0, inf). In nats; q -> 1 is Shannon.

    >>> Tsallis(2)([1, 1])
    0.5
    """

    def __init__(self, q: float) -> None:
        super().__init__(order(q, "the order q", infinite=False), q)

    @property
    def name(self) -> str:
        return f"tsallis:{shortest(self.alpha)}"
