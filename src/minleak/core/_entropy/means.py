"""Renyi entropies of columns and of spectra, and exponential means of them, with all their digits."""

from __future__ import annotations

import math

import numpy as np

from minleak.core._arrays import Array
from minleak.core._columns import Columns, heavy_columns, workspace
from minleak.core._entropy.deformed import deform, restore

# Up to this order sum q^a is formed as 1 + sum q expm1((a-1) log q), which is exact at a = 1; above it relative
# to the largest entry, which cannot underflow.
_NEAR_ONE = 1.25
# From this exponent on an exponential mean is the extreme to all digits, and c h might pass the largest float.
_EXTREME = 1e300


def renyi_columns(v: Array, alpha: float, times: Array | None = None) -> Array:
    """For each column its sum s and the Renyi entropy of order alpha of v/s, in nats: an array of shape (2, m).

    `times` tells how often each entry stands in its column, an array that broadcasts with v: a spectrum of distinct
    probabilities and their multiplicities is one column. To about 1e-15 relative for every alpha in [0, inf]; 1e-13
    where entries of 1e-300 decide the value.
    """
    mass = v if times is None else times * v
    if alpha == 0:
        support = np.count_nonzero(v, axis=0) if times is None else (times * (v > 0)).sum(axis=0)
        return np.stack([mass.sum(axis=0), np.log(np.maximum(support, 1))])
    if alpha <= _NEAR_ONE:
        s, logs = log_ratios(v, times)
        excess = -(mass * deform(logs, alpha - 1)).sum(axis=0) / np.where(s > 0, s, 1.0)
        return np.stack([s, restore(excess, 1 - alpha)])
    top, rest, heavy, at = heavy_columns(v, times)
    scale = top if (top > 0).all() else np.where(top > 0, top, 1.0)
    odds = np.log1p(rest / scale)
    if alpha == math.inf:
        return np.stack([top + rest, odds])
    with np.errstate(under="ignore"):
        powers = (v / scale) ** alpha
    if times is not None:
        powers *= times
    powers[at, heavy] = 0.0
    others = powers.sum(axis=0)
    counted = top > 0  # where the largest entry is among the powers, as one
    counted[heavy] = False
    others -= counted
    return np.stack([top + rest, alpha / (alpha - 1) * odds - np.log1p(others) / (alpha - 1)])


def power_sums(v: Array, alpha: float) -> tuple[Array, Array]:
    """For each column its sum s and the sum of (v/s)^alpha, which is at least 1, as alpha is below 1."""
    s = v.sum(axis=0)
    return s, np.maximum(((v / np.where(s > 0, s, 1.0)) ** alpha).sum(axis=0), 1.0)


def exponential_mean(s: Array, h: Array, c: float) -> float:
    """(1/c) log of the mean of exp(c h) under weights s; the mean at c = 0, the extremes at c = -inf and inf."""
    if not (s > 0).all():
        s, h = s[s > 0], h[s > 0]
    s = s / s.sum()
    if abs(c) > _EXTREME:
        return float(h.max() if c > 0 else h.min())
    x = c * h
    largest = x.max()
    if largest < 700:
        excess = s @ deform(h, c)
        if c * excess > -0.5:
            return float(restore(excess, c))
    return float(largest + math.log(s @ np.exp(x - largest))) / c


def log_ratios(v: Array, times: Array | None = None) -> tuple[Array, Array]:
    """The sums s of the columns and the array log(v/s), every entry to full relative precision (0 counts as 1e-308).

    An entry that is most of its column has v/s close to one; there log1p of the others keeps the digits. The array is
    work space: use it before the next call.
    """
    s = v.sum(axis=0) if times is None else (times * v).sum(axis=0)
    logs = np.divide(v, np.where(s > 0, s, 1.0), out=workspace("logs", v.shape))
    has_heavy = logs.max() > 0.5
    if logs.min() < 1e-308:
        np.maximum(logs, 1e-308, out=logs)
    np.log(logs, out=logs)
    if has_heavy:
        top, rest, heavy, at = heavy_columns(v, times)
        s = top + rest
        logs[at, heavy] = -np.log1p(rest[heavy] / top[heavy])
    return s, logs


def light_shannon(columns: Columns) -> float:
    """The sum of v_i log(s/v_i) over all `light` columns of sums s, in nats."""
    v: Array = columns.entries  # type: ignore[assignment]  # light columns are a block
    s = columns.sums()
    return float(s.dot(np.log(s))) - float(v.dot(np.log(v)))


def shannon_sums(v: Array) -> Array:
    """sum of v_i log(s/v_i) for each column, in nats.

    Where no entry is zero or most of its column, s log s - sum of v_i log v_i has all its digits.
    """
    s = v.sum(axis=0)
    if (np.maximum(2 * v.max(axis=0), 1e-30) <= s).all() and v.min() > 0:
        logs = np.log(v, out=workspace("logs", v.shape))
        return np.asarray(s * np.log(s) - _products(v, logs))
    return np.asarray(0.0 - _products(v, log_ratios(v)[1]))


def _products(a: Array, b: Array) -> Array:
    """The sum of a_i b_i for each column."""
    return np.asarray((a.T @ b)[0] if a.shape[1] == 1 else np.einsum("ij,ij->j", a, b))
