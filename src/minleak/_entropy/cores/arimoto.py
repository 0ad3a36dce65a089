"""Arimoto's core: the alpha-norm of each column, by power cones."""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak._entropy.cores.base import Array, Hypograph
from minleak._entropy.cores.grouped import Grouped
from minleak._entropy.cores.modelling import cvxpy
from minleak._entropy.cores.powers import above, below
from minleak._entropy.cores.renyi import RenyiCore, Weights
from minleak._entropy.cores.shannon import ShannonCore
from minleak._entropy.deformed import deformed


class ArimotoCore(RenyiCore):
    """U(v) = (|v|_a - |v|_1) a/(1-a)."""

    @property
    def exponent(self) -> float:
        return (1 - self.alpha) / self.alpha

    def log_slope(self, w: Weights) -> Array:
        return np.asarray(-(self.alpha - 1) / self.alpha * w.log_sum_alpha)

    def gradient(self, log_q: Array, h: Array) -> Array:
        """((q_x / |q|_a)^(a-1) - 1)/c, with log |q|_a = c h."""
        relative = np.maximum(log_q - self.exponent * h, -1e300)
        return np.asarray(-self.alpha * deformed(relative, self.alpha - 1))

    def hypograph(self, v: Any, by: Grouped) -> Hypograph:
        """|v|_a <= t iff v <= w^(1/a) t^(1-1/a) with sum w <= t; for a < 1 the same from below."""
        cp = cvxpy()
        if self.is_nearly_shannon:
            return ShannonCore().hypograph(v, by)
        t = cp.Variable(len(by), nonneg=True)
        part = cp.Variable(by.n_entries, nonneg=True)
        spread, total = by.selection @ t, by.selection.T @ part
        if self.alpha > 1:
            cone, sums = above(part, spread, v, self.alpha), total <= t
        else:
            cone, sums = below(part, v, spread, self.alpha), total >= t
        return Hypograph((cp.sum(t) - cp.sum(v)) / self.exponent, [cone, sums])
