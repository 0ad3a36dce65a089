"""Shannon entropy: the average number of yes-or-no questions, F(p) = sum p log(1/p)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.columns import heavy_columns, workspace
from minleak._entropy.averaged import Averaged
from minleak._entropy.base import Sampled, log_base
from minleak._entropy.forms import RenyiMean


class Shannon(Averaged):
    """Fhat(v) = sum of v_i log(|v|_1 / v_i), eta(z) = z. In bits unless `base` says otherwise.

    >>> Shannon()([1, 1, 2])
    1.5
    """

    increasing = True
    best_sorted = True

    def __init__(self, *, base: float = 2) -> None:
        self.unit = log_base(base)

    @property
    def form(self) -> RenyiMean:
        return RenyiMean(1.0, 0.0, unit=self.unit)

    @property
    def name(self) -> str:
        return "shannon"

    def _perspective(self, v: Array) -> Array:
        return shannon_sums(v) / self.unit

    def bias_of_counts(self, pairs: int, n: int, m: int, events: int) -> float:
        """Miller and Madow's."""
        return (pairs - n - m + 1) / (2 * events) / self.unit

    def of_samples(self, sampled: Sampled) -> Any:
        return sampled.shannon(self.unit)

    def most_leaked(self, n: int, m: int) -> float:
        return math.log(min(n, m)) / self.unit


def log_ratios(v: Array) -> tuple[Array, Array]:
    """The sums s of the columns and the array log(v/s), every entry to full relative precision (0 counts as 1e-308).

    An entry that is most of its column has v/s close to one; there log1p of the others keeps the digits. The array is
    work space: use it before the next call.
    """
    s = v.sum(axis=0)
    logs = np.divide(v, np.where(s > 0, s, 1.0), out=workspace("logs", v.shape))
    has_heavy = logs.max() > 0.5
    if logs.min() < 1e-308:
        np.maximum(logs, 1e-308, out=logs)
    np.log(logs, out=logs)
    if has_heavy:
        top, rest, heavy, at = heavy_columns(v)
        s = top + rest
        logs[at, heavy] = -np.log1p(rest[heavy] / top[heavy])
    return s, logs


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
