"""Gains that tell two channels apart: what they earn, and small whole numbers that do it too."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

# How much of what the gains earn may be lost to make them whole numbers.
_KEPT = 0.1
# What each secret may seem to earn by rounding, of a largest gain of one.
_ROUNDING = 1e-14
# The scales that are tried, least first.
_SCALES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 75, 100, *(10**e for e in range(3, 13)))


def difference(A: Any, B: Any) -> Callable[[Any], Any]:
    """By how much more a guess after B earns than one after A, all secrets weighing one."""
    return lambda G: _best(G, B).sum() - _best(G, A).sum()


def largest(A: Any, B: Any) -> Callable[[Any], Any]:
    """The same where only the best column counts, each scaled to sum one."""
    of_a, of_b = (np.asarray(C.sum(axis=0)) for C in (A, B))
    return lambda G: (_best(G, B) / of_b).max() - (_best(G, A) / of_a).max()


def readable(G: Any, earns: Callable[[Any], Any], *, exact: bool = False) -> Any:
    """Whole numbers from 0 on, as small as they can be, for which `earns` is still positive; None if it never is.

    A constant added to all gains changes no difference; guesses that are never the better ones have been left out.
    In floats what is earned has to be more than rounding; `exact` is for channels of Fractions, where whole numbers
    earn without any.
    """
    least = 0.0 if exact else _ROUNDING * G.shape[1]
    G = G - G.min()
    top = G.max()
    if not top > 0:
        return None
    G = G / top
    full, half = earns(G), Fraction(1, 2) if G.dtype == object else 0.5
    for scale in _SCALES:
        guesses = {tuple(math.floor(v * scale + half) for v in row) for row in G.tolist()}
        whole = np.array(sorted(guesses, reverse=True))
        earned = earns(whole.astype(object) if exact else whole.astype(np.float64))
        if earned > least * scale and earned >= _KEPT * scale * full:
            return whole.astype(np.float64)
    if not exact:
        return G if full > least else None
    if G.dtype != object:  # only a guess, which may earn by rounding alone
        return None
    scale = math.lcm(*(value.denominator for value in G.flat))
    return np.array(sorted({tuple(int(v * scale) for v in row) for row in G.tolist()}, reverse=True), dtype=object)


def _best(G: Any, C: Any) -> Any:
    """What the best guess earns on each column."""
    product = G @ C
    return product.max(axis=0) if isinstance(product, np.ndarray) else product.max(axis=0).toarray().ravel()
