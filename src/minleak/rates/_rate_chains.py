"""Chains of rates: today's rate of each secret, given its counts when its part was made, since then and today.

In between the rate moves: its logarithm walks, and its mean stays. Where nothing moves, only the sum of the counts
tells anything.

- Rates of secrets whose parts were made together have a mixing distribution (`Mixing`). It and the three counts give
  the posterior of today's rate, by a hidden Markov chain on the grid of rates.
- Where the counts are large, the posterior is a Gamma distribution, of which 1 / shape grows by what a rate moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.rates._rates import GRID, LARGE, Mixing, Weights, poisson_likelihood

# A mixing distribution is fitted to about so many distinct rows of counts.
_FITTED = 1 << 12
# The grid goes on in a coarse way, for counts that were far above what the others say.
_GRID = np.concatenate([GRID, GRID[-1] * 1.3 ** np.arange(1, 21)])
# Counts are rounded to quarters below this, and their roots to quarters from there on: they have a spread of 1/2.
_EXACT, _STEPS = 16, 4 * (16 + 12) + 1


@dataclass(frozen=True)
class History:
    """What was counted of the secrets of a part: when it was made, in the days since, and today, with exposures.

    `chosen` is the exposure in which a secret had to be seen to be known at all. Of a rate that moves 1 a day, the
    variance of the difference of logarithms is `before` between when the part was made and the mean of the days since,
    `after` between that and today, and `age` between the first and the last.
    """

    first: Indices  # the place of the first day of each secret among the days
    made: Array
    made_exposure: Array
    chosen: Array
    since: Array
    since_exposure: float
    today: Array
    today_exposure: float
    before: float
    after: float
    age: float

    @property
    def steps(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """For both steps of a rate, from when the part was made to the days since and on to today: the variance of its
        logarithm, and twice how far that falls in the mean.

        A rate whose mean stays falls by half the variance in the logarithm. The mean of several days is above the rate
        of a usual one by what is left of the fall from when the part was made to today.
        """
        return (self.before, self.before), (self.after, self.age - self.before)


class Chain:
    """The rates of a part's secrets from when it was made to today, as a hidden Markov chain on a grid: counts are
    what is seen of it.
    """

    def __init__(self, history: History, grid: Array) -> None:
        self.history, self.grid = history, grid
        small = np.flatnonzero(history.made + history.since + history.today <= LARGE)
        # exposures follow from the first day: one number stands for it and three counts
        counts = [_to_step(each[small]) for each in (history.made, history.since, history.today)]
        keys = np.ravel_multi_index(
            [history.first[small], *counts], (int(history.first.max(initial=0)) + 1, *[_STEPS] * 3)
        )
        _, at, rows, self.times = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        self.rows = np.full(len(history.made), -1)
        self.rows[small] = rows
        made, since, today = (_from_step(each[at]) for each in counts)
        exposure, chosen = history.made_exposure[small[at]], history.chosen[small[at]]
        self.size = made + today
        self.of_made = poisson_likelihood(made, grid, exposure, chosen)
        self.of_since = poisson_likelihood(since, grid, history.since_exposure, 0.0)
        self.of_today = poisson_likelihood(today, grid, history.today_exposure, 0.0)

    def backward(self, sigma: float, rows: Indices) -> Array:
        """The likelihood of all counts given the rate when the part was made."""
        before, after = self._moves(sigma)
        later = self.of_since[rows] * (self.of_today[rows] @ after.T)
        return _scaled(self.of_made[rows] * (later @ before.T))

    def forward(self, sigma: float, weights: Weights) -> Array:
        """The posterior of today's rate, given these weights of the rates when the part was made."""
        before, after = (moves.astype(np.float32) for moves in self._moves(sigma))
        rates = _scaled(self.of_made * weights).astype(np.float32) @ before
        return _scaled(_scaled(rates * self.of_since).astype(np.float32) @ after * self.of_today)

    def _moves(self, sigma: float) -> list[Array]:
        """From each rate the chance of each, before the days since the part was made and after: lognormal."""
        from scipy.special import ndtr

        at = np.log(self.grid)
        ends = np.concatenate([[-np.inf], (at[1:] + at[:-1]) / 2, [np.inf]])
        found = []
        for moved, fell in self.history.steps:
            variance = max(sigma**2 * moved, 1e-12)
            found.append(np.diff(ndtr((ends - at[:, None] + sigma**2 * fell / 2) / np.sqrt(variance)), axis=1))
        return found


