"""Rates: how often secrets occur, given how often they were seen, from nothing but the counts of counts.

A secret that was seen c times occurs at a rate of which c is one Poisson draw. The rates of the secrets that were seen
have a mixing distribution G, found by Kiefer and Wolfowitz' non-parametric maximum likelihood of a zero-truncated
Poisson mixture, on a grid, by EM. G gives every count its posterior of the rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Array

Weights = npt.NDArray[np.float32]
Counts = npt.NDArray[Any]

# Above so many events a rate is Gamma(c, 1) whatever G is. The grid: logarithmic below 1, then uniform in the root, in
# which Poisson counts have equal spread.
LARGE = 256
_GRID = np.concatenate([np.logspace(-3, 0, 40, endpoint=False), np.arange(1.0, 1.35 * np.sqrt(LARGE), 0.15) ** 2])
# What a weight of G is at least, so that a count that a resampled prior has not got still has a posterior.
_LEAST = np.float32(1e-30)


class Mixtures:
    """Mixing distributions on the grid for one prior's counts, fitted to how many secrets have each.

    `counts` are the distinct counts from 1 on, smallest first.
    """

    def __init__(self, counts: Counts) -> None:
        small = np.asarray(counts[counts <= LARGE], dtype=np.int64)
        # EM is stopped long before it would see more digits, and is quicker with fewer
        self.likelihood = _likelihood(small).astype(np.float32)
        self.row = np.full(LARGE + 2, -1)  # of each small count; the last place is of all others
        self.row[small] = np.arange(len(small))

    def fitted(self, times: Counts, steps: int, weights: Weights | None = None) -> Weights:
        """The weights after so many steps of EM, for so many secrets of each small count; they begin alike if not
        given.
        """
        if weights is None:
            weights = np.full(len(_GRID), 1 / len(_GRID), dtype=np.float32)
        share = (times / max(times.sum(), 1)).astype(np.float32)
        for _ in range(steps):
            weights = np.maximum(weights * (self.likelihood.T @ (share / (self.likelihood @ weights))), _LEAST)
        return weights

    def spectrum(self, weights: Weights, counts: Counts, times: Counts) -> tuple[Array, Array]:
        """The rates of all secrets, largest first, and how many secrets are expected to have each; rates so large that
        less than half a secret is expected to reach them are none. Those of counts above LARGE are at their counts.
        """
        few = counts <= LARGE
        posterior = self.likelihood * weights.astype(np.float64)
        posterior /= posterior.sum(axis=1, keepdims=True)
        values = np.concatenate([counts[~few].astype(np.float64), _GRID])
        often = np.concatenate([times[~few].astype(np.float64), times[few] @ posterior])
        order = np.argsort(-values)
        order = order[np.cumsum(often[order]) >= 0.5]
        return values[order], often[order]


class Drawn:
    """Counts that rates are drawn for, several times over: what each draw needs of them is worked out once."""

    def __init__(self, counts: Counts, mixtures: Mixtures) -> None:
        self.counts = counts
        self.row = mixtures.row[np.minimum(counts, LARGE + 1)]
        self.large = np.flatnonzero(self.row < 0)
        c = counts[self.large].astype(np.float32)
        # the cube of a normal that is Gamma(c, 1) by Wilson and Hilferty: from LARGE on its quantiles between 1e-6 and
        # 1 - 1e-6 are within 3e-4 of the rate
        self.mean, self.spread = np.cbrt(c) * (1 - 1 / (9 * c)), np.cbrt(c) / (3 * np.sqrt(c))


@dataclass(frozen=True)
class Rates:
    """The posterior of the rate for every count, given the weights of a mixing distribution.

    Few steps of EM leave it broad, so that rates spread and an attacker looks stronger; many make it spiky, and he
    looks weaker. Weights None are no mixture at all: Gamma(c, 1) for every count.
    """

    mixtures: Mixtures
    weights: Weights | None

    def draw(self, drawn: Drawn, rng: np.random.Generator) -> Array:
        """A rate for each count, independent of the others."""
        from minleak._kernels.rating import draw_posteriors

        if self.weights is None:
            return np.asarray(rng.standard_gamma(drawn.counts))
        uniforms, rates = rng.random(len(drawn.counts)), np.empty(len(drawn.counts))
        root = drawn.mean + drawn.spread * rng.standard_normal(len(drawn.large), dtype=np.float32)
        rates[drawn.large] = root * root * root
        draw_posteriors(self.mixtures.likelihood, self.weights, _GRID, drawn.row, uniforms, rates)
        return rates


def _likelihood(counts: Counts) -> Array:
    """The probability of a count given the rate and that it is not zero; rows are counts, columns rates."""
    from scipy.special import gammaln

    c = counts[:, None].astype(np.float64)
    return np.asarray(np.exp(c * np.log(_GRID) - _GRID - gammaln(c + 1) - np.log(-np.expm1(-_GRID))))
