"""Sums of powers of numbers whose mean is one, with all their digits: what is linear in their distances from one adds
up to nothing and is left out, not computed. At any order, as sums that would pass the largest float stay logarithms.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minleak.core._arrays import Array
from minleak.core._entropy.forms import deform, restore

# Below this (times the order) the terms are summed as a power series; above, what cancels leaves 14 digits.
_NEAR, _TERMS = 0.1, 17
# Powers from exp of this on are multiplied by their weights as logarithms.
_STEEP = 30.0
# Where a sum of powers is this close to one its logarithm is taken by log1p.
CLOSE = 0.5


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
