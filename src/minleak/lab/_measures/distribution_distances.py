"""How far two distributions are apart, outcome by outcome: added up, as a factor, and by what they share."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._labels import agree, match
from minleak.core._matching import order_of
from minleak.core._parameters import truth
from minleak.core._prior import Prior, as_prior, take_prior
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
