"""Gains that tell two channels apart: what they earn, and small whole numbers that do it too."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

# How much of what the gains earn may be lost to make them whole numbers.
_KEPT = 0.1
# The scales that are tried, least first.
_SCALES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 75, 100, *(10**e for e in range(3, 13)))


def difference(A: Any, B: Any) -> Callable[[Any], Any]:
    """By how much more a guess after B earns than one after A, all secrets weighing one."""
    return lambda G: _best(G, B).sum() - _best(G, A).sum()


def largest(A: Any, B: Any) -> Callable[[Any], Any]:
    """The same where only the best column counts, each scaled to sum one."""
    of_a, of_b = (np.asarray(C.sum(axis=0)) for C in (A, B))
    return lambda G: (_best(G, B) / of_b).max() - (_best(G, A) / of_a).max()


def readable(G: Any, earns: Callable[[Any], Any]) -> Any:
    """Whole numbers from 0 on, as small as they can be, for which `earns` is still positive; None if it never is.

    A constant added to all gains changes no difference; guesses that are never the better ones have been left out.
    """
    exact = G.dtype == object
    G = G - G.min()
    top = G.max()
    if not top > 0:
        return None
    G = G / top
    full = earns(G)
    for scale in _SCALES:
        whole = np.array([[math.floor(v * scale + Fraction(1, 2)) for v in row] for row in G.tolist()])
        whole = np.unique(whole, axis=0)[::-1]
        earned = earns(whole.astype(object) if exact else whole.astype(np.float64))
        if earned > 0 and earned >= _KEPT * scale * full:
            return whole.astype(np.float64)
    if exact and full > 0:
        scale = math.lcm(*(value.denominator for value in G.flat))
        return np.array([[int(v * scale) for v in row] for row in G.tolist()], dtype=object)
    return G if full > 1e-13 else None


def _best(G: Any, C: Any) -> Any:
    """What the best guess earns on each column."""
    product = G @ C
    return product.max(axis=0) if isinstance(product, np.ndarray) else product.max(axis=0).toarray().ravel()
