"""in_the_world: what a plan leaks when its counts are a sample, to an attacker who knows the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from minleak._attack.dispersion import one_rate
from minleak._attack.rates import EARLY, LARGE, STEPS, Drawn, Mixtures, OneRate, Rates
from minleak._data.arrays import Array, Indices
from minleak._data.prior import Prior
from minleak._data.simulating import generator
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropy
from minleak._measure.leakages import difference
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak._plans.rings import Plan

Counts = npt.NDArray[Any]

# Members of sets that rates are drawn for, and sets at least; samples of the counts that the interval is from.
_DRAWS, _SETS, _SAMPLES = 1 << 16, 16, 12
# The 97.5th percentile of Student's distribution for so many samples.
_STUDENT = 2.2
# Counts below this are counted by value, without sorting.
_SMALL = 1 << 22
# Counts of more events than this are no better known by being counted exactly.
_MOST = 1 << 53
# The most secrets that are listed one by one.
_LISTED = 1 << 27
# Fewer events say nothing.
LEAST = 100


@dataclass(frozen=True)
class World:
    """What a plan leaks in the world that its counts are a sample of.

    `success` is the chance of one guess by an attacker who knows the true frequencies, given that the secret is one of
    the plan; `low` and `high` bound it with about 95% confidence. `claimed` is the chance for the counts as they are,
    which the certificate is about: the limit for infinitely many events. `unseen` is the share of tomorrow's events
    whose secrets are not in the counts (Good and Turing).

    `alike` is whether the counts differ by no more than chance makes equally frequent secrets differ. `success` is then
    for secrets of one rate, and `high` for differences between them that so few events do not show.

    Events are taken as independent. Where one user asks for the same secret twenty times, all figures are too low:
    count one event for each user and secret, or say with `Prior(..., events=)` how many independent ones the counts are
    worth. Secrets of equal counts are taken to be in no order that carries knowledge: with one that does, such as last
    year's ranking, less leaks.
    """

    events: int
    claimed: float
    success: float
    low: float
    high: float
    unseen: float
    alike: bool
    entropies: tuple[str, ...]
    _columns: Array = field(repr=False, compare=False)
    _rates: tuple[Array, Array] = field(repr=False, compare=False)
    _certified: dict[str, float] = field(repr=False, compare=False)

    def leakage(self, entropy: ConditionalEntropy | str) -> float:
        """H(X) - H(X|Y) in the world, from the same simulated sets as `success`."""
        H = as_entropy(entropy)
        if H.paper_form() is None or not H.symmetric:
            raise InvalidParameter(f"in the world, leakage is told for symmetric entropies eta(sum Fhat), not {H!r}")
        values, times = self._rates
        total = float(values @ times)
        before = H.of_spectrum(values / total, times)
        if before is None:
            if times.sum() > _LISTED:
                raise InvalidParameter(f"{H.name} sees every secret by itself, and here are more than {_LISTED:,}")
            before = H(np.repeat(values, np.rint(times).astype(np.int64)))
        return difference(H, before, H.value(H.summary(self._columns.copy())))

    def __str__(self) -> str:
        rows = [("one guess is right", self.claimed, self.success, f"{self.low:.4f} .. {self.high:.4f}")]
        rows += [(f"leakage, {name}", self._certified[name], self.leakage(name), "") for name in self.entropies]
        width = max(len(name) for name, *_ in rows)
        lines = [f"{'':{width}}  {'as counted':>10}  {'in the world':>12}  {'95% interval':>16}"]
        lines += [
            f"{name:{width}}  {claim:>10.4f}  {world:>12.4f}  {between:>16}" for name, claim, world, between in rows
        ]
        lines.append(
            f"{self.events:,} events, taken as independent; {self.unseen:.1%} of tomorrow's are of secrets that were "
            "not seen"
        )
        if self.alike:
            lines.append(
                "the counts show no difference between secrets beyond chance: they are taken as equally frequent, and "
                "the upper end allows for differences that would not show"
            )
        return "\n".join(line.rstrip() for line in lines)


@dataclass(frozen=True)
class Seen:
    """What a plan's prior is as a sample: the number of events, the distinct counts from 1 on, smallest first, and how
    many secrets have each.
    """

    events: int
    counts: Counts
    times: Counts


@dataclass(frozen=True)
class Sets:
    """Sets of a plan, each drawn as likely as it is shown, a column for each: who its members are, how often they were
    seen, and the number of places that they share their probability among.
    """

    members: Counts
    counts: Counts
    owned: Array

    def means(
        self, mixtures: Mixtures, all_rates: Sequence[Rates | OneRate], rng: np.random.Generator
    ) -> Iterator[Array]:
        """For each of the rates a column of the joint for each set, in all one. A member has another rate in each set,
        as the mean over worlds needs it.
        """
        drawn = Drawn(self.counts.ravel(), mixtures)
        for rates in all_rates:
            columns = rates.draw(drawn, rng).reshape(self.counts.shape) / self.owned
            yield np.asarray(columns / columns.sum())

    def worlds(self, all_rates: Sequence[Rates], rng: np.random.Generator) -> list[float]:
        """For each of the rates the success in one world: a member has the same wherever it is. One set in two is
        looked at.
        """
        _, first, at = np.unique(self.members[:, ::2], return_index=True, return_inverse=True)
        owned = self.owned[:, ::2].ravel()[first]
        drawn = Drawn(self.counts[:, ::2].ravel()[first], all_rates[0].mixtures)
        return [_success((rates.draw(drawn, rng) / owned)[at]) for rates in all_rates]


def in_the_world(plan: Plan, entropies: Sequence[ConditionalEntropy | str], seed: int) -> World:
    """What the plan leaks in the world that its prior is a sample of."""
    if plan.gains is not None:
        raise InvalidParameter(
            "a plan with gains is told for its own weights only: design it without gains for the world"
        )
    counts, seen = sample_of(plan.prior)
    measures = [as_entropy(H) for H in entropies]
    certified = {H.name: difference(H, H(plan.prior), H(plan.target)) for H in measures}
    return judged(seen, lambda rng: _sets(plan, counts, rng), plan.k, plan.success, certified, seed)


def judged(
    seen: Seen,
    drawn: Callable[[np.random.Generator], Sets],
    k: int,
    claimed: float,
    certified: dict[str, float],
    seed: int,
) -> World:
    """How often an attacker is right who knows the true rates: sets are drawn as the plan shows them, a rate is drawn
    for each member as its count allows, and they name the member of the highest rate.

    The flatter the distribution of the rates, the stronger they look (see `Rates`). `low` is for the fewest distinct
    rates that the counts do not reject, and for the closest to one; `high` for EM after few steps, or with no fit at
    all, whichever makes them stronger. Both ends are then moved out by 2.2 standard deviations of their success over
    twelve samples of the counts. Where the counts do not show that secrets have several rates, `success` and `low` are
    for one rate, and `high` is for the flattest distribution that the counts do not reject.
    """
    if seen.events < LEAST:
        raise InvalidParameter(
            f"{seen.events} events are too few to say anything about the world: collect {LEAST} or more"
        )
    if seen.counts[-1] == 1:
        raise InvalidParameter(
            "every secret was seen once: nothing can be said about how often each occurs; collect more events"
        )
    rng = generator(seed)
    sets = drawn(rng)
    mixtures, times = Mixtures(seen.counts), seen.times[seen.counts <= LARGE]
    best = mixtures.most_likely(times)
    usual = mixtures.smooth(times, best)
    rate, alike = one_rate(seen.counts, seen.times)
    estimate: Rates | OneRate
    spikes: Sequence[Rates | OneRate]
    if alike:
        estimate, spikes, flat = OneRate(rate), [OneRate(rate)], [Rates(mixtures, usual)]
        spectrum = np.array([rate]), np.array([float(seen.times.sum())])
    else:
        few = [
            mixtures.fewest(weights, best, times, seen.counts) for weights in (best, mixtures.narrow(rate, best, times))
        ]
        estimate, spikes = Rates(mixtures, usual), [Rates(*one) for one in few]
        flat = [Rates(mixtures, mixtures.fitted(times, EARLY)), Rates(mixtures, None)]
        spectrum = mixtures.spectrum(usual, seen.counts, seen.times)
    columns, *ends = sets.means(mixtures, [estimate, *spikes, *flat], rng)
    bright, dark = ends[: len(spikes)], ends[len(spikes) :]
    success = _success(columns)
    resampled = [Rates(mixtures, mixtures.fitted(rng.poisson(times), STEPS)) for _ in range(_SAMPLES)]
    margin = _STUDENT * float(np.std(sets.worlds(resampled, rng), ddof=1))
    return World(
        events=seen.events,
        claimed=claimed,
        success=success,
        low=max(min(success, *map(_success, bright)) - margin, 1 / k),
        high=min(max(success, *map(_success, dark)) + margin, 1.0),
        unseen=int(seen.times[seen.counts == 1].sum()) / seen.events,
        entropies=tuple(certified),
        _columns=columns,
        alike=alike,
        _rates=spectrum,
        _certified=certified,
    )


def _sets(plan: Plan, counts: Counts, rng: np.random.Generator) -> Sets:
    """Sets of a plan in memory."""
    members, owned = random_sets(plan, how_many(plan.n_giants + plan.u), rng)
    return Sets(members, counts[members], owned)


def random_sets(plan: Plan, count: int, rng: np.random.Generator) -> tuple[Indices, Array]:
    """So many sets, each as likely as it is shown, a column for each; and the places that each member has."""
    giants = np.repeat(plan.giants[:, None], count, axis=1)
    if not plan.rest_weight:  # nobody is left beside the giants: all are in one set
        return giants[:, :1], np.ones((plan.n_giants, 1))
    others = _random_sets(plan, count, rng).T
    owned = np.concatenate([np.full(giants.shape, plan.rest_weight), plan.u * plan.weights[others]])
    return np.concatenate([giants, others]), owned.astype(np.float64)


def _times(counts: Counts) -> tuple[Counts, Counts]:
    """The distinct counts from 1 on, and how many secrets have each."""
    if counts.dtype == np.int64 and counts.max() < _SMALL:
        times = np.bincount(counts)
        times[0] = 0
        distinct = np.flatnonzero(times)
        return distinct, times[distinct]
    return np.unique(counts[counts > 0], return_counts=True)


def _success(columns: Array) -> float:
    """How often the likeliest member of a set is the secret."""
    return float(columns.max(axis=0).sum() / columns.sum())


def sample_of(prior: Prior) -> tuple[Counts, Seen]:
    """How often each secret was seen, and the prior as a sample."""
    counts, events = _counts(prior)
    return counts, Seen(events, *_times(counts))


def _counts(prior: Prior) -> tuple[Counts, int]:
    events = prior.events
    if events is None:
        raise InvalidParameter(
            "the weights are no counts of events: say with events= how many they come from, or give the counts"
        )
    if prior.exact and prior.total == events <= _MOST:
        return prior.weights, events
    counts = np.rint(prior.p * min(events, _MOST)).astype(np.int64)  # of more events the sample is the truth anyhow
    return np.maximum(counts, prior.p > 0), events


def _random_sets(plan: Plan, count: int, rng: np.random.Generator) -> Counts:
    """So many sets without the giants, each as likely as it is shown: the phases of homes and rings, in proportion."""
    homes = len(plan.homes.weights)
    sizes = np.concatenate([plan.u * plan.homes.weights, [ring.length for ring in plan.rings]]).astype(np.int64)
    ends = np.cumsum(sizes)
    places = stretched(plan.rest_weight, count, rng)
    which = np.searchsorted(ends, places, side="right")
    sets = np.empty((count, plan.u), dtype=np.int64)
    at_home = which < homes
    sets[at_home] = plan.homes.members[which[at_home]]
    for i in np.unique(which[~at_home]).tolist():
        ring, here = plan.rings[i - homes], which == i
        phases = places[here] - (ends[i] - ring.length)
        sets[here] = ring.member(phases[:, None] + ring.length * np.arange(plan.u))
    return sets


def how_many(size: int) -> int:
    """The number of sets of this size to draw."""
    return max(_DRAWS // size, _SETS)


def stretched(tail: int, count: int, rng: np.random.Generator) -> Indices:
    """So many places below `tail`, one at random in each of as many stretches of one length: each place is as likely as
    the others, and light and heavy secrets come in their proportion.
    """
    places = (np.arange(count) + rng.random(count)) * (tail / count)
    return np.minimum(places.astype(np.int64), tail - 1)
