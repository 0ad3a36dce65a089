"""Profile: a prior in order, from which the target pi of the optimal plan is known for every k at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._attack.targets import Targets, entropies_of
from minleak._data.arrays import Array, Indices
from minleak._data.prior import Prior
from minleak._entropy.base import ConditionalEntropy
from minleak.errors import InvalidParameter


class SortedPrior:
    """The sorted prior with what is needed to know pi for any k."""

    def __init__(self, prior: Prior) -> None:
        self.prior = prior
        self.n = len(prior)
        weights = np.sort(prior.weights)[::-1] if prior.exact else prior.weights
        self.p = np.sort(prior.p)[::-1] if weights.dtype.kind != "i" else weights / float(prior.total)
        self.positive = int(np.count_nonzero(prior.weights))
        self.bounds = self._bounds(weights[: self.positive])
        self.tails = np.concatenate([np.cumsum(self.p[::-1])[::-1], [0.0]])

    def _bounds(self, weights: npt.NDArray[Any]) -> Indices:
        """For each j the largest k at which secret j is still no giant, exactly where the weights are integers."""
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