def _to_step(counts: Array) -> Indices:
    """The numbers of rounded counts."""
    steps = np.where(counts < _EXACT, 4 * counts, 4 * (_EXACT + np.sqrt(counts) - np.sqrt(_EXACT)))
    return np.asarray(np.rint(steps).astype(np.int64))


def _from_step(steps: Indices) -> Array:
    """The counts of these numbers."""
    roots = np.maximum(steps / 4 - _EXACT, 0) + np.sqrt(_EXACT)
    return np.where(steps < 4 * _EXACT, steps / 4, roots**2)


def _scaled(rows: Array) -> Array:
    """Rows whose largest number is 1, or all 0."""
    return np.asarray(rows / np.maximum(rows.max(axis=1, keepdims=True, initial=0), 1e-300))


class Group:
    """Parts whose secrets have one mixing distribution of the rates that they had when these were made."""

    def __init__(self, histories: list[History]) -> None:
        longest = max(
            float(one.made_exposure.max(initial=0)) + one.since_exposure + one.today_exposure for one in histories
        )
        self.grid = _GRID / max(longest, 1e-300)
        self.chains = [Chain(one, self.grid) for one in histories]
        self.known: dict[float, Mixing] = {}
        # of many rows those are fitted to which have many secrets, or many counts
        size = [chain.times * np.sqrt(1 + chain.size) for chain in self.chains]
        total, rng = max(sum(float(each.sum()) for each in size), 1e-300), np.random.default_rng(0)
        keep = [np.minimum(_FITTED * each / total, 1.0) for each in size]
        self.fitted = [np.flatnonzero(rng.random(len(each)) < each) for each in keep]
        self.times = np.concatenate(
            [chain.times[at] / each[at] for chain, at, each in zip(self.chains, self.fitted, keep, strict=True)]
        )

    def mixing(self, sigma: float) -> Mixing:
        """Mixing distributions, if rates move so much."""
        if sigma not in self.known:
            rows = [chain.backward(sigma, at) for chain, at in zip(self.chains, self.fitted, strict=True)]
            likelihood = np.concatenate(rows)
            there = likelihood.any(axis=1)  # not where counts contradict each other
            self.known[sigma] = Mixing(likelihood[there], self.times[there], self.grid)
        return self.known[sigma]

    def rates(self, how: str, sigma: float, rng: np.random.Generator | None) -> Iterator[Rates]:
        """Those of each part today."""
        mixing = self.mixing(sigma)
        weights = getattr(mixing, how) if rng is None else mixing.fit_resampled(rng)
        for chain in self.chains:
            chances = chain.forward(sigma, weights).astype(np.float32)
            known = np.append(chances.max(axis=1, initial=0) > 0, False)  # the last is that of large counts
            rows = np.where(known[chain.rows], chain.rows, -1)
            yield Rates(self.grid, chances, rows, *_gamma(chain.history, sigma))


def _gamma(history: History, sigma: float) -> tuple[Array, Array]:
    """Shape and scale of a Gamma distribution for each secret's rate, which follows from its counts alone."""
    shape, time = history.made, history.made_exposure
    later = (history.since, history.since_exposure), (history.today, history.today_exposure)
    for (counts, exposure), (moved, fell) in zip(later, history.steps, strict=True):
        left = 1 / (1 + shape * sigma**2 * moved)
        mean = np.exp(sigma**2 * (moved - fell) / 2)
        shape, time = shape * left + counts, time * left / mean + exposure
    return shape, 1 / np.maximum(time, 1e-300)


@dataclass(frozen=True)
class Rates:
    """Today's rates of the secrets of a part: chances on a grid by the row of each secret, and Gamma variables where
    that is -1, since counts are large or contradict each other.
    """

    grid: Array
    chances: Weights
    rows: Indices
    shape: Array
    scale: Array

    def draw(self, secrets: Indices, rng: np.random.Generator) -> Array:
        """A rate for each secret given, by its number in the part."""
        from minleak.rates._rating import draw_posteriors

        rates = rng.standard_gamma(self.shape[secrets]) * self.scale[secrets]
        equal = np.ones(len(self.grid), dtype=np.float32)
        draw_posteriors(self.chances, equal, self.grid, self.rows[secrets], rng.random(len(secrets)), rates)
        return rates
