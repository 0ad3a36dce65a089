"""Shannon's core: exponential cones, and a plane above it in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._optimise.cores.base import AttackerPart, Core, Hypograph, cvxpy
from minleak._optimise.cores.grouped import Grouped


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
