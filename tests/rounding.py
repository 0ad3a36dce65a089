"""Inequalities and equalities between floats that stand for exact numbers."""

from __future__ import annotations

import math

# Relative to the larger value, and to one for values that come from cancelling numbers of that size.
ROUNDING = 1e-12


def at_most(a: float, b: float, *, tolerance: float = ROUNDING) -> bool:
    """a <= b, but for rounding; NaN is never."""
    return a <= b or (math.isfinite(a) and a - b <= tolerance * max(1.0, abs(a), abs(b)))


def equal(a: float, b: float, *, tolerance: float = ROUNDING) -> bool:
    """a = b, but for rounding; infinities equal themselves."""
    return at_most(a, b, tolerance=tolerance) and at_most(b, a, tolerance=tolerance)
