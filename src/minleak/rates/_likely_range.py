"""Likelihood intervals: the least and the largest probability among priors that explain the observations as well.

The interval of p_x is from the least to the largest p_x over all priors p with 2 (max L - L(p)) at most the quantile of
chi^2 with one degree of freedom (Wilks). L is concave, so each end is a convex programme. It is solved by an
interior-point method; the remaining gap is known and added, so the interval is never too narrow.
"""

from __future__ import annotations

import numpy as np

from minleak.core._arrays import Array
from minleak.core._threads import one_thread

# An end is known to this share of how far it is from the estimate, or to this much.
_SHARE, _CLOSE = 0.01, 1e-7
# The weight of the end against the barrier: at first, and by what factor it grows.
_FIRST, _GROWTH = 10.0, 20.0
# Newton's steps for a weight at most, and the decrement that is small enough to go on.
_STEPS, _DECREMENT = 50, 0.05
# More observations count as so many, which leaves the ends a little wider: beyond, the rounding of p decides.
_OBSERVATIONS = 1e12
# Steps that are shorter than this lead nowhere.
_STUCK = 1e-12
# What the intervals may cost, in multiplications; steps for an end are about these.
_MOST, _USUAL = 1_000_000_000, 40


def affordable(secrets: int, observed: int) -> bool:
    """Whether the ends for so many secrets take seconds, not minutes."""
    return 2 * secrets * _USUAL * secrets**2 * max(observed, secrets) <= _MOST


@one_thread()
def likely_range(matrix: Array, counts: Array, p: Array, level: float) -> tuple[Array, Array]:
    """The ends for each secret: of the columns observed, how often each was, and the most likely prior.

    >>> low, high = likely_range(np.eye(2), np.array([60.0, 40.0]), np.array([0.6, 0.4]), 0.95)
    >>> low.round(3), high.round(3)
    (array([0.502, 0.307]), array([0.693, 0.498]))
    """
    from scipy.special import gammaincinv

    if len(p) == 1:
        return np.ones(1), np.ones(1)
    counts = counts * min(1.0, _OBSERVATIONS / float(counts.sum()))
    range_of = _Range(matrix, counts, p, float(gammaincinv(0.5, level)))  # half the quantile of chi^2
    ends = np.array([[range_of.end(x, sign) for sign in (-1.0, 1.0)] for x in range(len(p))])
    return np.clip(ends[:, 0], 0.0, p), np.clip(ends[:, 1], p, 1.0)


class _Range:
    """The priors that lose at most `loss` of the log-likelihood, and one well inside to start from."""

    def __init__(self, matrix: Array, counts: Array, p: Array, loss: float) -> None:
        self.matrix, self.counts, self.p, self.loss = matrix, counts, p, loss
        self.q = p @ matrix
        share = 1.0
        while True:
            self.start = (1 - share) * p + share / len(p)
            if self.room(self.start) > 0.5 * loss:
                break
            share /= 2

    def room(self, p: Array) -> float:
        """How much of the loss is left, by ratios to the best: differences of log-likelihoods lose digits."""
        return self.loss + float(self.counts @ np.log1p((p - self.p) @ self.matrix / self.q))

    def end(self, x: int, sign: float) -> float:
        """The least p_x, or the largest: max weight sign p_x + log(L - floor) + sum of log p, for larger weights.

        Where rounding stops the steps before the gap is known, the safe end: 0 or 1.
        """
        p, weight = self.start, _FIRST
        while True:
            for _ in range(_STEPS):
                step, decrement = self._newton(p, x, sign * weight)
                if decrement < _DECREMENT:
                    break
                there = self._move(p, step, 1 / (1 + decrement**0.5))
                if there is None:
                    return 0.0 if sign < 0 else 1.0
                p = there
            left = (len(p) + 1) / weight  # what a better p can have more of p_x
            if left <= max(_SHARE * abs(p[x] - self.p[x]), _CLOSE):
                return float(p[x] + sign * left)
            weight *= _GROWTH

    def _newton(self, p: Array, x: int, weight: float) -> tuple[Array, float]:
        """Newton's step along sums of one, and its decrement squared; in units of p, where the curve is at least 1."""
        q, room = p @ self.matrix, self.room(p)
        slope = p * (self.matrix @ (self.counts / q)) / room
        gradient = -slope - 1.0
        gradient[x] -= weight * p[x]
        bent = (p[:, None] * self.matrix) * (np.sqrt(self.counts / room) / q)
        free, along = _solve(np.column_stack([bent, slope]), np.stack([-gradient, p], axis=1)).T
        step = free - along * (float(p @ free) / float(p @ along))
        return p * step, max(-float(gradient @ step), 0.0)

    def _move(self, p: Array, step: Array, length: float) -> Array | None:
        while length > _STUCK:
            there = p + length * step
            there /= there.sum()
            if there.min() > 0 and self.room(there) > 0:
                return there
            length /= 2
        return None


def _solve(B: Array, right: Array) -> Array:
    """(I + B B^T)^-1 right as the least squares |x - right|^2 + |B^T x|^2: where B is large the sum has lost I.

    With the largest rows first and pivoting, rows of any size keep their own digits (Cox and Higham 1998).
    """
    from scipy.linalg import qr, solve_triangular

    n = len(B)
    B = B[:, np.argsort(-np.abs(B).max(axis=0))]
    Q, R, order = qr(np.vstack([B.T, np.eye(n)]), mode="economic", pivoting=True, check_finite=False)
    x = np.empty_like(right)
    x[order] = solve_triangular(R, Q[-n:].T @ right, check_finite=False)
    return x
