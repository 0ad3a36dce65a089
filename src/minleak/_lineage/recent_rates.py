"""Recent rates: how often each secret occurs today, given the pooled counts of a ledger.

Counts of earlier days say less about today, so pools keep a share of them each day. A secret that was first counted on
day f has a pool of its own exposure: with the share w_d that is left of day d, of N_d events, E = sum of w_d N_d / N
over the days from f on, in units of today's N events. Its pool C has the mean rate * E and the variance
rate * sum of w_d^2 N_d / N, so that n = C E / E_2 counts as a Poisson count of the exposure T = E^2 / E_2.

- Rates of secrets that came together have a mixing distribution (`Mixtures`), which gives each n its posterior.
- Rates move: the logarithm by `movement` a day, estimated from how far today's counts are from the pools before today.
  The rate of the pool is blurred by what it moved since.
- Where n is large, the pool before today, blurred, is a Gamma prior for today's count.
- A secret that has not been counted for some days is gone with a probability that follows from how many go each day.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from minleak._attack.rates import LARGE, Mixtures, Weights
from minleak._data.arrays import Array, Indices
from minleak._lineage.ledger import UNIT, Ledger

# Secrets that came on one day have a mixing distribution of their own if they are so many; else they share one.
_ENOUGH = 200
# Days of which less than this is left in the pools do not count as the day on which a secret came.
_LEFT = 0.06
# Days of which so much is left in the pools count as those by which secrets were chosen that came then.
_CHOSEN = 0.2
# Movement is estimated from secrets with at least so many events expected today. It is unknown if fewer than so many
# secrets have them.
_EXPECTED, _SOME = 20, 8
# An unknown movement, at most; and the largest that is looked for.
_UNKNOWN, _LARGEST = 0.3, 3.0
# Squares of standardised residuals are cut off at this, so that no single secret decides; their mean is then this.
_CLIPPED, _MEAN = 9.0, 0.995
# Secrets that are gone are looked for among those of so many effective counts, for so many days.
_KNOWN, _DAYS = 10, 7
# Days of silence after which more of them change nothing.
_SILENCE = 30


@dataclass(frozen=True)
class Window:
    """The days from one on up to another: what pools of these days are worth."""

    exposure: Array  # E
    squares: Array  # E_2
    moved: Array  # the variance of today's rate beside that of the pool, for a movement of 1 a day

    def counts(self, pools: Array) -> Array:
        """What pools are worth as Poisson counts."""
        return np.asarray(pools * self.exposure / np.maximum(self.squares, 1e-300))

    @property
    def effective(self) -> Array:
        """The exposure of these counts."""
        return np.asarray(self.exposure**2 / np.maximum(self.squares, 1e-300))


class Recent:
    """The posterior of every secret's rate today, in events of today."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.events = int(ledger.totals[-1])
        self.shares = ledger.shares / UNIT
        self.volumes = ledger.totals / max(self.events, 1)
        self.pools = ledger.pools / UNIT
        self.counts = ledger.counts.astype(np.float64)
        # places among the days: of the first that counts for a secret, and after the last on which it was counted
        self.begin = np.searchsorted(ledger.days, ledger.first)
        self.until = np.searchsorted(ledger.days, ledger.last, side="right")

    def window(self, begin: Indices, end: Indices) -> Window:
        """For each pair of places among the days, beside today."""
        weight, days = self.shares * self.volumes, self.ledger.days.astype(np.float64)
        sums = np.concatenate([[0.0], np.cumsum(weight)])
        squares = np.concatenate([[0.0], np.cumsum(self.shares * weight)])
        exposure = sums[end] - sums[begin]
        # a step before day d + 1 moves what the days up to d of the window have in the pool; after its end, all of it
        gaps = np.append(np.diff(days), 0.0)
        once, twice = (np.concatenate([[0.0], np.cumsum(gaps * sums[1:] ** i)]) for i in (1, 2))
        length = np.concatenate([[0.0], np.cumsum(gaps)])
        inside = (twice[end - 1] - twice[begin]) - 2 * sums[begin] * (once[end - 1] - once[begin])
        inside += sums[begin] ** 2 * (length[end - 1] - length[begin])
        after = length[-1] - length[np.maximum(end - 1, 0)]
        moved = inside / np.where(exposure > 0, exposure, np.inf) ** 2 + after
        return Window(exposure, squares[end] - squares[begin], np.maximum(moved, 0.0))

    # -- what is estimated once ---------------------------------------------------------------------------------------

    @cached_property
    def whole(self) -> Window:
        """All days of each secret."""
        return self.window(self.begin, np.full(len(self.pools), len(self.shares)))

    @cached_property
    def before(self) -> tuple[Array, Array, Array]:
        """What each secret's days before today say: the expected count of today, how many effective counts that is
        from, and what it moved since.
        """
        end = np.maximum(len(self.shares) - 1, self.begin)
        window = self.window(self.begin, np.maximum(end, 1))
        pools = np.where(end > self.begin, self.pools - self.counts, 0.0)
        expected = pools / np.where(end > self.begin, window.exposure, 1.0)
        return expected, np.where(end > self.begin, window.counts(pools), 0.0), window.moved

    @cached_property
    def movement(self) -> tuple[float, float, float]:
        """The daily movement of the logarithm of a rate: its estimate, and about 95% limits."""
        expected, counts, moved = self.before
        used = (expected >= _EXPECTED) & (self.counts > 0)
        if len(self.shares) < 2:
            return 0.0, 0.0, 0.0
        if used.sum() < _SOME:
            return 0.0, 0.0, _UNKNOWN
        expected, counts, moved = expected[used], counts[used], moved[used]
        # twice the root of a Poisson count has the variance 1 (Anscombe), so that of an expected count is as exact as
        # the number of counts that it is from
        part = expected / counts
        squares = 4 * (np.sqrt(self.counts[used] + 0.375) - np.sqrt((counts + 0.375) * part)) ** 2

        def mean(sigma: float) -> float:
            return float(np.minimum(squares / (1 + part + sigma**2 * moved * expected), _CLIPPED).mean())

        def solve(wanted: float) -> float:
            low, high = 0.0, _LARGEST
            if mean(low) <= wanted:
                return 0.0
            for _ in range(40):
                middle = (low + high) / 2
                low, high = (middle, high) if mean(middle) > wanted else (low, middle)
            return high

        off = min(2 * np.sqrt(2 / used.sum()), 0.9)
        return solve(_MEAN), solve(_MEAN * (1 + off)), solve(_MEAN * (1 - off))

    @cached_property
    def gone(self) -> Array:
        """How likely it is of each secret that it does not occur any more."""
        ledger = self.ledger
        silent = np.where(self.counts > 0, 0, np.minimum(ledger.day - ledger.last, _SILENCE))
        there = np.flatnonzero(silent)
        begin = self.begin[there]
        window = self.window(begin, np.clip(self.until[there], begin + 1, len(self.shares)))
        counts = window.counts(self.pools[there])
        shape = 1 / (1 / np.maximum(counts, 1e-9) + 2 * self.movement[0] ** 2)
        rate = counts / np.maximum(window.effective, 1e-300)
        young = ledger.day - ledger.first
        watched = np.minimum(young, _DAYS)
        heard = (silent == 0) & (self.whole.counts(self.pools) >= _KNOWN)
        used = (counts >= _KNOWN) & (silent[there] <= watched[there])
        days = float(watched[heard].sum() + (watched[there] - silent[there])[used].sum())
        silences = Silences(silent[there], rate, shape)
        some = Silences(silent[there][used], rate[used], shape[used])
        tried = np.concatenate([[1e-7], np.logspace(-5, -0.5, 46)]).tolist()
        share = max(tried, key=lambda share: days * np.log1p(-share) + float(np.log(sum(some.chances(share))).sum()))
        away, here = silences.chances(share)
        result = np.zeros(len(self.counts))
        result[there] = away / np.maximum(away + here, 1e-300)
        return result

    # -- groups of secrets that came together -------------------------------------------------------------------------

    @cached_property
    def groups(self) -> list[Group]:
        """Secrets that came on one day, those that came long ago, and small groups together with older ones."""
        days = len(self.shares)
        old = int(np.searchsorted(self.shares, _LEFT, side="right"))  # days before this are long ago
        came = np.where(self.begin < old, -1, self.begin)
        came[self.ledger.first == 0] = np.where(self.begin[self.ledger.first == 0] < old, -2, 0)
        counts = np.rint(self.whole.counts(self.pools)).astype(np.int64)
        found, waiting = [], np.empty(0, dtype=np.int64)
        for day in (-2, *range(-1, days)):
            waiting = np.concatenate([waiting, np.flatnonzero(came == day)])
            if len(waiting) >= _ENOUGH or (day in (-2, 0) and len(waiting)):
                found.append(Group(self, waiting, counts[waiting]))
                waiting = waiting[:0]
        if len(waiting):
            found.append(Group(self, waiting, counts[waiting]))
        return found

    def chosen(self, secrets: Indices) -> Array:
        """How much exposure secrets were chosen by: that of the day on which they were counted first, if that is still
        in their pools.
        """
        begin = self.begin[secrets]
        recent = (self.shares[begin] >= _CHOSEN) & (self.ledger.days[begin] == self.ledger.first[secrets])
        recent &= self.ledger.last[secrets] >= 0
        return np.where(recent, self.volumes[begin], 0.0)

    def posterior(self, how: str, sigma: float, rng: np.random.Generator | None = None) -> Posterior:
        """With mixing distributions that are fitted as "usual", "best" (few spikes) or "flat"; to resampled counts if
        there is a generator.
        """
        fitted = [group.fit(how, rng) for group in self.groups]
        return Posterior(self, fitted, sigma)


