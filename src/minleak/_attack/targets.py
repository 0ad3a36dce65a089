"""Targets: the posteriors pi that the best countermeasures leave, for many k at once, and sums over them.

For each k, pi is the g likeliest secrets as they are, then u equal shares of what is left. Sums over the first g of the
same terms are differences of prefix sums, so that an entropy that is a sum has its value for every k in O(1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.forms import AllGuesses, BestGuesses, RenyiMean

# Orders this close to 1 are computed by expm1 and log1p, which are exact there.
_NEAR_ONE = 0.25


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
        """What is left for the equal shares."""
        return self.tails[self.giants]

    @cached_property
    def share(self) -> Array:
        """One equal share, 0 where nothing is left."""
        return np.where(self.left > 0, self.left / np.maximum(self.places, 1), 0.0)

    def of_giants(self, terms: Array) -> Array:
        """The sum of the first g terms, for each k."""
        return np.asarray(np.concatenate([[0.0], np.cumsum(terms)])[self.giants])

    def __iter__(self) -> Iterator[Array]:
        """pi itself, for one k after the other."""
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
        logs, log_share = np.log(p), np.log(np.where(share > 0, share, 1.0))
        if order == 1:
            return -(self.of_giants(p * logs) + left * log_share)
        if abs(order - 1) <= _NEAR_ONE:
            excess = self.of_giants(p * np.expm1((order - 1) * logs))
            return np.log1p(excess + left * np.expm1((order - 1) * log_share)) / (1 - order)
        with np.errstate(under="ignore"):
            powers = self.of_giants((p / p[0]) ** order)
            equal = np.where(left > 0, self.places * (share / largest) ** order, 0.0)
        return np.asarray((np.log(powers + equal) + order * np.log(largest)) / (1 - order))


def entropies_of(H: ConditionalEntropy, targets: Targets) -> Array:
    """H(pi) for the targets of many k; on each of them, O(k), where the form of H has no sums."""
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
