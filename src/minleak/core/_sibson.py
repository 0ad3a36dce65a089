"""Sibson's I_a over all r: Newton steps towards its maximum, between bounds that hold at every step; in nats."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._entropy.forms import deform
from minleak.core._threads import one_thread

# Up to this many secrets Newton steps (a dense system in the secrets) are taken at once. Above it a step takes seconds,
# so that they are first taken among few; above the second number, only there.
_LARGE, _NEWTON = 1500, 4000
# To find these few so many multiplicative steps are made, or as many as pass over so many non-zeros.
_FIRST, _CHEAP = 200, 50_000_000
# Newton's steps, of which some twenty suffice but where rounding keeps the bounds apart.
_STEPS = 200
# Matrices with at most so many entries are kept dense: 256 MB.
_DENSE = 1 << 25
# Orders this close to 1 are computed by expm1/log1p forms, which are exact at 1.
_NEAR_ONE = 0.25


@one_thread()
def bound_information(matrix: Any, order: float, *, gap: float, iterations: int | None) -> OrderBounds:
    """max over r of I_a(r) for a dense or sparse channel and a finite order a > 0, to the gap if the iterations do."""
    import scipy.sparse as sp

    objective = _Objective(sp.csr_array(matrix), order)
    return _close_gap(objective, gap, iterations or 10_000, newton=iterations or _STEPS)


class OrderBounds:
    """The best lower and upper bound of the points that were seen, and how many steps it took to see them."""

    def __init__(self, at: _Evaluation) -> None:
        self.lower, self.upper, self.r, self.steps = at.lower, at.upper, at.r, 1

    def see(self, at: _Evaluation, steps: int = 1) -> None:
        if at.lower > self.lower:
            self.lower, self.r = at.lower, at.r
        self.upper = min(self.upper, at.upper)
        self.steps += steps

    def open(self, gap: float, limit: int) -> bool:
        return self.upper - self.lower > gap and self.steps < limit


def _close_gap(objective: _Objective, gap: float, limit: int, *, newton: int) -> OrderBounds:
    """Bounds that are no further apart than the gap, or the best after `limit` steps, so many of them Newton's."""
    n = objective.n
    start = at = objective.at(np.full(n, 1 / n))
    found = OrderBounds(at)
    if n > _LARGE:
        first = min(limit, _FIRST, 2 + _CHEAP // len(objective.c))
        while found.open(gap, first):
            at = objective.multiply(at)
            found.see(at)
        _among_few(objective, at, found, gap, limit)
    step: Callable[[_Evaluation], _Evaluation] = objective.multiply
    if n <= _NEWTON:
        step, at, limit = _Newton(objective, start), start, min(limit, found.steps + newton)
    while found.open(gap, limit):
        at = step(at)
        found.see(at)
    return found


def _among_few(objective: _Objective, at: _Evaluation, found: OrderBounds, gap: float, limit: int) -> None:
    """Narrow the bounds by the capacity of few secrets, as it is attained by no more than there are observables.

    It is that of all if no other row is farther from their q than it; rows that are farther join the few.
    """
    most = _NEWTON if objective.n > _NEWTON else objective.n // 2
    likely = int((at.r > 1e-3 * at.r.max()).sum())
    chosen = np.sort(np.argsort(-at.r, kind="stable")[: min(likely, most // 2, 2 * objective.m + 100)])
    while found.open(gap, limit) and 0 < len(chosen) <= most:
        few = _close_gap(objective.of(chosen), gap / 4, limit - found.steps, newton=_STEPS)
        r = np.zeros(objective.n)
        r[chosen] = few.r
        at = objective.at(r)
        found.see(at, few.steps)
        farther = np.setdiff1d(np.flatnonzero(at.divergences > few.lower + gap / 2), chosen)
        farthest = farther[np.argsort(-at.divergences[farther])][: max(100, len(chosen) // 2)]
        chosen = np.union1d(chosen, farthest) if len(farthest) else chosen[:0]


@dataclass(frozen=True)
class _Evaluation:
    """What is known at r: the leakage I_a(r), the divergences D_a(C[x,.] || q), q, and t = sum of r C^a up to scale."""

    r: Array
    lower: float
    divergences: Array
    q: Array
    t: Array

    @property
    def upper(self) -> float:
        return float(self.divergences.max())


class _Objective:
    """Sibson's I_a over the simplex, on the channel's non-zeros, in nats."""

    def __init__(self, rows: Any, order: float) -> None:
        import scipy.sparse as sp

        rows.eliminate_zeros()
        used, columns = np.unique(rows.indices, return_inverse=True)
        self.rows, self.n, self.m, self.order = rows, rows.shape[0], len(used), order
        self.c, self.columns, self.starts = rows.data, columns, rows.indptr[:-1]
        self.row = np.repeat(np.arange(self.n), np.diff(rows.indptr))
        self.logs = np.log(rows.data)
        largest = np.full(self.m, -math.inf)
        np.maximum.at(largest, columns, self.logs)
        self.scale = largest  # log max over x of C[x,y]
        self.powers = np.exp(order * (self.logs - largest[columns]))  # A = (C / max C)^a
        self.matrix = sp.csr_array((self.powers, columns, rows.indptr), shape=(self.n, self.m))
        if self.n * self.m <= _DENSE:
            self.matrix = self.matrix.toarray()
        self.near = abs(order - 1) <= _NEAR_ONE

    def of(self, secrets: Indices) -> _Objective:
        """The same of some secrets alone."""
        return _Objective(self.rows[secrets], self.order)

    def _by_row(self, values: Array) -> Array:
        return np.asarray(np.add.reduceat(values, self.starts))

    def _by_column(self, values: Array) -> Array:
        return np.asarray(np.bincount(self.columns, weights=values, minlength=self.m))

    def at(self, r: Array) -> _Evaluation:
        a = self.order
        t = np.maximum(self.matrix.T @ r, 1e-300)
        if self.near:
            base = np.maximum(self._by_column(r[self.row] * self.c), 1e-300)  # p(y) if r were the prior
            ratio = self.logs - np.log(base)[self.columns]
            if a == 1:
                divergences = self._by_row(self.c * ratio)
                return _Evaluation(r, float(r @ divergences), divergences, base, t)
            excess = self._by_column(r[self.row] * self.c * np.expm1((a - 1) * ratio)) / base
            power = np.log1p(excess) / a  # log of q / base, up to the normalisation
            growth = float(base @ np.expm1(power))
            lower = a / (a - 1) * math.log1p(growth)
            log_q = np.log(base) + power - math.log1p(growth)
            shifted = self.logs - log_q[self.columns]
            divergences = np.log1p(self._by_row(self.c * np.expm1((a - 1) * shifted))) / (a - 1)
            return _Evaluation(r, lower, divergences, np.exp(log_q), t)
        log_q = self.scale + np.log(t) / a
        total = _log_sum(log_q)
        log_q = log_q - total
        exponent = a * self.logs + (1 - a) * log_q[self.columns]
        peak = np.maximum.reduceat(exponent, self.starts)
        divergences = (peak + np.log(self._by_row(np.exp(exponent - peak[self.row])))) / (a - 1)
        return _Evaluation(r, a / (a - 1) * total, divergences, np.exp(log_q), t)

    def gradient(self, at: _Evaluation) -> Array:
        """Of a/(a-1) sum (sum r C^a)^(1/a), divided by its present value, less a constant."""
        a, delta = self.order, at.divergences - at.lower
        return delta if a == 1 else np.asarray(np.expm1(np.minimum((a - 1) * delta, 700)) / (a - 1))

    def gained(self, before: _Evaluation, after: _Evaluation) -> float:
        """How much larger that objective is at another point; infinitely smaller where it cannot be compared."""
        c, growth = (self.order - 1) / self.order, after.lower - before.lower
        return float(deform(growth, c)) if c * growth < 700 else -math.inf

    def hessian(self, at: _Evaluation) -> Array:
        """Minus the second derivatives of that objective."""
        weighted = self.matrix * (np.sqrt(at.q / self.order) / at.t)[None, :]
        product = weighted @ weighted.T
        return product if isinstance(product, np.ndarray) else product.toarray()

    def multiply(self, at: _Evaluation) -> _Evaluation:
        """One multiplicative step; for Shannon it is Blahut and Arimoto's."""
        g = self.gradient(at)
        largest = 1.0 if self.order == 1 else float((1 + (self.order - 1) * g).max())
        moved = at.r * np.exp(np.minimum(self.order / max(largest, 1.0) * (g - g.max()), 0.0))
        moved = np.maximum(moved, 1e-300)
        return self.at(moved / moved.sum())


class _Newton:
    """Interior-point steps for: maximise the objective f(r) over r >= 0 with sum 1.

    r follows the maximum of f(r) + mu * (sum of log r) as mu falls; z estimates the multipliers mu/r of r >= 0. A
    step is primal-dual, so few are needed, and as f is concave it always leads uphill on this function, so halving a
    step that is too long always ends: the way to the maximum cannot get stuck.
    """

    def __init__(self, objective: _Objective, at: _Evaluation) -> None:
        self.objective = objective
        self.mu = (at.upper - at.lower) / objective.n
        self.z = self.mu / at.r

    def __call__(self, at: _Evaluation) -> _Evaluation:
        from scipy.linalg import cho_factor, cho_solve

        n, r, z, mu = self.objective.n, at.r, self.z, self.mu
        uphill = self.objective.gradient(at) + mu / r
        system = self.objective.hessian(at)
        # Rows that repeat make the system singular but for z/r, which can be lost in rounding.
        system[np.diag_indices(n)] = (system.diagonal() + z / r) * (1 + 1e-15 * n)
        factor = cho_factor(system, overwrite_a=True, check_finite=False)
        towards, ones = cho_solve(factor, np.stack([uphill, np.ones(n)], axis=1), check_finite=False).T
        dr = towards - towards.sum() / ones.sum() * ones
        dz = mu / r - z - z / r * dr
        slope = float(uphill @ dr)
        step = min(1.0, 0.99 * room(r, dr))
        for _ in range(50):
            moved = r + step * dr
            new = self.objective.at(moved / moved.sum())
            gained = self.objective.gained(at, new) + mu * float(np.log(new.r / r).sum())
            if gained >= 1e-4 * step * slope - 1e-14:  # less than that is rounding
                break
            step *= 0.5
        z = z + min(1.0, 0.99 * room(z, dz)) * dz
        self.z = np.clip(z, 1e-8 * mu / new.r, 1e8 * mu / new.r)
        if slope <= 10 * n * mu:  # r is as close to this mu's maximum as that is to the next one's
            self.mu *= 0.1 if step > 0.5 else 0.5
        return new


def room(x: Array, dx: Array) -> float:
    """How far x + step * dx stays positive."""
    falling = dx < 0
    return float((x[falling] / -dx[falling]).min()) if falling.any() else math.inf


def _log_sum(x: Array) -> float:
    peak = float(x.max())
    return peak + math.log(float(np.exp(x - peak).sum()))