class Silences:
    """Secrets that were not counted for some days, by how likely no count is of one of their rate that still occurs:
    rates are Gamma variables of a mean and a shape.
    """

    def __init__(self, days: Indices, rate: Array, shape: Array) -> None:
        self.days = days
        self.chance = [(1 + rate * i / shape) ** -shape for i in range(int(days.max(initial=0)) + 1)]

    def chances(self, share: float) -> tuple[Array, Array]:
        """The probabilities to be silent for so long and gone, and silent and there, if so many go each day."""
        away, here = np.zeros(len(self.days)), np.zeros(len(self.days))
        for i, chance in enumerate(self.chance):
            left = (1 - share) ** i * chance
            away += np.where(self.days > i, share * left, 0.0)
            here += np.where(self.days == i, left, 0.0)
        return away, here


class Group:
    """Secrets with one mixing distribution of their rates, each with its own exposure."""

    def __init__(self, recent: Recent, secrets: Indices, counts: Indices) -> None:
        self.secrets = secrets
        exposure, chosen = recent.whole.effective[secrets], recent.chosen(secrets)
        counts = np.where(chosen > 0, np.maximum(counts, 1), counts)
        self.small = counts <= LARGE
        keys = np.stack([counts, np.rint(1e3 * exposure), np.rint(1e3 * chosen)])[:, self.small]
        distinct, self.rows, times = np.unique(keys, axis=1, return_inverse=True, return_counts=True)
        self.unit = max(float(exposure.max(initial=1e-3)), 1e-3)
        counts, exposure, chosen = distinct[0], distinct[1] / 1e3 / self.unit, distinct[2] / 1e3 / self.unit
        self.mixtures = Mixtures(counts, times, exposure=exposure, chosen=chosen)

    def fit(self, how: str, rng: np.random.Generator | None) -> Weights:
        """The weights of the mixing distribution."""
        if rng is not None:
            return self.mixtures.fit_resampled(rng)
        weights: Weights = getattr(self.mixtures, how)
        return weights


