"""Divergences: how far one distribution is from another, where the order of the two matters."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._entropy.base import log_base, order
from minleak.core._order_leakages import CLOSE, log_moment
from minleak.core._parameters import real
from minleak.core._prior import Prior
from minleak.core._small_leakages import SMALL
from minleak.lab._measures.distribution_distances import match_outcomes


def renyi_divergence(
    first: Prior | Iterable[Any], second: Prior | Iterable[Any], alpha: float, *, base: float = 2
) -> float:
    """D_a(P || Q) = 1/(a-1) log sum over x of p_x^a q_x^(1-a), a = `alpha` from 0 on, infinity included.

    a = 0: -log Q(p > 0). a = 1: the divergence of Kullback and Leibler, sum of p log(p/q). a = inf: log max p/q.
    Infinite where P has mass that Q lacks (a >= 1), or where they share nothing (a < 1). It is summed as a divergence,
    so that 1e-20 has its digits too: 12 of them at orders from 1e-6 to 1e6. In bits unless `base` says otherwise. O(n).

    >>> round(renyi_divergence([3, 1], [1, 1], 1), 9), round(renyi_divergence([3, 1], [1, 1], math.inf), 9)
    (0.188721876, 0.584962501)
    """
    p, q = match_outcomes(first, second)
    return float(renyi_nats(p[None], q[None], order(alpha, "the order alpha"))[0]) / log_base(base)


def kl_divergence(first: Prior | Iterable[Any], second: Prior | Iterable[Any], *, base: float = 2) -> float:
    """sum over x of p_x log(p_x/q_x): the Renyi divergence of order 1.

    >>> round(kl_divergence([3, 1], [1, 1]), 9)
    0.188721876
    """
    return renyi_divergence(first, second, 1, base=base)


def chi_square(first: Prior | Iterable[Any], second: Prior | Iterable[Any]) -> float:
    """sum over x of (p_x - q_x)^2/q_x; infinite where P has mass that Q lacks. exp(D_2) - 1, with D_2 in nats.

    >>> chi_square([3, 1], [1, 1])
    0.25
    """
    p, q = match_outcomes(first, second)
    if (p[q == 0] > 0).any():
        return math.inf
    p, q = p[q > 0], q[q > 0]
    return float(((p - q) / q) @ (p - q))


def hellinger(first: Prior | Iterable[Any], second: Prior | Iterable[Any]) -> float:
    """sqrt(1/2 sum over x of (sqrt p_x - sqrt q_x)^2), a metric from 0 to 1.

    >>> round(hellinger([3, 1], [1, 1]), 9), hellinger([1, 0], [0, 1])
    (0.184591911, 1.0)
    """
    return math.sqrt(_squared_hellinger(first, second))


def bhattacharyya(first: Prior | Iterable[Any], second: Prior | Iterable[Any], *, base: float = 2) -> float:
    """-log sum over x of sqrt(p_x q_x): half the Renyi divergence of order 1/2.

    >>> round(bhattacharyya([3, 1], [1, 1]), 9)
    0.050015687
    """
    squared = _squared_hellinger(first, second)
    return (math.inf if squared >= 1 else -math.log1p(-squared)) / log_base(base)


def hockey_stick(first: Prior | Iterable[Any], second: Prior | Iterable[Any], gamma: float) -> float:
    """E_gamma(P || Q) = sum over x of max(p_x - gamma q_x, 0), the most by which an event is likelier under P than
    gamma times under Q; gamma from 0 on.

    The total variation at gamma = 1. P and Q are (epsilon, delta)-indistinguishable exactly if both ways it is at most
    delta at gamma = exp(epsilon).

    >>> hockey_stick([3, 1], [1, 1], 1), hockey_stick([3, 1], [1, 1], 1.5)
    (0.25, 0.0)
    """
    p, q = match_outcomes(first, second)
    return float(
        np.maximum(p - real(gamma, "gamma is a finite number from 0 on", least=0, below=math.inf) * q, 0).sum()
    )


def renyi_nats(P: Array, Q: Array, a: float) -> Array:
    """D_a of each row of P from the same row of Q, in nats."""
    if a == 1 and P.min() > 0 and Q.min() > 0:  # nothing to leave out
        found = np.einsum("ij,ij->i", P, np.log(P) - np.log(Q))
        if found.min() >= SMALL:
            return np.asarray(found)
    outside = np.where(Q > 0, 0.0, P).sum(axis=1)  # the mass of P where Q has none
    with np.errstate(divide="ignore", invalid="ignore"):
        if a == 0:
            found = -np.log1p(-np.minimum(np.where(P > 0, 0.0, Q).sum(axis=1), 1.0))
        elif a == math.inf:
            found = np.where(P > 0, _log_ratios(P, Q), -math.inf).max(axis=1)
        else:
            found = _of_order(P, Q, outside, a)
    if a >= 1:
        found[outside > 0] = math.inf
    return np.asarray(np.maximum(found, 0.0) + 0.0)


def _of_order(P: Array, Q: Array, outside: Array, a: float) -> Array:
    """1/(a-1) log of the sum of q (p/q)^a, without what is linear in d = p/q - 1: that adds up to -`outside`."""
    d = np.where(Q > 0, (P - Q) / Q, 0.0)

    def exponents() -> Array:
        return np.asarray(np.where((P > 0) & (Q > 0), np.log(Q) + a * _log_ratios(P, Q), -math.inf).T)

    lost = a * outside / (1 - a) if a < 1 else 0.0
    return log_moment(Q.T, d.T, a, lambda: _log_ratios(P, Q).T, exponents, lost)


def _log_ratios(P: Array, Q: Array) -> Array:
    """log(p/q), to all its digits where they are close; 0 where q is 0."""
    d = np.where(Q > 0, (P - Q) / Q, 0.0)
    return np.asarray(np.where(np.abs(d) < CLOSE, np.log1p(d), np.where(Q > 0, np.log(P) - np.log(Q), 0.0)))


def _squared_hellinger(first: Prior | Iterable[Any], second: Prior | Iterable[Any]) -> float:
    p, q = match_outcomes(first, second)
    roots = np.sqrt(p) + np.sqrt(q)
    apart = np.where(roots > 0, (p - q) / np.where(roots > 0, roots, 1.0), 0.0)
    return min(0.5 * float(apart @ apart), 1.0)
