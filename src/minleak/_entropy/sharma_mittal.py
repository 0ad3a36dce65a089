"""The Sharma-Mittal entropies and Tsallis' among them: Hayashi's Renyi entropy seen through an exponential, in nats."""

from __future__ import annotations

import math

from minleak._data.parameters import real
from minleak._entropy.base import order, shortest
from minleak._entropy.deformed import deformed
from minleak._entropy.renyi import Hayashi

_OVERFLOW = 709.0  # exp of more than this may not be a float


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
    def arimoto_order(self) -> float | None:
        return super().arimoto_order if self.beta == 1 else None

    def eta(self, z: float) -> float:
        return _seen(super().eta(z), self.beta)

    def of_mean(self, nats: float) -> float:
        return _seen(nats, self.beta)

    def slope(self, u: float, mass: float = 1.0) -> float:
        steep = super().slope(u, mass)
        return steep if math.isinf(steep) else steep * math.exp((1 - self.beta) * self.renyi_mean.of_core(u, mass))


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


def _seen(r: float, beta: float) -> float:
    """(exp((1-b) r) - 1) / (1-b), and r at b = 1."""
    c = 1 - beta
    return math.copysign(math.inf, c) if c * r > _OVERFLOW else float(deformed(r, c))
