"""Shannon's randomised padding by Blahut and Arimoto's iteration, at home where sizes differ by orders of magnitude.

The least leakage I(X;Y) within a mean overhead is a rate-distortion function. For a price lambda and any distribution q
of the observables let Z_x = sum over y of q_y exp(-lambda c_xy); then in nats, for every budget B,

    least leakage >= -lambda B - sum p_x log Z_x - log max over y of sum over x of p_x exp(-lambda c_xy) / Z_x,

and iterating q_y <- q_y sum over x of p_x exp(-lambda c_xy) / Z_x makes that bound tight (Blahut 1972, Csiszar 1974).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# Halvings of the price's range, and iterations at each, first few and then many; an iteration is O(n m).
_HALVINGS, _ROUGH, _FINE = 40, 300, 4000
# Prices this close end the search.
_CLOSE = 1e-9
# No observable is given up for good: it may come back at another price.
_FAINT = 1e-12


def shannon_rows(p: Array, overheads: Array, budget: float) -> tuple[Array, float]:
    """Rows C[x,y], zero where the overhead is negative, with a mean overhead of `budget`, and a bound on all, in nats.

    >>> rows, bound = shannon_rows(np.array([0.8, 0.2]), np.array([[0.0, 10.0], [-10.0, 0.0]]), 7.0)
    >>> rows.round(3), round(bound / math.log(2), 4)
    (array([[0.125, 0.875],
           [0.   , 1.   ]]), 0.0341)
    """
    allowed = overheads >= 0
    cost = np.where(allowed, overheads, 0.0)
    scale = float(cost.max())
    low, high = 0.01 / scale, 100 * len(p) / max(float(cost[cost > 0].min()), 1e-12 * scale)
    q = p @ np.where(allowed, 1.0 / allowed.sum(axis=1, keepdims=True), 0.0)
    for _ in range(_HALVINGS):
        price = math.sqrt(low * high)
        rows = _iterated(price, p, cost, allowed, q, _ROUGH)
        q = np.maximum(p @ rows, _FAINT)
        low, high = (price, high) if _mean(p, rows, cost) > budget else (low, price)
    # A few hundred iterations may have misled the search: it ends with many, from a little further out.
    low, high = low / 2, high * 2
    dear, cheap = (_iterated(price, p, cost, allowed, q, _FINE) for price in (low, high))
    for _ in range(_HALVINGS):
        price = math.sqrt(low * high)
        rows = _iterated(price, p, cost, allowed, np.maximum(p @ (dear + cheap) / 2, _FAINT), _FINE)
        if _mean(p, rows, cost) > budget:
            low, dear = price, rows
        else:
            high, cheap = price, rows
        if high <= low * (1 + _CLOSE):
            break
    above, below = _mean(p, dear, cost), _mean(p, cheap, cost)
    part = min(max((budget - below) / (above - below), 0.0), 1.0) if above > below else 0.0
    rows = part * dear + (1 - part) * cheap
    bound = max(_bound(price, p, cost, allowed, p @ rows, budget) for price in (low, high))
    return rows, max(bound, 0.0)


def _iterated(price: float, p: Array, cost: Array, allowed: npt.NDArray[np.bool_], q: Array, times: int) -> Array:
    """The rows q_y exp(-price c_xy) / Z_x after so many iterations on q."""
    kernel = np.where(allowed, np.exp(-np.minimum(price * cost, 700.0)), 0.0)
    q = q / q.sum()
    for _ in range(times):
        q = q * ((p / (kernel @ q)) @ kernel)
    return np.asarray(q[None, :] * kernel / (kernel @ q)[:, None])


def _bound(price: float, p: Array, cost: Array, allowed: npt.NDArray[np.bool_], q: Array, budget: float) -> float:
    kernel = np.where(allowed, np.exp(-np.minimum(price * cost, 700.0)), 0.0)
    z = kernel @ q
    return float(-price * budget - p @ np.log(z) - math.log(((p / z) @ kernel).max()))


def _mean(p: Array, rows: Array, cost: Array) -> float:
    return float(p @ (rows * cost).sum(axis=1))
