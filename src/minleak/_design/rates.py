"""Rates: how often secrets occur, given how often they were seen, from nothing but the counts of counts.

A secret that was seen c times occurs at a rate of which c is one Poisson draw. The rates of the secrets that were seen
have a mixing distribution G, found by Kiefer and Wolfowitz' non-parametric maximum likelihood of a zero-truncated
Poisson mixture, on a grid, by EM. G gives every count its posterior of the rate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[Any]

# Above so many events a rate is Gamma(c, 1) whatever G is. The grid: logarithmic below 1, then uniform in the root, in
# which Poisson counts have equal spread.
LARGE = 400
_GRID = np.concatenate([np.logspace(-3, 0, 40, endpoint=False), np.arange(1.0, 1.35 * np.sqrt(LARGE), 0.15) ** 2])


class Rates:
    """The posterior of the rate for every count from 1 on.

    Parameters
    ----------
    counts, times
        The distinct counts, from 1 on, and how many secrets have each.
    steps
        Of EM. Few leave G broad, so that rates spread and an attacker looks stronger; many make it spiky, and he looks
        weaker. None: no mixture at all, Gamma(c, 1) for every count.
    """

    def __init__(self, counts: Counts, times: Counts, *, steps: int | None) -> None:
        few = counts <= LARGE
        self._counts = np.asarray(counts[few], dtype=np.int64)
        self._mixture = None
        if steps is not None and times[few].any():
            self._mixture = self._fitted(np.asarray(times[few], dtype=np.float64), steps)

    def _fitted(self, times: Array, steps: int) -> Array:
        """For every small count the posterior on the grid, a row each."""
        likelihood = _likelihood(self._counts)
        share = times / times.sum()
        weights = np.full(len(_GRID), 1 / len(_GRID))
        for _ in range(steps):
            weights = weights * (likelihood.T @ (share / (likelihood @ weights)))
        posterior = likelihood * weights
        return np.asarray(posterior / posterior.sum(axis=1, keepdims=True))

    def draw(self, counts: Counts, rng: np.random.Generator) -> Array:
        """A rate for each count, independent of the others."""
        if self._mixture is None:
            return np.asarray(rng.gamma(counts))
        rates = np.empty(len(counts))
        large = counts > LARGE
        rates[large] = rng.gamma(counts[large])
        # all posteriors on one line, row r from r to r + 1, so that one search serves all
        line = (np.cumsum(self._mixture, axis=1) + np.arange(len(self._counts))[:, None]).ravel()
        row = np.searchsorted(self._counts, counts[~large])
        at = np.searchsorted(line, row + rng.random(len(row)), side="right") - row * len(_GRID)
        rates[~large] = _GRID[np.clip(at, 0, len(_GRID) - 1)]
        return rates

    def spectrum(self, counts: Counts, times: Counts) -> tuple[Array, Array]:
        """The rates of all secrets, largest first, and how many secrets are expected to have each. Those of counts
        above LARGE are at their counts.
        """
        if self._mixture is None:
            return counts[::-1].astype(np.float64), times[::-1].astype(np.float64)
        few = counts <= LARGE
        values = np.concatenate([counts[~few].astype(np.float64), _GRID])
        often = np.concatenate([times[~few].astype(np.float64), times[few] @ self._mixture])
        order = np.argsort(-values)
        order = order[often[order] > 0]
        return values[order], often[order]


def _likelihood(counts: Counts) -> Array:
    """The probability of a count given the rate and that it is not zero; rows are counts, columns rates."""
    from scipy.special import gammaln

    c = counts[:, None].astype(np.float64)
    return np.asarray(np.exp(c * np.log(_GRID) - _GRID - gammaln(c + 1) - np.log(-np.expm1(-_GRID))))