class Posterior:
    """Rates of today, drawn."""

    def __init__(self, recent: Recent, fitted: list[Weights], sigma: float) -> None:
        self.recent, self.fitted, self.sigma = recent, fitted, sigma
        n = len(recent.pools)
        self.group, self.row = np.empty(n, dtype=np.int64), np.full(n, -1)
        for i, group in enumerate(recent.groups):
            self.group[group.secrets] = i
            self.row[group.secrets[group.small]] = group.rows
        expected, counts, moved = recent.before
        prior = 1 / (1 / np.maximum(counts, 1e-9) + sigma**2 * moved)
        self.shape = np.where(expected > 0, prior, 0.0) + recent.counts
        self.scale = 1 / (np.where(expected > 0, prior / np.where(expected > 0, expected, 1.0), 0.0) + 1.0)
        self.blur = sigma * np.sqrt(recent.whole.moved)

    def draw(self, secrets: Indices, rng: np.random.Generator) -> Array:
        """A rate for each secret given, independent of the others."""
        secrets = np.asarray(secrets)
        rates, groups, rows = np.zeros(len(secrets)), self.group[secrets], self.row[secrets]
        uniforms = rng.random(len(secrets))
        for i, (group, weights) in enumerate(zip(self.recent.groups, self.fitted, strict=True)):
            here = np.flatnonzero((groups == i) & (rows >= 0))
            values = np.empty(len(here))
            group.mixtures.draw(weights, rows[here], uniforms[here], values)
            rates[here] = values / group.unit
        small = np.flatnonzero(rows >= 0)
        blur = self.blur[secrets[small]]
        rates[small] *= np.exp(blur * rng.standard_normal(len(small)) - blur**2 / 2)
        large = np.flatnonzero(rows < 0)
        rates[large] = rng.standard_gamma(self.shape[secrets[large]]) * self.scale[secrets[large]]
        return np.where(rng.random(len(secrets)) < self.recent.gone[secrets], 0.0, rates)
