"""The stochastic L with L A = B: whether every row of B is a mean of rows of A, and with which weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.factoring.find import factored


def left_factored(A: Any, B: Any, *, tolerance: float) -> Any:
    """L, exact for matrices of Fractions, else within the tolerance in every entry of L A; None if there is none.

    Rows of A and B have sum one, and so have then rows of L >= 0 by themselves: each row of B is a problem of its own.
    """
    rows = [_exact_weights(A, b, tolerance) if A.dtype == object else _weights(A, b, tolerance) for b in B]
    return None if any(row is None for row in rows) else np.array(rows, dtype=A.dtype)


def _weights(A: Array, b: Array, tolerance: float) -> Array | None:
    """The weights of the mean that is nearest to b, if it is within the tolerance."""
    from scipy.optimize import nnls

    found = nnls(A.T, b, maxiter=100 * len(A))[0]
    total = found.sum()
    if not total > 0:
        return None
    weights = found / total
    return np.asarray(weights) if np.abs(weights @ A - b).max() <= tolerance else None


def _exact_weights(A: Any, b: Any, tolerance: float) -> Any:
    """The weights as the first column of a stochastic R with A' R = [b, rest], the rest being what all rows leave."""
    rest = A.sum(axis=0) - b
    if min(rest) < 0:
        return None
    found = factored(A.T, np.stack([b, rest], axis=1), tolerance=tolerance).R
    return None if found is None else found[:, 0]
