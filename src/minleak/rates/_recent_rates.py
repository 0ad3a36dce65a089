"""Recent rates: how often each secret occurs today, given what a ledger and the parts of a lineage know of it.

The sets of a part were chosen by the counts that it was made from, so what is said of them must know these. Of each
secret three counts are known, with the exposure of each in units of today's N events: the one its part was made from,
that of the days since, and today's. From one to the next the rate moves: its logarithm walks by `movement` a day, and
its mean stays. Where nothing moves, only the sum of the counts tells anything.

- A pool C of some days, in which the share w_d is left of day d of N_d events, has the mean rate * E with the exposure
  E = sum of w_d N_d / N, and the variance rate * E_2 with E_2 = sum of w_d^2 N_d / N. So C E / E_2 counts as a Poisson
  count of the exposure E^2 / E_2.
- The three counts give the posterior of today's rate (`Chain`).
- Movement is estimated from how far each count is from what the one before leads to expect.
- A secret that has not been counted for some days is gone with a probability that follows from how many go each day.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.lineage._ledger import UNIT, Ledger, whole_counts
from minleak.rates._rate_chains import Group, History, Rates

# Parts have a mixing distribution of their own if they have so many secrets; else they share one with older parts.
_ENOUGH = 200
# Movement is estimated from secrets with at least so many counts and expected counts. It is unknown if fewer than so
# many secrets have them.
_EXPECTED, _SOME = 20, 8
# An unknown movement, at most; and the largest that is looked for.
_UNKNOWN, _LARGEST = 0.3, 3.0
# Squares of standardised residuals are cut off at this, so that no single secret decides; their mean is then this.
_CLIPPED, _MEAN = 9.0, 0.995
# Secrets that are gone are looked for among those of so many effective counts, for so many days.
_KNOWN, _DAYS = 10, 7
# Days of silence after which more of them change nothing.
_SILENCE = 30


class Recent:
    """What is known of every secret's rate today, in events of today."""

    def __init__(self, ledger: Ledger, parts: Sequence[Any]) -> None:
        self.ledger = ledger
        self.events = int(ledger.totals[-1])
        self.shares = ledger.shares / UNIT
        self.volumes = ledger.totals / max(self.events, 1)
        self.pools = ledger.pools / UNIT
        self.counts = ledger.counts.astype(np.float64)
        # places among the days: of the first that counts for a secret, and after the last on which it was counted
        self.begin = np.searchsorted(ledger.days, ledger.first)
        self.until = np.searchsorted(ledger.days, ledger.last, side="right")
        self.ends = [0, *np.cumsum([len(part.prior) for part in parts]).tolist(), len(self.pools)]
        self.newest = len(parts) - 1  # those that wait are like a part after it, which is made today
        made = [whole_counts(part.prior, "the weights") / (UNIT if i else 1) for i, part in enumerate(parts)]
        made.append(self.pools[ledger.listed :])
        self.histories = [
            self._history(i, slice(*ends), counts)
            for i, (ends, counts) in enumerate(zip(pairwise(self.ends), made, strict=True))
        ]

    def window(self, begin: Indices, end: Indices) -> tuple[Array, Array]:
        """E and E_2 of the days from one place on up to another."""
        weight = self.shares * self.volumes
        sums, squares = (np.concatenate([[0.0], np.cumsum(each)]) for each in (weight, self.shares * weight))
        return np.maximum(sums[end] - sums[begin], 1e-300), np.maximum(squares[end] - squares[begin], 1e-300)

    def _history(self, i: int, here: slice, made: Array) -> History:
        """That of part i, whose secrets are `here`, made from these counts."""
        ledger, today = self.ledger, len(self.shares) - 1
        day = {self.newest: ledger.began, self.newest + 1: ledger.day}.get(i, int(ledger.first[here].max(initial=0)))
        first, at = self.begin[here], int(np.searchsorted(ledger.days, day))
        known = bool(ledger.days[at] == day)
        since = np.arange(at + known, today)
        if known:
            rest = self.pools[here] - self.shares[at] * made - self.counts[here]
        else:  # days that are forgotten are taken to have been like the last ones
            rest = self.pools[here] - self.counts[here]
            first, at = np.searchsorted(ledger.days, ledger.first[here] + (ledger.day - day)), today
        if i:
            E, E_2 = self.window(first, np.full(len(first), at + 1))
            counts, exposure, chosen = made * self.shares[at] * E / E_2, E**2 / E_2, self.volumes[first]
        else:  # the events of day 0 are known for ever
            counts, exposure = made, np.full(len(made), made.sum() / max(self.events, 1))
            chosen = exposure
        (per_count, span), before, after = self._pooled(day, since)
        return History(
            first=first,
            made=counts,
            made_exposure=exposure,
            chosen=np.where(made > 0, chosen, 0.0),
            since=np.maximum(rest, 0.0) * per_count,
            since_exposure=span,
            today=np.where(day == ledger.day, 0.0, self.counts[here]),
            today_exposure=float(day < ledger.day),
            before=before,
            after=after,
            age=float(ledger.day - day),
        )

    def _pooled(self, day: int, since: Indices) -> tuple[tuple[float, float], float, float]:
        """Of the pool of the days at some places: what a count in it is worth, its exposure then, and how far its mean
        moved from a day before, and moves until today, as variances for a movement of 1 a day.
        """
        weight = self.shares[since] * self.volumes[since]
        E, E_2 = float(weight.sum()), float(self.shares[since] @ weight)
        if not E:
            return (0.0, 0.0), 0.0, float(self.ledger.day - day)
        days, later = self.ledger.days[since], np.cumsum(weight[::-1])[::-1] / E
        sooner = np.cumsum(weight) / E
        before, after = np.diff(days, prepend=day) @ later**2, np.diff(days, append=self.ledger.day) @ sooner**2
        return (E / E_2, E**2 / E_2), float(before), float(after)

    # -- what is estimated once ---------------------------------------------------------------------------------------

    @cached_property
    def mass(self) -> Array:
        """The mean rate of each secret over its days, recent ones first."""
        return np.asarray(self.pools / self.window(self.begin, np.full(len(self.pools), len(self.shares)))[0])

    @cached_property
    def movement(self) -> tuple[float, float, float]:
        """The daily movement of the logarithm of a rate: its estimate, and about 95% limits.

        Twice the root of a Poisson count has the variance 1 (Anscombe). So the square of what two counts differ by,
        where the first leads to expect m and is r times as exact, has the mean V = 1 + 1/r + 8 m (1 - exp(-v/8)), if
        the rate is multiplied by a lognormal variable of mean 1 in between and v is the variance of its logarithm. The
        estimate is the most likely movement: the mean of squares by V is 1 with the weights of the likelihood equation.
        """
        if len(self.shares) < 2:
            return 0.0, 0.0, 0.0
        squares, noise, expected, moved = (np.concatenate(each) for each in zip(*self._differences(), strict=True))
        if len(squares) < _SOME:
            return 0.0, 0.0, _UNKNOWN

        def excess(sigma: float, limits: float) -> float:
            variance = noise - 8 * expected * np.expm1(-(sigma**2) * moved / 8)
            weight = expected * moved / variance
            off = min(2 * np.sqrt(2 * (weight @ weight)) / weight.sum(), 0.9)
            mean = weight @ np.minimum(squares / variance, _CLIPPED) / weight.sum()
            return float(mean - _MEAN * (1 + limits * off))

        def solve(limits: float) -> float:
            low, high = 0.0, _LARGEST
            if excess(low, limits) <= 0:
                return 0.0
            for _ in range(40):
                middle = (low + high) / 2
                low, high = (middle, high) if excess(middle, limits) > 0 else (low, middle)
            return high

        return solve(0.0), solve(1.0), solve(-1.0)

    def _differences(self) -> list[tuple[Array, ...]]:
        """Squares of differences between one count and the next, their mean if nothing moves, what is expected of the
        next, and the variance of what its rate moved.
        """
        found: list[tuple[Array, ...]] = []
        for one in self.histories:
            made, since = (one.made, one.made_exposure), (one.since, np.full(len(one.since), one.since_exposure))
            today = one.today, np.full(len(one.today), one.today_exposure)
            pairs = [(made, since, one.before), (since, today, one.after)]
            if not one.since_exposure:
                pairs = [(made, today, one.after)]
            for (counts, exposure), (following, span), moved in pairs:
                part = span / np.maximum(exposure, 1e-300)
                used = (np.minimum(counts, counts * part) >= _EXPECTED) & (following > 0)
                counts, following, part = counts[used], following[used], part[used]
                squares = 4 * (np.sqrt(following + 0.375) - np.sqrt((counts + 0.375) * part)) ** 2
                found.append((squares, 1 + part, counts * part, np.full(len(counts), moved)))
        return found

    @cached_property
    def gone(self) -> Array:
        """How likely it is of each secret that it does not occur any more."""
        ledger = self.ledger
        silent = np.where(self.counts > 0, 0, np.minimum(ledger.day - ledger.last, _SILENCE))
        there = np.flatnonzero(silent)
        begin = self.begin[there]
        E, E_2 = self.window(begin, np.clip(self.until[there], begin + 1, len(self.shares)))
        counts, rate = self.pools[there] * E / E_2, self.pools[there] / E
        shape = 1 / (1 / np.maximum(counts, 1e-9) + 2 * self.movement[0] ** 2)
        young = ledger.day - ledger.first
        watched = np.minimum(young, _DAYS)
        total = np.concatenate([one.made + one.since + one.today for one in self.histories])
        heard = (silent == 0) & (total >= _KNOWN)
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

    # -- mixing distributions -----------------------------------------------------------------------------------------

    @cached_property
    def groups(self) -> list[Group]:
        """The first part, and later ones with those that are too small for themselves; those that wait are the last."""
        found, begin = [], 0
        for end in range(1, len(self.histories) + 1):
            if end == 1 or self.ends[end] - self.ends[begin] >= _ENOUGH or end == len(self.histories):
                found.append(Group(self.histories[begin:end]))
                begin = end
        return found

    def posterior(self, how: str, sigma: float, rng: np.random.Generator | None = None) -> Posterior:
        """With mixing distributions that are fitted as "usual", "best" (few spikes) or "flat"; to resampled counts if
        there is a generator.
        """
        return Posterior(self, [part for group in self.groups for part in group.rates(how, sigma, rng)])


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


class Posterior:
    """Rates of today, drawn."""

    def __init__(self, recent: Recent, parts: list[Rates]) -> None:
        self.recent, self.parts = recent, parts

    def draw(self, secrets: Indices, rng: np.random.Generator) -> Array:
        """A rate for each secret given, independent of the others."""
        secrets = np.asarray(secrets)
        order = np.argsort(secrets, kind="stable")
        ends = np.searchsorted(secrets[order], self.recent.ends)
        rates = np.empty(len(secrets))
        for part, begin, (one, end) in zip(self.parts, self.recent.ends, pairwise(ends.tolist()), strict=False):
            here = order[one:end]
            if len(here):
                rates[here] = part.draw(secrets[here] - begin, rng)
        return np.where(rng.random(len(secrets)) < self.recent.gone[secrets], 0.0, rates)
