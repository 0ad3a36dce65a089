"""Rates: how often secrets occur, given how often they were seen, from the counts of counts alone.

A secret that was seen c times occurs at a rate of which c is one Poisson draw. The rates of the secrets that were seen
have a mixing distribution G, found by Kiefer and Wolfowitz' non-parametric maximum likelihood of a zero-truncated
Poisson mixture, on a grid. G gives every count its posterior of the rate.

The most likely G is a few spikes, whatever the truth is. EM that starts with a flat G and stops early is smoother,
which is right for most populations and wrong for those with few distinct rates. So it stops as soon as a likelihood
ratio test does not tell it from the most likely G.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array

Weights = npt.NDArray[np.float32]
Counts = npt.NDArray[Any]

# Above so many events a rate is Gamma(c, 1) whatever G is. The grid: logarithmic below 1, then uniform in the root, in
# which Poisson counts have equal spread.
LARGE = 256
GRID = np.concatenate([np.logspace(-3, 0, 40, endpoint=False), np.arange(1.0, 1.35 * np.sqrt(LARGE), 0.15) ** 2])
# Steps of EM for the estimate, at least and at most, and for one that is too flat.
STEPS, _MOST_STEPS, EARLY = 40, 400, 10
# Twice the log likelihood of what the counts reject is so far below the best: the 95th percentile of chi-squared with
# two degrees of freedom, for one more rate and its weight.
_DEVIANCE = 6.0
# Steps towards the most likely weights at most, and how close to the greatest log likelihood they end.
_ROUNDS, _CLOSE = 50, 0.05
# Counts that would be so unequal less often than this, if all secrets had one rate, show that they have not.
_LEVEL = 0.05
# What a weight of G is at least, so that a count that a resampled prior has not got still has a posterior.
_LEAST = np.float32(1e-30)


class Mixing:
    """Mixing distributions on a grid of rates: the likelihood of what was counted has a row for each of `times[i]`
    secrets that were counted alike, and a column for each rate.
    """

    def __init__(self, likelihood: Array, times: Counts, grid: Array) -> None:
        # EM is stopped long before it would see more digits, and is quicker with fewer
        self.likelihood, self.small_times, self.grid = likelihood.astype(np.float32), times, grid

    def fit(self, steps: int, weights: Weights | None = None, times: Counts | None = None) -> Weights:
        """The weights after so many steps of EM; they begin alike if not given. `times` are those of a resample."""
        if weights is None:
            weights = np.full(len(self.grid), 1 / len(self.grid), dtype=np.float32)
        share = _shares(self.small_times if times is None else times).astype(np.float32)
        for _ in range(steps):
            weights = np.maximum(weights * (self.likelihood.T @ (share / (self.likelihood @ weights))), _LEAST)
        return weights

    def fit_resampled(self, rng: np.random.Generator) -> Weights:
        """The weights for another sample of the counts."""
        return self.fit(STEPS, times=rng.poisson(self.small_times))

    @cached_property
    def flat(self) -> Weights:
        """The weights of EM that is stopped too early."""
        return self.fit(EARLY)

    @cached_property
    def best(self) -> Weights:
        """The weights of the greatest likelihood, by quadratic programmes (Wang 2007): the log likelihood at u with
        ratios r = L u / L w is about that at w less the sum of share (r - 2)^2 / 2, least squares with u >= 0.
        """
        from scipy.optimize import nnls

        weights = self.flat.astype(np.float64)
        weights /= weights.sum()
        times, there = self.small_times, self.small_times > 0
        share, likelihood = _shares(times[there]), self.likelihood[there].astype(np.float64)
        root = np.sqrt(share)[:, None]
        for _ in range(_ROUNDS if there.any() else 0):
            ratios = likelihood / (likelihood @ weights)[:, None]
            gradient = ratios.T @ share
            if times.sum() * (gradient.max() - 1) <= _CLOSE:  # the log likelihood is no further below the greatest
                break
            # the weights sum to one by a row that outweighs the others
            sides = np.concatenate([root * ratios, np.full((1, len(weights)), 1e3)])
            best = nnls(sides, np.append(2 * root, 1e3), maxiter=30 * len(weights))[0]
            step = best / best.sum() - weights
            for length in 0.5 ** np.arange(20):
                gain = float(share @ np.log(np.maximum(1 + length * (ratios @ step), 1e-300)))
                if gain >= length * float(gradient @ step) / 3:
                    break
            weights = np.maximum(weights + length * step, 0.0)
        return np.asarray(np.maximum(weights, _LEAST).astype(np.float32))

    @cached_property
    def usual(self) -> Weights:
        """The weights of EM, stopped once the counts no longer reject them in favour of the best."""
        steps = STEPS
        weights = self.fit(steps)
        while steps < _MOST_STEPS and self._rejects(self.likelihood @ weights):
            weights = self.fit(steps // 4, weights)
            steps += steps // 4
        return weights

    def _rejects(self, likelihood: Array | Weights) -> bool:
        """Whether the counts reject a distribution that gives them these likelihoods."""
        there = self.small_times > 0
        ratios = likelihood[there].astype(np.float64) / (self.likelihood[there] @ self.best)
        return -2 * float(self.small_times[there] @ np.log(np.maximum(ratios, 1e-300))) > _DEVIANCE


class Mixtures(Mixing):
    """Mixing distributions that are fitted to counts from 1 on: `times[i]` secrets have `counts[i]`."""

    def __init__(self, counts: Counts, times: Counts, grid: Array = GRID) -> None:
        few = counts <= LARGE
        self.counts, self.times = counts, times
        self.small = np.asarray(counts[few], dtype=np.int64)
        super().__init__(poisson_likelihood(self.small, grid), times[few], grid)
        self.row = np.full(LARGE + 2, -1)  # of each small count; the last place is of all others
        self.row[self.small] = np.arange(len(self.small))

    @cached_property
    def one_rate(self) -> tuple[float, bool]:
        """The most likely rate if all secrets have one, and whether the counts do not show that they have several.

        >>> [Mixtures(np.array([low, 5, 10 - low]), np.array([30, 40, 30])).one_rate[1] for low in (4, 1)]
        [True, False]
        """
        rate, p = fit_one_rate(self.counts, self.times)
        return rate, p > _LEVEL

    @property
    def narrow(self) -> Weights:
        """Between one rate for all and the best, the first that the counts do not reject (the deviance is convex)."""
        one = np.full(len(self.grid), _LEAST)
        one[min(int(np.searchsorted(self.grid, self.one_rate[0])), len(self.grid) - 1)] = 1.0

        def mix(i: int) -> Weights:
            return one + np.float32(i / 64) * (self.best - one)

        return mix(bisect_left(range(64), True, key=lambda i: not self._rejects(self.likelihood @ mix(i))))

    def merge_rates(self, weights: Weights) -> RatePosterior:
        """The distribution with the fewest distinct rates that the counts do not reject, about: those of the weights,
        of which the two closest become one for as long as that is so.
        """
        there = np.flatnonzero(weights > 1e-6)
        first = np.flatnonzero(np.diff(there, prepend=-2) > 1)  # neighbours on the grid are one rate between them
        mass = np.add.reduceat(weights[there].astype(np.float64), first)
        rates = np.add.reduceat(weights[there] * self.grid[there], first) / mass
        found = Mixtures(self.counts, self.times, rates), mass
        while len(rates) > 1:
            apart = mass[1:] * mass[:-1] / (mass[1:] + mass[:-1]) * np.diff(np.sqrt(rates)) ** 2
            i = int(apart.argmin())
            pair = slice(i, i + 2)
            middle, both = np.average(rates[pair], weights=mass[pair]), mass[pair].sum()
            rates = np.concatenate([rates[:i], [middle], rates[i + 2 :]])
            rates, mass = self._move_rates(rates, np.concatenate([mass[:i], [both], mass[i + 2 :]]))
            fewer = Mixtures(self.counts, self.times, rates)
            if self._rejects(fewer.likelihood @ mass):
                break
            found = fewer, mass
        return RatePosterior(found[0], np.asarray(found[1].astype(np.float32)))

    def _move_rates(self, rates: Array, mass: Array) -> tuple[Array, Array]:
        """Some steps of EM for rates and their weights."""
        from scipy.special import lambertw

        share, c = _shares(self.small_times), self.small.astype(np.float64)
        for _ in range(EARLY):
            joint = poisson_likelihood(self.small, rates) * mass
            joint *= (share / np.maximum(joint.sum(axis=1), 1e-300))[:, None]
            mass = np.maximum(joint.sum(axis=0), 1e-12)
            mean = np.maximum(c @ joint / mass, 1 + 1e-3)
            rates = mean + lambertw(-mean * np.exp(-mean)).real
        return rates, mass / mass.sum()

    def spectrum(self, weights: Weights) -> tuple[Array, Array]:
        """The rates of all secrets, largest first, and how many secrets are expected to have each; rates so large that
        less than half a secret is expected to reach them are none. Those of counts above LARGE are at their counts.
        """
        large = self.counts > LARGE
        posterior = self.likelihood * weights.astype(np.float64)
        posterior /= posterior.sum(axis=1, keepdims=True)
        values = np.concatenate([self.counts[large].astype(np.float64), self.grid])
        often = np.concatenate([self.times[large].astype(np.float64), self.small_times @ posterior])
        order = np.argsort(-values)
        order = order[np.cumsum(often[order]) >= 0.5]
        return values[order], often[order]

    def draw(self, weights: Weights, rows: Counts, uniforms: Array, rates: Array) -> None:
        """Put a rate of the posterior of each row, by the uniform numbers, into `rates`; rows below 0 are left out."""
        from minleak.rates._rating import draw_posteriors

        draw_posteriors(self.likelihood, weights, self.grid, rows, uniforms, rates)


class DrawnCounts:
    """Counts that rates are drawn for several times, with what every draw needs of them."""

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self.small = np.minimum(counts, LARGE + 1)
        self.large = np.flatnonzero(self.small > LARGE)
        c = counts[self.large].astype(np.float32)
        # the cube of a normal that is Gamma(c, 1) by Wilson and Hilferty: from LARGE on its quantiles between 1e-6 and
        # 1 - 1e-6 are within 3e-4 of the rate
        self.mean, self.spread = np.cbrt(c) * (1 - 1 / (9 * c)), np.cbrt(c) / (3 * np.sqrt(c))


@dataclass(frozen=True)
class RatePosterior:
    """The posterior of the rate for every count, given the weights of a mixing distribution.

    Few steps of EM leave it broad, so that rates spread and an attacker looks stronger; many make it spiky, and they
    look weaker. Weights None are no mixture at all: Gamma(c, 1) for every count.
    """

    mixtures: Mixtures
    weights: Weights | None

    def draw(self, drawn: DrawnCounts, rng: np.random.Generator) -> Array:
        """A rate for each count, independent of the others."""
        if self.weights is None:
            return np.asarray(rng.standard_gamma(drawn.counts))
        # a count that the mixture was not fitted to stands for itself
        uniforms, rates = rng.random(len(drawn.counts)), drawn.counts.astype(np.float64)
        root = drawn.mean + drawn.spread * rng.standard_normal(len(drawn.large), dtype=np.float32)
        rates[drawn.large] = root * root * root
        self.mixtures.draw(self.weights, self.mixtures.row[drawn.small], uniforms, rates)
        return rates


@dataclass(frozen=True)
class OneRate:
    """The same rate for every secret."""

    rate: float

    def draw(self, drawn: DrawnCounts, _rng: np.random.Generator) -> Array:
        """The rate for each count."""
        return np.full(len(drawn.counts), self.rate)


def fit_one_rate(counts: Counts, times: Counts) -> tuple[float, float]:
    """The most likely rate if all secrets have one, and how often counts would then be so unequal (the p-value).

    Counts c of secrets that were seen are Poisson and not zero. Their mean m is sufficient for the rate lambda, with
    lambda / (1 - exp(-lambda)) = m, so their variance is compared with that of this rate. With central moments mu_j
    their ratio has the variance (mu_4 - mu_2^2 - mu_3^2 / mu_2) / (mu_2^2 n), and is taken for a Gamma variable, as it
    is for plain Poisson counts, where n times the index of dispersion is chi-squared.
    """
    from scipy.special import gammaincc, lambertw

    c, n = counts.astype(np.float64), float(times.sum())
    mean = float(times @ c) / n
    if mean <= 1 or n < 2:
        return mean, 1.0
    rate = mean + float(lambertw(-mean * np.exp(-mean)).real)
    zero, off = float(np.exp(-rate)), rate - mean
    plain = {  # moments of the Poisson distribution about the mean of the truncated one
        2: rate + off**2,
        3: rate + 3 * rate * off + off**3,
        4: rate + 3 * rate**2 + 4 * rate * off + 6 * rate * off**2 + off**4,
    }
    second, third, fourth = ((moment - zero * (-mean) ** j) / (1 - zero) for j, moment in plain.items())
    ratio = float(times @ (c - mean) ** 2) / (n - 1) / second
    spread = (fourth - second**2 - third**2 / second) / (second**2 * n)
    return rate, float(gammaincc(1 / spread, ratio / spread))


def poisson_likelihood(
    counts: Counts, rates: Array, exposure: float | Array = 1.0, chosen: float | Array = 1.0
) -> Array:
    """The probability of a count given the rate and the exposure, and that it was seen in the exposure that it was
    chosen by (0: it was not), up to a factor of the count alone; rows are counts, columns rates.
    """
    from scipy.special import gammaln

    c, share = counts[:, None].astype(np.float64), np.reshape(chosen, (-1, 1))
    mean = np.reshape(exposure, (-1, 1)) * rates
    seen = np.where(share > 0, -np.expm1(-np.maximum(share, 1e-9) * rates), 1.0)
    return np.asarray(np.exp(c * np.log(np.maximum(mean, 1e-300)) - mean - gammaln(c + 1) - np.log(seen)))


def _shares(times: Counts) -> Array:
    return np.asarray(times / max(times.sum(), 1))
