"""SortedPrior: the target pi of the optimal plan for every k at once, and the entropies of all these targets.

For each k, pi is the g likeliest secrets as they are, then u equal shares of the rest. Sums over the first g terms are
differences of prefix sums, so an entropy that is a sum has its value for every k in O(1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.forms import NEAR_ONE, AllGuesses, BestGuesses, RenyiMean, deform, restore
from minleak.core._prior import Prior
from minleak.errors import InvalidParameter


class SortedPrior:
    """The prior from the likeliest secret down, and the number of giants for any k."""

    def __init__(self, prior: Prior) -> None:
        self.prior = prior
        self.n = len(prior)
        weights = np.sort(prior.weights)[::-1] if prior.exact else prior.weights
        self.p = np.sort(prior.p)[::-1] if weights.dtype.kind != "i" else weights / float(prior.total)
        self.positive = int(np.count_nonzero(prior.weights))
        self.bounds = self._bounds(weights[: self.positive])
        self.tails = np.concatenate([np.cumsum(self.p[::-1])[::-1], [0.0]])

    def _bounds(self, weights: npt.NDArray[Any]) -> Indices:
        """For each j the largest k at which secret j is no giant yet; exact if the weights are integers."""
        places = np.arange(self.positive, dtype=np.int64)
        if weights.dtype == np.int64 and self.prior.total < 2**63:
            tails = np.cumsum(weights[::-1])[::-1]
            return np.asarray(places + tails // weights)
        if weights.dtype == object:
            tail, bounds = 0, np.empty(self.positive, dtype=np.int64)
            for j in range(self.positive - 1, -1, -1):
                tail += weights[j]
                bounds[j] = j + min(tail // weights[j], 2**62)
            return bounds
        ratios = np.cumsum(self.p[: self.positive][::-1])[::-1] / self.p[: self.positive]
        return np.asarray(places + np.floor(np.minimum(ratios * (1 + 1e-15), 2.0**62)).astype(np.int64))

    def giants(self, ks: Indices) -> Indices:
        """The number of giants for each k."""
        return np.minimum(np.searchsorted(self.bounds, ks, side="left"), self.positive)

    def entropies(self, H: ConditionalEntropy, ks: Indices) -> Array:
        """H(pi) for each k."""
        if not H.symmetric:
            raise InvalidParameter(
                "a sweep is over plain entropies; design(..., gains=...) takes gains, one k at a time"
            )
        giants = self.giants(ks)
        return entropies_of(H, Targets(self.p[: self.positive], self.tails, giants, ks - giants))


@dataclass(frozen=True, eq=False)
class Targets:
    """pi for each k: p_1, ..., p_g with g = giants[k], then u = places[k] equal shares of tails[g] = p_(g+1) + ...

    `p` are the positive probabilities, largest first.
    """

    p: Array
    tails: Array
    giants: Indices
    places: Indices

    @cached_property
    def left(self) -> Array:
        """The weight that the equal shares have in all."""
        return self.tails[self.giants]

    @cached_property
    def share(self) -> Array:
        """One equal share, 0 where nothing is left."""
        return np.where(self.left > 0, self.left / np.maximum(self.places, 1), 0.0)

    def of_giants(self, terms: Array) -> Array:
        """The sum of the first g terms, for each k."""
        return np.asarray(np.concatenate([[0.0], np.cumsum(terms)])[self.giants])

    def __iter__(self) -> Iterator[Array]:
        """pi itself, one k after the other."""
        for g, u, share in zip(self.giants, self.places, self.share, strict=True):
            yield np.append(self.p[:g], [share] * int(u * (share > 0)))

    def renyi(self, order: float) -> Array:
        """The Renyi entropy of each pi, in nats, for an order in [0, inf]."""
        p, left, share = self.p, self.left, self.share
        if order == 0:
            return np.log(self.giants + np.where(left > 0, self.places, 0))
        largest = np.where(self.giants > 0, p[0], share)
        if order == math.inf:
            return -np.log(largest)
        if order <= NEAR_ONE:
            logs, log_share = np.log(p), np.log(np.where(share > 0, share, 1.0))
            excess = self.of_giants(p * deform(logs, order - 1)) + left * deform(log_share, order - 1)
            return np.asarray(restore(-excess, 1 - order))
        with np.errstate(under="ignore"):
            powers = self.of_giants((p / p[0]) ** order)
            equal = np.where(left > 0, self.places * (share / largest) ** order, 0.0)
        return np.asarray((np.log(powers + equal) + order * np.log(largest)) / (1 - order))


def entropies_of(H: ConditionalEntropy, targets: Targets) -> Array:
    """H(pi) for the targets of many k: O(1) each, or O(k) where the form of H is no sum."""
    match H.form:
        case RenyiMean() as mean:
            return np.array([mean.outer(nats) for nats in targets.renyi(mean.order).tolist()])
        case BestGuesses(l):
            known = np.minimum(targets.giants, l)
            equal = targets.share * np.maximum(targets.places - (l - known), 0)
            return np.where(l <= targets.giants, targets.tails[known], equal)
        case AllGuesses():
            ranked = targets.of_giants(np.arange(1, len(targets.p) + 1) * targets.p)
            middle = targets.giants + (targets.places + 1) / 2
            return np.asarray(ranked + np.where(targets.left > 0, targets.left * middle, 0.0))
    return np.array([H(pi) for pi in targets])
