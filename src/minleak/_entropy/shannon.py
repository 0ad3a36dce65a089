"""Shannon entropy: the average number of yes-or-no questions, F(p) = sum p log(1/p)."""

from __future__ import annotations

import math

import numpy as np

from minleak._data.columns import heavy_columns, workspace
from minleak._entropy.averaged import Averaged
from minleak._entropy.base import Array, RenyiMean, log_base
from minleak._entropy.cores.base import Core
from minleak._entropy.cores.shannon import ShannonCore

# Blocks from this size on are worth a look at whether they allow the shorter way.
_LARGE = 1 << 14


class Shannon(Averaged):
    """Fhat(v) = sum of v_i log(|v|_1 / v_i), eta(z) = z. In bits unless `base` says otherwise.

    >>> Shannon()([1, 1, 2])
    1.5
    """

    increasing = True
    best_sorted = True
    renyi_mean = RenyiMean(1.0, 0.0)

    def __init__(self, *, base: float = 2) -> None:
        self.unit = log_base(base)

    @property
    def name(self) -> str:
        return "shannon"

    def _perspective(self, v: Array) -> Array:
        return shannon_sums(v) / self.unit

    def bias_of_counts(self, pairs: int, n: int, m: int, events: int) -> float:
        """Miller and Madow's."""
        return (pairs - n - m + 1) / (2 * events) / self.unit

    def most_leaked(self, n: int, m: int) -> float:
        return math.log(min(n, m)) / self.unit

    def core(self) -> Core:
        return ShannonCore()


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

    In large blocks without zeros, where no entry is most of a column, s log s - sum of v_i log v_i has all its digits
    and spares a pass over the block.
    """
    if v.size >= _LARGE:
        s = v.sum(axis=0)
        least = float(s.min())
        if least > 1e-30 and v.max() <= 0.5 * least and v.min() > 0:
            logs = np.log(v, out=workspace("logs", v.shape))
            return np.asarray(s * np.log(s) - np.einsum("ij,ij->j", v, logs))
    return np.asarray(0.0 - np.einsum("ij,ij->j", v, log_ratios(v)[1]))
