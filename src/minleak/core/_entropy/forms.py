"""Forms: entropies as data, for code that needs more than their values.

The whole Renyi family is one formula with four numbers. With H_a the Renyi entropy of order a, in nats,

    R = (1/c) log sum over y of p(y) exp(c H_a(X given y)),    H(X|Y) = (exp(d R) - 1) / (d unit),

where c = 0 is the plain mean, c = -inf and inf are the least and the largest, and d = 0 is R / unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from minleak.core._arrays import Array
from minleak.core._entropy.deformed import deform
from minleak.core._entropy.means import exponential_mean

_OVERFLOW = 709.0  # exp of more than this may not be a float


class RenyiMean(NamedTuple):
    """The order a and the exponent c of the mean; the degree d and the unit of the outer function."""

    order: float
    exponent: float
    degree: float = 0.0
    unit: float = 1.0

    def outer(self, nats: float) -> float:
        """H(X|Y) from the mean R; increasing."""
        if self.degree == 0:
            return nats / self.unit
        if self.degree * nats > _OVERFLOW:
            return math.copysign(math.inf, self.degree)
        return float(deform(nats, self.degree)) / self.unit

    def combine(self, mass: Array, nats: Array) -> float:
        """H(X|Y) from the p(y), which need not sum to one, and the H_a(X given y) in nats."""
        return self.outer(exponential_mean(mass, nats, self.exponent))


@dataclass(frozen=True)
class BestGuesses:
    """The probability that the l best guesses are all wrong."""

    l: int


@dataclass(frozen=True)
class AllGuesses:
    """The expected number of guesses until the right one."""


Form = RenyiMean | BestGuesses | AllGuesses

# The chance that one guess is wrong, 1 - exp(-R), is of the Renyi family too.
_ONE_GUESS = RenyiMean(math.inf, -1.0, degree=-1.0)


def as_mean(form: Form | None) -> RenyiMean | None:
    """The form as a mean of Renyi entropies, also for one guess; None for any other form."""
    if form == BestGuesses(1):
        return _ONE_GUESS
    return form if isinstance(form, RenyiMean) else None


def arimoto_exponent(alpha: float) -> float:
    """(1-a)/a, with its limits at 0 and infinity."""
    if alpha == 0:
        return math.inf
    return -1.0 if alpha == math.inf else (1 - alpha) / alpha
