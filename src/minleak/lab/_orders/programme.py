"""The stochastic R with A R closest to B, by an interior-point method that works column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._sibson import room

_STEPS = 120
# How much of the way to the boundary one step may go.
_SHARE = 0.995


@dataclass(frozen=True)
class Closest:
    """R >= 0 with rows of sum one; gains G, a column for each of B, with <G, B> - sum of max_j G_j . A_i = bound.

    The sum of |A R - B| is `distance`, and no R comes below the bound.
    """

    R: Array
    G: Array
    distance: float
    bound: float


def closest(A: Array, B: Array, *, enough: float) -> Closest:
    """The least sum of |A R - B| over stochastic R, to a `distance` below `enough`, or a bound that is half of it.

    min sum(U + V) with A R + U - V = B, R 1 = 1 and R, U, V >= 0 has the dual: max <G, B> - sum(s) with |G| <= 1 and
    A' G <= s 1'. Both have interior points to start from, and every step solves one system of n unknowns for each
    column of B and one of m unknowns that couples them: O(k n m (n + m)) a step, about twenty steps.
    """
    point = _Point(A, B)
    for _ in range(_STEPS):
        distance, bound = point.distance(), point.bound()
        if distance <= enough or bound >= 0.5 * distance:
            break
        if not point.step():
            break
    R = _polish(A, B, point.R / point.R.sum(axis=1, keepdims=True))
    return Closest(R, point.G, float(np.abs(A @ R - B).sum()), point.bound())


def _polish(A: Array, B: Array, R: Array) -> Array:
    """R moved in the rows of independent columns of A, those that have most room, so that A R = B to rounding.

    B - A R has rows of sum zero, and so has then what is added, since those columns are independent.
    """
    from scipy.linalg import lstsq, qr

    _, upper, order = qr(A * np.maximum(R.min(axis=1), 1e-300), mode="economic", pivoting=True)
    sizes = np.abs(np.diagonal(upper))
    chosen = order[: int((sizes > 1e-10 * sizes[0]).sum())]
    moved = R.copy()
    moved[chosen] += lstsq(A[:, chosen], B - A @ R)[0]
    moved = np.maximum(moved, 0)
    moved /= moved.sum(axis=1, keepdims=True)
    return moved if np.abs(A @ moved - B).max() < np.abs(A @ R - B).max() else R


class _Point:
    """Where the method is: R, U, V and their multipliers Z = s 1' - A' G, 1 - G and 1 + G, all positive."""

    def __init__(self, A: Array, B: Array) -> None:
        self.A, self.B = A, B
        m, k = A.shape[1], B.shape[1]
        self.R = np.full((m, k), 1 / k)
        error = B - A @ self.R
        slack = max(float(np.abs(error).mean()), 1e-6)
        self.U, self.V = np.maximum(error, 0) + slack, np.maximum(-error, 0) + slack
        self.G = np.zeros_like(B)
        self.s = np.full(m, slack * k)

    def multipliers(self) -> tuple[Array, Array, Array]:
        return self.s[:, None] - self.A.T @ self.G, 1 - self.G, 1 + self.G

    def distance(self) -> float:
        return float(np.abs(self.A @ (self.R / self.R.sum(axis=1, keepdims=True)) - self.B).sum())

    def bound(self) -> float:
        return float((self.G * self.B).sum() - (self.A.T @ self.G).max(axis=1).sum())

    def step(self) -> bool:
        """One predictor and corrector; False where rounding allows no further step."""
        Z, P, Q = self.multipliers()
        if min(Z.min(), P.min(), Q.min()) <= 0:
            return False
        R, U, V = self.R, self.U, self.V
        count = R.size + U.size + V.size
        mu = ((R * Z).sum() + (U * P).sum() + (V * Q).sum()) / count
        try:
            system = _System(self, Z, P, Q)
        except np.linalg.LinAlgError:
            return False
        first = system.direction(-R * Z, -U * P, -V * Q)
        x, z = self._lengths(first, Z, P, Q)
        after = (
            ((R + x * first.R) * (Z + z * first.Z)).sum()
            + ((U + x * first.U) * (P - z * first.G)).sum()
            + ((V + x * first.V) * (Q + z * first.G)).sum()
        ) / count
        target = mu * (after / mu) ** 3
        second = system.direction(
            target - R * Z - first.R * first.Z, target - U * P + first.U * first.G, target - V * Q - first.V * first.G
        )
        x, z = self._lengths(second, Z, P, Q)
        if not (x > 1e-10 or z > 1e-10):
            return False
        self.R, self.U, self.V = R + x * second.R, U + x * second.U, V + x * second.V
        self.G, self.s = self.G + z * second.G, self.s + z * second.s
        return bool(np.isfinite(self.R).all() and np.isfinite(self.G).all())

    def _lengths(self, d: _Direction, Z: Array, P: Array, Q: Array) -> tuple[float, float]:
        primal = min(room(self.R, d.R), room(self.U, d.U), room(self.V, d.V))
        dual = min(room(Z, d.Z), room(P, -d.G), room(Q, d.G))
        return min(1.0, _SHARE * primal), min(1.0, _SHARE * dual)


@dataclass(frozen=True)
class _Direction:
    R: Array
    U: Array
    V: Array
    G: Array
    s: Array
    Z: Array


class _System:
    """The Newton equations at a point: M_j = A D_j A' + E_j for each column, S for what couples the columns."""

    def __init__(self, at: _Point, Z: Array, P: Array, Q: Array) -> None:
        from scipy.linalg import cho_factor, cho_solve

        self.at, self.Z, self.P, self.Q = at, Z, P, Q
        A = at.A
        self.D = at.R / Z
        self.E = at.U / P + at.V / Q
        self.factors: list[Any] = []
        self.X: list[Array] = []
        S = np.diag(self.D.sum(axis=1))
        for d, e in zip(self.D.T, self.E.T, strict=True):
            weighted = A * d
            M = weighted @ A.T
            M[np.diag_indices(len(M))] += e
            factor = cho_factor(M, lower=True, overwrite_a=True, check_finite=False)
            X = cho_solve(factor, weighted, check_finite=False)
            S -= weighted.T @ X
            self.factors.append(factor)
            self.X.append(X)
        self.S = _cholesky(S)

    def direction(self, of_R: Array, of_U: Array, of_V: Array) -> _Direction:
        """The step that adds these amounts to R Z, U P and V Q, and holds the equations."""
        from scipy.linalg import cho_solve

        at, A, D = self.at, self.at.A, self.D
        missing = at.B - A @ at.R - at.U + at.V
        short = 1 - at.R.sum(axis=1)
        C = of_R / self.Z
        rhs = missing - A @ C - of_U / self.P + of_V / self.Q
        alone = np.stack(
            [cho_solve(f, r, check_finite=False) for f, r in zip(self.factors, rhs.T, strict=True)], axis=1
        )
        s = cho_solve(self.S, (C + D * (A.T @ alone)).sum(axis=1) - short, check_finite=False)
        G = alone + np.stack([X @ s for X in self.X], axis=1)
        Z = s[:, None] - A.T @ G
        return _Direction(C - D * Z, of_U / self.P + at.U / self.P * G, of_V / self.Q - at.V / self.Q * G, G, s, Z)


def _cholesky(S: Array) -> Any:
    """The factor of S, which near the end is singular but for rounding, so that something is added to it."""
    from scipy.linalg import cho_factor

    for more in (1e-15, 1e-13, 1e-11):
        try:
            return cho_factor(S + np.diag(more * (S.diagonal() + S.diagonal().max())), check_finite=False)
        except np.linalg.LinAlgError:
            continue
    raise np.linalg.LinAlgError
