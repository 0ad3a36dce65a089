"""Hayashi's core, which Tsallis and Sharma-Mittal share: a power of each posterior, by power cones."""

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


class HayashiCore(RenyiCore):
    """U(v) = (sum of v_i^a |v|_1^(1-a) - |v|_1)/(1-a)."""

    @property
    def exponent(self) -> float:
        return 1 - self.alpha

    def log_slope(self, w: Weights) -> Array:
        return np.asarray(self.exponent * w.log_sum)

    def gradient(self, log_q: Array, h: Array) -> Array:
        """(a q^(a-1) - 1)/(1-a) + sum q^a, with sum q^a = exp((1-a) h)."""
        power = deformed(np.maximum(log_q, -1e300), self.alpha - 1)
        return np.asarray(np.expm1(self.exponent * h) - self.alpha * power)

    def hypograph(self, v: Any, by: Grouped) -> Hypograph:
        cp = cvxpy()
        if self.is_nearly_shannon:
            return ShannonCore().hypograph(v, by)
        s = cp.Variable(len(by))
        power = cp.Variable(by.n_entries)
        spread = by.selection @ s
        cone = above(power, spread, v, self.alpha) if self.alpha > 1 else below(power, v, spread, self.alpha)
        return Hypograph((cp.sum(power) - cp.sum(s)) / self.exponent, [cone, s == by.selection.T @ v])
