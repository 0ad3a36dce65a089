"""Fehr and Berens' core: the norm of each column to a power, by two layers of cones."""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak._entropy.cores.base import Array, Hypograph
from minleak._entropy.cores.grouped import Grouped
from minleak._entropy.cores.modelling import cvxpy
from minleak._entropy.cores.powers import above, below
from minleak._entropy.cores.renyi import RenyiCore, Weights
from minleak._entropy.deformed import deformed


class FehrBerensCore(RenyiCore):
    """U(v) = |v|_1 - |v|_1 exp(-H_a(v/|v|_1)), H_a in nats."""

    exponent = -1.0

    def log_slope(self, w: Weights) -> Array:
        return np.asarray((1 - self.alpha) * w.log_sum + (self.alpha - 2) * w.entropy)

    def gradient(self, log_q: Array, h: Array) -> Array:
        """1 - exp(-h) (1 + a (exp((a-1)(log q + h)) - 1)/(a-1))."""
        power = deformed(np.maximum(log_q + h, -1e300), self.alpha - 1)
        return np.asarray(1 - np.exp(-h) * (1 + self.alpha * power))

    def hypograph(self, v: Any, by: Grouped) -> Hypograph:
        """a > 1: g >= t^b s^(1-b), b = a/(a-1), t >= |v|_a. a < 1: g >= s^b t^(1-b), b = 1/(1-a), t <= |v|_a.
        a = 1: g >= s exp(-h/s), h <= sum v log(s/v).
        """
        cp = cvxpy()
        alpha, columns = self.alpha, len(by)
        s, g, t = cp.Variable(columns), cp.Variable(columns), cp.Variable(columns)
        constraints = [s == by.selection.T @ v]
        if self.is_nearly_shannon:
            each = cp.Variable(by.n_entries)
            constraints += [
                each <= -cp.rel_entr(v, by.selection @ s),
                t == by.selection.T @ each,
                cp.constraints.ExpCone(-t, s, g),
            ]
        else:
            part = cp.Variable(by.n_entries)
            spread, total = by.selection @ t, by.selection.T @ part
            if alpha > 1:
                constraints += [above(part, spread, v, alpha), total <= t, above(g, s, t, alpha / (alpha - 1))]
            else:
                constraints += [below(part, v, spread, alpha), total >= t, above(g, t, s, 1 / (1 - alpha))]
        return Hypograph(cp.sum(s) - cp.sum(g), constraints)
