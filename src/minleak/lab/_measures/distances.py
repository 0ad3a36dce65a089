"""How far two distributions are apart: added up, as a factor, by what they share, and as divergences."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minleak import Prior
from minleak.core._arrays import Array
from minleak.core._entropy.base import log_base, order
from minleak.core._labels import agree, match
from minleak.core._matching import order_of
from minleak.core._order_leakages import CLOSE, log_moment
from minleak.core._parameters import real, truth
from minleak.core._prior import as_prior, take_prior
from minleak.core._small_leakages import SMALL
from minleak.errors import InvalidParameter


def total_variation(first: Prior | Iterable[Any], second: Prior | Iterable[Any]) -> float:
    """The most by which an event is likelier under one than under the other: half the sum of |p_x - q_x|.

    >>> total_variation([2, 1, 1], [1, 1, 2])
    0.25
    """
    p, q = match_outcomes(first, second)
    return 0.5 * float(np.abs(p - q).sum())


def multiplicative_distance(first: Prior | Iterable[Any], second: Prior | Iterable[Any]) -> float:
    """The largest |log p_x/q_x|, in nats; infinite where one of the two is zero and the other is not.

    A channel is d-private exactly if its rows for x and x' are at most d(x,x') apart.

    >>> round(multiplicative_distance([2, 1, 1], [1, 1, 2]), 6)
    0.693147
    """
    p, q = match_outcomes(first, second)
    if ((p == 0) != (q == 0)).any():
        return math.inf
    both = p > 0
    return float(np.abs(np.log(p[both]) - np.log(q[both])).max(initial=0.0))


def convex_separation(first: Prior | Iterable[Any], second: Prior | Iterable[Any], *, symmetric: bool = True) -> float:
    """One less the largest share of `first` that is in `second`, 1 - min over x with p_x > 0 of q_x/p_x; from 0 to 1.

    No convex V with values between 0 and 1 on distributions rises by more from `first` to `second`, and one rises by
    so much. The larger of both ways if `symmetric`.

    >>> convex_separation([2, 1, 1], [1, 1, 2], symmetric=False), convex_separation([1, 0], [1, 1])
    (0.5, 1.0)
    """
    p, q = match_outcomes(first, second)
    ways = ((p, q), (q, p)) if truth(symmetric, "symmetric") else ((p, q),)
    return max(float(separations(a[None], b[None])[0, 0]) for a, b in ways)


def separations(first: Array, second: Array) -> Array:
    """The one-way convex separation of each row of the first from each of the second."""
    found = np.empty((len(first), len(second)))
    for i, p in enumerate(first):
        possible = p > 0
        found[i] = 1 - (second[:, possible] / p[possible]).min(axis=1)
    return np.maximum(found, 0.0)


def match_outcomes(first: Prior | Iterable[Any], second: Prior | Iterable[Any]) -> tuple[Array, Array]:
    """The probabilities of two distributions on the same outcomes, in the order of the first."""
    one, other = match_distributions(first, second)
    return one.p, other.p


def match_distributions(first: Prior | Iterable[Any], second: Prior | Iterable[Any]) -> tuple[Prior, Prior]:
    """Two distributions on the same outcomes. A mapping or a Series is matched by label; two priors must be in the same
    order.
    """
    one, other = as_prior(first), as_prior(second)
    if agree(one.labels, other.labels):
        return one, other
    named = not one.labels.is_default and not other.labels.is_default
    if named and (one is not first or other is not second):
        order = order_of(other.labels, one.labels, "the second distribution")
        return one, other if order is None else take_prior(other, order)
    who, whose = ("the first", "outcome"), ("the second", "outcome")
    match(
        one.labels, other.labels, who, whose, InvalidParameter, rule="distributions are compared on the same outcomes: "
    )
    return one, other


def renyi_divergence(
    first: Prior | Iterable[Any], second: Prior | Iterable[Any], alpha: float, *, base: float = 2
) -> float:
    """D_a(P || Q) = 1/(a-1) log sum over x of p_x^a q_x^(1-a), a = `alpha` from 0 on, infinity included.

    a = 0: -log Q(p > 0). a = 1: the divergence of Kullback and Leibler, sum of p log(p/q). a = inf: log max p/q.
    Infinite where P has mass that Q lacks (a >= 1), or where they share nothing (a < 1). It is summed as a divergence,
    so that 1e-20 has its digits too: 12 of them at orders from 1e-6 to 1e6. In bits unless `base` says otherwise. O(n).
    Bhattacharyya's distance is half of D_(1/2), and in nats exp(D_2) - 1 is the chi-square divergence.

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
