"""Entropies as data, and the one computation of the whole Renyi family, with all its digits.

With H_a the Renyi entropy of order a, in nats,

    R = (1/c) log sum over y of p(y) exp(c H_a(X given y)),    H(X|Y) = (exp(d R) - 1) / (d unit),

where c = 0 is the plain mean, c = -inf and inf are the least and the largest, and d = 0 is R / unit. With
c = (1-a)/a it is Arimoto's, with c = 1-a Hayashi's, with c = -1 Fehr and Berens' conditional entropy. Guesses are two
more forms. Code that needs more of an entropy than its values (convex design, sweeps, padding, bounds from samples)
matches on the form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._columns import workspace

# Up to this order sum q^a is formed as 1 + sum q expm1((a-1) log q), which is exact at a = 1; above it relative
# to the largest entry, which cannot underflow.
NEAR_ONE = 1.25
# From this exponent on an exponential mean is the extreme to all digits, and c h might pass the largest float.
_EXTREME = 1e300
_OVERFLOW = 709.0  # exp of more than this may not be a float
# Below this expm1(z) = log1p(z) = z to all digits, and a tiny z = c x may have lost its own to underflow.
_LINEAR = 1e-17
# The least share of a column that an entry counts as, where the quotient underflows.
_LEAST = 1e-308
# Above this the logarithm of a column's sum is small enough to cancel nothing.
_SMALL = 1e-30


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


def renyi_columns(v: Array, alpha: float, times: Array | None = None) -> Array:
    """For each column its sum s and the Renyi entropy of order alpha of v/s, in nats: an array of shape (2, m).

    `times` tells how often each entry stands in its column, an array that broadcasts with v: a spectrum of distinct
    probabilities and their multiplicities is one column. To about 1e-15 relative for every alpha in [0, inf]; 1e-13
    where entries of 1e-300 decide the value.
    """
    if alpha == 0:
        often = np.ones((1, 1)) if times is None else times
        return np.array([(often * v).sum(axis=0), np.log(np.maximum((often * (v > 0)).sum(axis=0), 1))])
    top, rest, heavy, at = heavy_columns(v, times)
    s, scale = top + rest, top if top.min() > 0 else np.where(top > 0, top, 1.0)
    if alpha <= NEAR_ONE:
        if alpha == 1 and times is None and not len(heavy) and s.min() > _SMALL and v.min() > 0:
            # Where no entry is zero or most of its column this has all its digits.
            return np.array([s, np.log(s) - _products(v, np.log(v, out=workspace(v.shape))) / s])
        sums = np.maximum(s, scale)  # 1 for a column of zeros
        logs = np.divide(v, sums, out=workspace(v.shape))
        np.log(np.maximum(logs, _LEAST, out=logs), out=logs)
        logs[at, heavy] = -np.log1p(rest[heavy] / top[heavy])  # close to one, where v / s has lost what is missing
        mass = v if times is None else times * v
        return np.array([s, restore(-_products(mass, deform(logs, alpha - 1)) / sums, 1 - alpha)])
    odds = np.log1p(rest / scale)
    if alpha == math.inf:
        return np.array([s, odds])
    powers = np.divide(v, scale, out=workspace(v.shape))
    with np.errstate(under="ignore"):
        powers **= alpha
    if times is not None:
        powers *= times
    powers[at, heavy] = 0.0
    others = powers.sum(axis=0)
    counted = top > 0  # where the largest entry is among the powers, as one
    counted[heavy] = False
    others -= counted
    return np.array([s, alpha / (alpha - 1) * odds - np.log1p(others) / (alpha - 1)])


def exponential_mean(s: Array, h: Array, c: float) -> float:
    """(1/c) log of the mean of exp(c h) under weights s; the mean at c = 0, the extremes at c = -inf and inf."""
    if not (s > 0).all():
        s, h = s[s > 0], h[s > 0]
    s = s / s.sum()
    if c == 0:
        return float(s @ h)
    if abs(c) > _EXTREME:
        return float(h.max() if c > 0 else h.min())
    x = c * h
    largest = x.max()
    if largest < 700:
        excess = s @ deform(h, c)
        if c * excess > -0.5:
            return float(restore(excess, c))
    return float(largest + math.log(s @ np.exp(x - largest))) / c


def deform(x: Any, c: float) -> Any:
    """(exp(c x) - 1) / c, and x at c = 0, with all the digits of x."""
    if c == 0:
        return x
    z = c * x
    return np.where(np.abs(z) < _LINEAR, x, np.expm1(z) / c)


def restore(y: Any, c: float) -> Any:
    """log(1 + c y) / c, and y at c = 0: the inverse of `deform`."""
    if c == 0:
        return y
    z = c * y
    return np.where(np.abs(z) < _LINEAR, y, np.log1p(z) / c)


def heavy_columns(
    v: Array, times: Array | None = None
) -> tuple[Array, Array, npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The largest entry of each column and the sum of the others, both to full relative precision.

    Subtracting the largest from the sum cancels where it is above half of it. In those heavy columns the others are
    added up alone; also returned are the heavy columns and the row of each one's largest entry. `times` is the
    multiplicity of each entry in its column, where one of the largest is the top and all else are others.
    """
    top = v.max(axis=0)
    mass = v if times is None else times * v
    total = mass.sum(axis=0)
    rest = total - top
    heavy = np.flatnonzero(top > 0.5 * total)
    if not len(heavy):
        return top, rest, heavy, heavy
    part = mass[:, heavy]
    at = part.argmax(axis=0)
    part[at, np.arange(len(heavy))] = 0.0
    rest[heavy] = part.sum(axis=0)
    return top, rest, heavy, at


def _products(a: Array, b: Array) -> Array:
    """The sum of a_i b_i for each column."""
    return np.asarray((a.T @ b)[0] if a.shape[1] == 1 else np.einsum("ij,ij->j", a, b))
