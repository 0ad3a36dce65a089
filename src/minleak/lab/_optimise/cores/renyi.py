"""The common part of the cores of the three conditional Renyi entropies: gradients and majorants.

The gradient of each of the three is affine in q^(a-1). So the plane whose gradient differs from given numbers a_x
by a constant touches U at a member of one family,

    q_x proportional to |kappa - a_x|^(1/(alpha-1)),   kappa above the least a_x (alpha > 1) or below it (alpha < 1),

where kappa makes the gradient grow exactly as fast as a_x: one equation for each column, solved by bisection. The plane
is the gradient at that q, which lies above U however well the equation is solved.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._entropy.forms import deform, restore
from minleak.lab._optimise.cores.base import AttackerPart, Core, Grouped, Hypograph, cvxpy

# For orders closer to 1 the exponent 1/(alpha-1) is that of this distance; the plane is still that of the order.
_CLOSEST = 1e-9
# For orders closer to 1 the Renyi entropy in the equation is Shannon's, equal up to rounding.
_SHANNON = 1e-6
# For orders closer to 1 sums of powers are formed by expm1 and log1p.
_NEAR_ONE = 0.25
_BISECTIONS = 90


class RenyiCore(Core):
    """U(v) = |v|_1 (exp(c H(v/|v|_1)) - 1)/c, H the Renyi entropy of a finite order alpha > 0, in nats."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self.steep = alpha <= 1

    @property
    def is_nearly_shannon(self) -> bool:
        """So close to order 1 that solvers fail on its power cones and get those of order 1.

        The plane is still that of the order itself, so the gap shows the loss (less than |alpha - 1| nats).
        """
        return abs(self.alpha - 1) <= _SHANNON

    @property
    @abstractmethod
    def exponent(self) -> float:
        """c, negative where Fhat is convex."""

    def _gradient(self, log_q: Array, h: Array) -> Array:
        """The gradient of U at q, given log q and the Renyi entropy of q (spread over the entries)."""
        power = deform(np.maximum(log_q + h, -1e300), self.alpha - 1)
        return np.asarray(deform(h, self.exponent) - self.alpha * np.exp(self.exponent * h) * power)

    def easier(self) -> RenyiCore | None:
        """The order 1 for orders close to it, the ends of (0.3, 7) for those beyond."""
        if abs(self.alpha - 1) < _NEAR_ONE:
            return type(self)(1.0) if self.alpha != 1 else None
        nearest = min(max(self.alpha, 0.3), 7.0)
        return type(self)(nearest) if nearest != self.alpha else None

    def values(self, v: Array, by: Grouped) -> Array:
        s = by.sum(v)
        q = v / np.where(s > 0, s, 1.0)[by.of]
        q = np.where(s[by.of] > 0, q, 1.0)  # a column of zeros counts for nothing
        h = self._entropies(np.log(np.maximum(q, 1e-300)), q, by)
        return np.asarray(s * deform(h, self.exponent))

    def gradient_at(self, v: Array, by: Grouped) -> Array:
        q = v / by.sum(v)[by.of]
        log_q = np.log(q)
        return self._gradient(log_q, self._entropies(log_q, q, by)[by.of])

    def majorant(self, a: Array, by: Grouped) -> Array:
        log_q, h = self._touching(a, by)
        return self._gradient(log_q, h[by.of])

    def _touching(self, a: Array, by: Grouped) -> tuple[Array, Array]:
        """The log of q for each column, -inf where it is zero, and its Renyi entropy."""
        alpha = self.alpha if abs(self.alpha - 1) > _CLOSEST else 1 + _CLOSEST
        beyond = a - by.min(a)[by.of]
        sign = -1.0 if alpha > 1 else 1.0
        low, high = np.full(len(by), -80.0), np.full(len(by), 80.0)
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            log_w = _log_weights(beyond, middle[by.of], sign, alpha)
            lse, lse_alpha = _log_sum(log_w, by), _log_sum(alpha * log_w, by)
            if abs(alpha - 1) > _SHANNON:
                h = (lse_alpha - alpha * lse) / (1 - alpha)
            else:
                q = np.exp(log_w - lse[by.of])
                h = -by.sum(q * np.maximum(log_w - lse[by.of], -1e6))
            # The logarithm of d(gradient)/d(a), |kappa - least a| being exp(middle).
            growth = (self.exponent + alpha - 1) * h + (1 - alpha) * lse + np.log(alpha / abs(alpha - 1)) - middle
            steep = growth > 0
            low, high = np.where(steep, middle, low), np.where(steep, high, middle)
        log_w = _log_weights(beyond, ((low + high) / 2)[by.of], sign, alpha)
        log_q = log_w - _log_sum(log_w, by)[by.of]
        return log_q, self._entropies(log_q, np.exp(log_q), by)

    def _entropies(self, log_q: Array, q: Array, by: Grouped) -> Array:
        """The Renyi entropy of each column, in nats, to full precision also near order 1."""
        c = self.alpha - 1
        if abs(c) > _NEAR_ONE:
            logs = self.alpha * np.where(q > 0, log_q, -math.inf)
            top = by.max(logs)
            return np.asarray(-(top + np.log(by.sum(np.exp(logs - top[by.of])))) / c)
        excess = by.sum(q * deform(np.maximum(log_q, -700.0), c))  # (sum q^alpha - 1)/(alpha - 1)
        return np.asarray(-restore(excess, c))


def _log_weights(beyond: Array, log_distance: Array, sign: float, alpha: float) -> Array:
    """log of (|kappa - a| / |kappa - least a|)^(1/(alpha-1)); -inf where kappa is not beyond a."""
    with np.errstate(divide="ignore", over="ignore"):
        ratio = beyond * np.exp(-log_distance)
        return np.asarray(np.log1p(np.maximum(sign * ratio, -1.0)) / (alpha - 1))


def _log_sum(logs: Array, by: Grouped) -> Array:
    """log of the sum of exp in each column, the largest being 0."""
    return np.asarray(np.log(by.sum(np.exp(logs))))


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
