"""Cores by cones: Shannon (exponential), Arimoto, Hayashi (also Tsallis and Sharma-Mittal) and Fehr-Berens (power)."""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.lab._optimise.cores.base import AttackerPart, Core, Hypograph, cvxpy
from minleak.lab._optimise.cores.grouped import Grouped
from minleak.lab._optimise.cores.renyi import RenyiCore


class ShannonCore(Core):
    """U(v) = sum of v_i log(|v|_1 / v_i), in nats."""

    steep = True
    shannon = True

    def values(self, v: Array, by: Grouped) -> Array:
        s = by.sum(v)[by.of]
        seen = v > 0
        logs = np.log(np.divide(s, v, out=np.ones_like(v), where=seen))
        return by.sum(v * logs)

    def gradient_at(self, v: Array, by: Grouped) -> Array:
        return np.asarray(np.log(by.sum(v)[by.of] / v))

    def majorant(self, a: Array, by: Grouped) -> Array:
        """a + log sum exp(-a): the largest of U(q) - <a, q> is at q proportional to exp(-a) (Gibbs' inequality)."""
        least = by.min(a)
        return np.asarray(a - least[by.of] + np.log(by.sum(np.exp(least[by.of] - a)))[by.of])

    def hypograph(self, v: Any, by: Grouped) -> Hypograph:
        cp = cvxpy()
        s = cp.Variable(len(by))
        return Hypograph(-cp.sum(cp.rel_entr(v, by.selection @ s)), [s == by.selection.T @ v])

    def attacker(self, plane: Array, bound: float) -> AttackerPart:
        return AttackerPart("the probability given to x at y", np.exp(-plane), bound)


class ArimotoCore(RenyiCore):
    """U(v) = (|v|_a - |v|_1) a/(1-a)."""

    @property
    def exponent(self) -> float:
        return (1 - self.alpha) / self.alpha

    def hypograph(self, v: Any, by: Grouped) -> Hypograph:
        """|v|_a <= t iff v <= w^(1/a) t^(1-1/a) with sum w <= t; for a < 1 the same from below."""
        cp = cvxpy()
        if self.is_nearly_shannon:
            return ShannonCore().hypograph(v, by)
        t = cp.Variable(len(by), nonneg=True)
        part = cp.Variable(by.n_entries, nonneg=True)
        spread, total = by.selection @ t, by.selection.T @ part
        if self.alpha > 1:
            cone, sums = _above(part, spread, v, self.alpha), total <= t
        else:
            cone, sums = _below(part, v, spread, self.alpha), total >= t
        return Hypograph((cp.sum(t) - cp.sum(v)) / self.exponent, [cone, sums])


class HayashiCore(RenyiCore):
    """U(v) = (sum of v_i^a |v|_1^(1-a) - |v|_1)/(1-a)."""

    @property
    def exponent(self) -> float:
        return 1 - self.alpha

    def hypograph(self, v: Any, by: Grouped) -> Hypograph:
        cp = cvxpy()
        if self.is_nearly_shannon:
            return ShannonCore().hypograph(v, by)
        s = cp.Variable(len(by))
        power = cp.Variable(by.n_entries)
        spread = by.selection @ s
        cone = _above(power, spread, v, self.alpha) if self.alpha > 1 else _below(power, v, spread, self.alpha)
        return Hypograph((cp.sum(power) - cp.sum(s)) / self.exponent, [cone, s == by.selection.T @ v])


class FehrBerensCore(RenyiCore):
    """U(v) = |v|_1 - |v|_1 exp(-H_a(v/|v|_1)), H_a in nats."""

    exponent = -1.0

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
                constraints += [_above(part, spread, v, alpha), total <= t, _above(g, s, t, alpha / (alpha - 1))]
            else:
                constraints += [_below(part, v, spread, alpha), total >= t, _above(g, t, s, 1 / (1 - alpha))]
        return Hypograph(cp.sum(s) - cp.sum(g), constraints)


def _above(w: Any, s: Any, v: Any, alpha: float) -> Any:
    """w >= v^alpha s^(1-alpha), alpha > 1, as v <= w^(1/alpha) s^(1-1/alpha); at 2 a rotated second-order cone."""
    cp = cvxpy()
    if alpha == 2:
        return cp.SOC(w + s, cp.vstack([2 * v, w - s]), axis=0)
    return cp.constraints.PowCone3D(w, s, v, 1 / alpha)


def _below(u: Any, v: Any, s: Any, alpha: float) -> Any:
    """u <= v^alpha s^(1-alpha), 0 < alpha < 1; at 1/2 a rotated second-order cone."""
    cp = cvxpy()
    if alpha == 0.5:
        return cp.SOC(v + s, cp.vstack([2 * u, v - s]), axis=0)
    return cp.constraints.PowCone3D(v, s, u, alpha)
