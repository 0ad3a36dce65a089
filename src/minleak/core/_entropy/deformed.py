"""The deformed logarithm and exponential, (exp(c x) - 1) / c and its inverse, with all their digits at c close to 0."""

from __future__ import annotations

from typing import Any

import numpy as np

# Below this expm1(z) = log1p(z) = z to all digits, and a tiny z = c x may have lost its own to underflow.
_LINEAR = 1e-17


def deform(x: Any, c: float) -> Any:
    """(exp(c x) - 1) / c, and x at c = 0, with all the digits of x."""
    if c == 0:
        return x
    z = c * x
    return np.where(np.abs(z) < _LINEAR, x, np.expm1(z) / c)


def restore(y: Any, c: float) -> Any:
    """log(1 + c y) / c, and y at c = 0: the inverse of `deform`."""
    if c == 0:
        return y
    z = c * y
    return np.where(np.abs(z) < _LINEAR, y, np.log1p(z) / c)
