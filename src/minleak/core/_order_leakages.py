"""Leakage in a mean of Renyi entropies as a sum of terms none of which is negative, so that as many digits are left
however little leaks, at every order.

With (a, c) as in `RenyiMean`, r = p^a / sum p^a, b_y = sum over x of r_x C[x,y], d = C/b - 1, q_y = sum over x of p_x
C[x,y], u = q/b - 1, k = c/(1-a) and e = 1 - a k (0 for Arimoto), what leaks is -1/c log sum over y of b_y f_y with

    f_y = (sum over x of r_x (1 + d)^a)^k (1 + u)^e.

Here sum over x of r_x d = 0, so that the first factor has nothing linear in d, and of the second only (1+u)^e - 1 - e u
counts, as the b_y u add up to 0 over all y. Both have the sign of -c.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from minleak.core._arrays import Array
from minleak.core._entropy.forms import arimoto_exponent, deform, renyi_columns, restore

# Observables below this under r have lost digits to underflow; those that are below the second number under p as well
# add nothing.
_TINY, _NOTHING = 1e-290, 1e-280
# From exp of this on f is far from one.
_FAR = 30.0
# Below this (times the order) the terms are summed as a power series; above, what cancels leaves 14 digits.
_NEAR, _TERMS = 0.1, 17
# Powers from exp of this on are multiplied by their weights as logarithms.
_STEEP = 30.0
# Where a sum of powers is this close to one its logarithm is taken by log1p.
CLOSE = 0.5


@dataclass(frozen=True)
class Tilt:
    """The prior p and r, in proportion to p^a, with what of r is wanted to all digits."""

    a: float
    p: Array
    r: Array
    ratio: Array  # the a-th power of it is in proportion to r
    log_ratio: Array  # its logarithm
    log_total: float  # that constant

    @classmethod
    def of(cls, p: Array, a: float) -> Tilt:
        """r = p^a / sum p^a."""
        log_ratio = _log_ratio(p)
        r, log_total = _normalised(a * log_ratio)
        return cls(a, p / p.sum(), r, p / p.max(), log_ratio, log_total)

    @classmethod
    def given(cls, r: Array, a: float) -> Tilt:
        """With r itself given, for c of Arimoto, where p does not count."""
        log_ratio = _log_ratio(r) / a
        r, log_total = _normalised(a * log_ratio)
        return cls(a, r, r, np.exp(log_ratio), log_ratio, log_total)

    @cached_property
    def slope(self) -> Array:
        """(p - r)/(a - 1), and its limit at 1."""
        if abs(self.a - 1) >= CLOSE:
            return (self.p - self.r) / (self.a - 1)
        surprise = np.log(self.p) + float(renyi_columns(self.p[:, None], self.a)[1, 0])
        return np.asarray(-self.p * deform(surprise, self.a - 1))

    def exponents(self, shares: Array, logs: Array) -> Array:
        """log r + a `logs`, those of `shares`. Where log r is large too, by the product, before any digit is lost to a
        logarithm.
        """
        ratio, log_ratio = self.ratio[:, None], self.log_ratio[:, None]
        if self.a < 1 or log_ratio.min() > -CLOSE:
            return np.asarray(self.a * (log_ratio + logs) - self.log_total)
        product = ratio * shares
        normal = (ratio > _TINY) & (product > _TINY) & (product < 1 / _TINY) & (log_ratio <= -CLOSE)
        return np.asarray(self.a * np.where(normal, np.log(product), log_ratio + logs) - self.log_total)


def order_leakage(tilt: Tilt, blocks: Callable[[], Iterable[tuple[Array, Array]]], c: float) -> float:
    """What leaks in nats, of the secrets' rows of the channel in blocks of columns; 0 < a < inf, c at most Arimoto's.

    The relative error is at most 1e-11 up to order 1,000, and in proportion to the order above: what leaks depends as
    much on the last digits of the input.
    """
    terms = np.concatenate([_terms(tilt, C, c) for _, C in blocks()])
    nats = math.fsum(terms) if np.isfinite(terms).all() else math.inf
    if -c * nats > -CLOSE and nats < math.inf:
        return max(float(restore(nats, -c)), 0.0)
    logs = np.concatenate([_logs(tilt, C, c) for _, C in blocks()])
    return max(float(log_sum(logs)) / -c, 0.0)


def _terms(tilt: Tilt, C: Array, c: float) -> Array:
    """What each column adds to (sum of b f - 1)/-c."""
    b, d = relative(tilt.r, C)
    kept = b > _TINY
    if not kept.all():
        rare = C[:, ~kept & (tilt.p @ C > _NOTHING)]
        rest = _terms(tilt, C[:, kept], c) if kept.any() else np.zeros(0)
        return np.append(_far_terms(tilt, rare, c), rest)
    with np.errstate(all="ignore"):
        moment = _moment(tilt, C, b, d)
        log_second, second = _second_factor(tilt, C, b, d, c)
        terms = b * (deform(moment, -c) * np.exp(log_second) + second)
        far = -c * moment > _FAR
        if far.any():
            terms[far] = _far_terms(tilt, C[:, far], c)
    return np.asarray(terms)


def _logs(tilt: Tilt, C: Array, c: float) -> Array:
    """log b f of each column."""
    if tilt.a > 1:
        return _far_logs(tilt, C, c)
    b, d = relative(tilt.r, C)
    if not b.min() > _TINY:
        return _logs(tilt, C[:, b > _TINY], c) if b.max() > _TINY else np.zeros(0)
    with np.errstate(all="ignore"):
        return np.asarray(np.log(b) - c * _moment(tilt, C, b, d) + _second_factor(tilt, C, b, d, c)[0])


def _moment(tilt: Tilt, C: Array, b: Array, d: Array) -> Array:
    """1/(a-1) log sum over x of r_x (1 + d)^a."""

    def logs() -> Array:
        return np.asarray(np.where(np.abs(d) < CLOSE, np.log1p(d), np.log(C / b)))

    return log_moment(tilt.r[:, None], d, tilt.a, logs, lambda: tilt.exponents(C / b, logs()))


def _second_factor(tilt: Tilt, C: Array, b: Array, d: Array, c: float) -> tuple[Array | float, Array | float]:
    """log (1+u)^e, and ((1+u)^e - 1 - e u)/-c."""
    a = tilt.a
    if c == arimoto_exponent(a):
        return 0.0, 0.0
    v = tilt.slope @ d
    if a == 1:
        return c * v, beyond_linear_exp(c * v) / -c
    u, e = (a - 1) * v, _exponent(a, c)
    logs = np.where(np.abs(u) < CLOSE, np.log1p(u), np.log(tilt.p @ C / b))
    return e * logs, a / (1 - a) * beyond_linear(u, e, logs)


def _far_terms(tilt: Tilt, C: Array, c: float) -> Array:
    """The terms of columns where f is far from one, or b next to nothing: no digits are lost by subtracting there."""
    if not C.size:
        return np.zeros(0)
    e = _exponent(tilt.a, c)
    with np.errstate(over="ignore"):
        return np.asarray((np.exp(_far_logs(tilt, C, c)) - (1 - e) * (tilt.r @ C) - e * (tilt.p @ C)) / -c)


def _far_logs(tilt: Tilt, C: Array, c: float) -> Array:
    """log b f, as log of q (sum over x of r (C/q)^a)^k."""
    q = tilt.p @ C
    with np.errstate(all="ignore"):
        shares = C / q
        return np.asarray(np.log(q) + c / (1 - tilt.a) * log_sum(tilt.exponents(shares, np.log(shares))))


def _exponent(a: float, c: float) -> float:
    """e = 1 - a c/(1-a)."""
    return 0.0 if c == arimoto_exponent(a) else 1 + a * c / (a - 1)


def relative(w: Array, C: Array) -> tuple[Array, Array]:
    """b = sum over x of w_x C[x,y] and d = C/b - 1, by how rows differ from the heaviest secret's: of rows that are
    close that is not rounded.
    """
    first = C[int(w.argmax())]
    d = C - first
    mean = (w @ d) / w.sum()
    b = np.maximum(first + mean, 0.0)
    d -= mean
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        d /= b
    return b, d


def _log_ratio(p: Array) -> Array:
    """log(p / max p)."""
    top = p.max()
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(p > 0.5 * top, np.log1p((p - top) / top), np.log(p) - math.log(top)))


def _normalised(logs: Array) -> tuple[Array, float]:
    """exp(logs) over its sum, and the logarithm of that."""
    with np.errstate(under="ignore"):
        powers = np.exp(logs)
    total = float(powers.sum())
    return powers / total, math.log(total)


# -- sums of powers of numbers whose mean is one -----------------------------------------------------------------------
# What is linear in their distances from one adds up to nothing and is left out, not computed. At any order, as sums
# that would pass the largest float stay logarithms.


def log_moment(
    w: Array, d: Array, a: float, logs: Callable[[], Array], exponents: Callable[[], Array], lost: Array | float = 0.0
) -> Array:
    """1/(a-1) log sum over x of w_x (1 + d)^a for each column, w >= 0 of sum 1 with sum over x of w_x d = 0; a > 0.

    Not negative; the sum of w (1+d) log(1+d) at a = 1. `logs` gives log(1 + d) and `exponents` log w + a log(1 + d), to
    the digits that are wanted of them; they are asked for only where d is not small. Where the sum of w d is not 0,
    `lost` is a/(a-1) times it.
    """
    if np.abs(d).max(initial=0.0) < _NEAR / max(1.0, a):
        return np.asarray(restore((w * beyond_linear(d, a)).sum(axis=0) + lost, a - 1))
    with np.errstate(all="ignore"):
        l = logs()
        terms = w * beyond_linear(d, a, l)
        steep = (a - 1) * l > _STEEP
        if steep.any():
            powers = np.exp(np.where(steep, exponents(), 0.0))
            terms = np.where(steep, (powers - w * (1 + a * d)) / (a - 1), terms)
        rises = terms.sum(axis=0) + lost
        found = np.asarray(restore(rises, a - 1))
        far = ~(np.abs((a - 1) * rises) <= CLOSE)
        if far.any():
            found[far] = log_sum(exponents()[:, far]) / (a - 1)
    return found


def log_sum(x: Array) -> Array:
    """log of the sum of exp(x) for each column; -inf for nothing."""
    peak = x.max(axis=0)
    with np.errstate(divide="ignore"):
        return np.asarray(peak + np.log(np.exp(x - np.where(np.isfinite(peak), peak, 0.0)).sum(axis=0)))


def beyond_linear(d: Array, a: float, logs: Array | None = None) -> Array:
    """((1+d)^a - 1 - a d)/(a - 1), and (1+d) log(1+d) - d at a = 1; not negative, for a > 0. `logs` is log(1+d)."""
    small = np.abs(d) < _NEAR / max(1.0, abs(a))
    z = np.where(small, d, 0.0)
    series = _sum_series(z, lambda i: (a - i + 1) / i) * (a / 2)
    if small.all():
        return series
    far = np.where(small, 0.0, d)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        l = np.log1p(far) if logs is None else np.where(small, 0.0, logs)
        if abs(a) < 0.5:  # there the other form is a difference of two numbers close to d
            direct = (a * far - np.expm1(a * l)) / (1 - a)
        else:
            direct = np.where(far > -1, np.exp(l) * deform(l, a - 1) - far, 1.0)
    return np.where(small, series, direct)


def beyond_linear_exp(z: Array) -> Array:
    """exp(z) - 1 - z, with its digits at 0."""
    small = np.abs(z) < _NEAR
    return np.where(small, _sum_series(np.where(small, z, 0.0), lambda i: 1 / i) / 2, np.expm1(z) - z)


def _sum_series(z: Array, ratio: Callable[[int], float]) -> Array:
    """z^2 (1 + ratio(3) z (1 + ratio(4) z (1 + ...)))."""
    series = np.ones_like(z)
    for i in range(_TERMS, 2, -1):
        series *= z
        series *= ratio(i)
        series += 1
    series *= z
    series *= z
    return series
