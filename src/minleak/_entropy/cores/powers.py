"""Power cones on vectors: w >= v^a s^(1-a) for a > 1, and u <= v^a s^(1-a) for a < 1, entry by entry."""

from __future__ import annotations

from typing import Any

from minleak._entropy.cores.modelling import cvxpy


def above(w: Any, s: Any, v: Any, alpha: float) -> Any:
    """w >= v^alpha s^(1-alpha), alpha > 1, as v <= w^(1/alpha) s^(1-1/alpha); at 2 a rotated second-order cone."""
    cp = cvxpy()
    if alpha == 2:
        return cp.SOC(w + s, cp.vstack([2 * v, w - s]), axis=0)
    return cp.constraints.PowCone3D(w, s, v, 1 / alpha)


def below(u: Any, v: Any, s: Any, alpha: float) -> Any:
    """u <= v^alpha s^(1-alpha), 0 < alpha < 1; at 1/2 a rotated second-order cone."""
    cp = cvxpy()
    if alpha == 0.5:
        return cp.SOC(v + s, cp.vstack([2 * u, v - s]), axis=0)
    return cp.constraints.PowCone3D(v, s, u, alpha)
