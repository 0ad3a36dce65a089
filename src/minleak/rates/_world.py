"""population: what a plan leaks in the true population that its counts are a sample of.

Every figure exists twice: "as counted", if the counts are the true frequencies of the secrets, and "in the true
population", for an attacker who knows the true frequencies, of which the counts are a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, singledispatch
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._entropy.names import FEW, as_entropy
from minleak.core._leakage import difference
from minleak.core._plan.plan import Plan
from minleak.core._prior import Prior
from minleak.core._result import Result
from minleak.core._simulating import generator
from minleak.core._text_tables import Table, estimate
from minleak.errors import InvalidParameter
from minleak.rates._rates import Counts, DrawnCounts, Mixtures, OneRate, RatePosterior

# Members of sets that rates are drawn for, and sets at least; samples of the counts that the interval is from.
_DRAWS, _SETS, _SAMPLES = 1 << 16, 16, 12
# Blocks of different sizes are all looked at where a table of them has at most so many entries.
_ENTRIES = 4_000_000
# The 97.5th percentile of Student's distribution for so many samples.
_STUDENT = 2.2
# Counts below this are counted by value, without sorting.
_SMALL = 1 << 22
# Counts of more events than this are no better known by being counted exactly.
_MOST = 1 << 53
# The most secrets that are listed one by one.
_LISTED = 1 << 27
# Nothing is estimated from fewer events.
LEAST = 100


@dataclass(frozen=True, eq=False)
class ShownSets:
    """What an attacker sees of the true population: simulated sets, a column of the joint for each, in all one; and
    what they know before, `whole`: simulated populations in the same way or, of many secrets, the rates, largest first,
    and how many secrets have each.
    """

    columns: Array
    whole: Array | tuple[Array, Array]

    @property
    def success(self) -> float:
        """How often the likeliest member of a set is the secret."""
        return _success(self.columns)

    def leakage(self, entropy: ConditionalEntropy | str) -> float:
        """H(X) - H(X|Y); 0 where simulations differ by less than nothing."""
        H = as_entropy(entropy)
        if not isinstance(H, Entropy) or not H.symmetric:
            raise InvalidParameter(
                f"leakage in the true population is known for symmetric entropies eta(sum Fhat), not for {H!r}"
            )
        return max(0.0, difference(H, self._before(H), H.value(H.summary(self.columns.copy()))))

    def _before(self, H: Entropy) -> float:
        """H(X)."""
        if isinstance(self.whole, np.ndarray):
            return H.value(H.summary(self.whole.copy()))
        values, times = self.whole
        before = H.of_spectrum(values / float(values @ times), times)
        if before is None:
            if times.sum() > _LISTED:
                raise InvalidParameter(f"{H.name} sees every secret by itself, and here are more than {_LISTED:,}")
            before = H(np.repeat(values, np.rint(times).astype(np.int64)))
        return before


@dataclass(frozen=True)
class World(Result):
    """What a plan leaks in the true population that its counts, of so many `events`, are a sample of; `entropies` are
    those that leakages are printed in.

    `success` is the chance of one guess by an attacker who knows the true frequencies, given that the secret is one of
    the plan; `low` and `high` bound it with about 95% confidence. `claimed` is the chance as counted, which the
    certificate is about: the limit for infinitely many events. `unseen` is the share of tomorrow's events
    whose secrets are not in the counts (Good and Turing). It is None where no secret was counted once: such a list is
    complete, or it was cut at its `smallest` count, and then it is no sample and does not tell what it leaves out.

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
    unseen: float | None
    smallest: int
    alike: bool
    entropies: tuple[str, ...]
    _shown: ShownSets = field(repr=False, compare=False)
    _certified: dict[str, float] = field(repr=False, compare=False)

    def leakage(self, entropy: ConditionalEntropy | str) -> float:
        """H(X) - H(X|Y) in the true population, from the same simulated sets as `success`."""
        return self._shown.leakage(entropy)

    def say_unseen(self) -> str:
        """How many future events will be of secrets that were not counted, in a sentence without its full stop."""
        if self.unseen is None:
            return (
                f"no secret was counted fewer than {self.smallest:,} times: if the list is complete, hardly any future "
                "events will be of other secrets; if it was cut there, as a list of the most frequent is, it does not "
                "tell how many will be"
            )
        share = "fewer than 1 in 10,000" if self.unseen < 1e-4 else f"{100 * self.unseen:.3g}%"
        return f"{share} of future events will be of secrets that were not counted"

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"leakage": {name: self.leakage(name) for name in self.entropies}}

    def to_parts(self) -> list[str | Table]:
        rows: list[Any] = [
            ["one guess is right", self.claimed, estimate(self.success), f"{self.low:.4f} .. {self.high:.4f}"]
        ]
        rows += [
            [f"leakage, {name}", self._certified[name], estimate(self.leakage(name)), ""] for name in self.entropies
        ]
        alike = (
            "the counts show no difference between secrets beyond chance: they are taken as equally frequent, and the "
            "upper end allows for differences that would not show"
        )
        return [
            Table("", ["", "as counted", "in the true population", "95% interval"], rows),
            f"{self.events:,} events, taken as independent; {self.say_unseen()}",
            *([alike] if self.alike else []),
        ]


@dataclass(frozen=True)
class CountSample:
    """A prior as a sample: the number of events, the distinct counts from 1 on, smallest first, and how many secrets
    have each.
    """

    events: int
    counts: Counts
    times: Counts


@dataclass(frozen=True)
class SampledSets:
    """Sets of a plan, each drawn as likely as it is shown, a column for each: who its members are, how often they were
    counted, and the number of places that they share their probability among.
    """

    members: Counts
    counts: Counts
    owned: Array

    def draw_columns(self, posteriors: Sequence[RatePosterior | OneRate], rng: np.random.Generator) -> list[Array]:
        """For each posterior of the rates a column of the joint for each set, in all one. A member has another rate in
        each set, as the mean over populations needs it.
        """
        drawn = DrawnCounts(self.counts.ravel())
        columns = [posterior.draw(drawn, rng).reshape(self.counts.shape) / self.owned for posterior in posteriors]
        return [np.asarray(column / column.sum()) for column in columns]

    def draw_successes(self, posteriors: Sequence[RatePosterior], rng: np.random.Generator) -> list[float]:
        """For each posterior the success in one population: a member has the same rate wherever it is. One set in two
        is looked at.
        """
        _, first, at = np.unique(self.members[:, ::2], return_index=True, return_inverse=True)
        drawn = DrawnCounts(self.counts[:, ::2].ravel()[first])
        return [_success(posterior.draw(drawn, rng)[at] / self.owned[:, ::2]) for posterior in posteriors]


class Population:
    """The true population that counts are a sample of: the rates of its secrets, fitted once for all plans."""

    def __init__(self, sample: CountSample) -> None:
        if sample.events < LEAST:
            raise InvalidParameter(
                f"{sample.events} events are too few to say anything about the true population: collect {LEAST} or more"
            )
        if sample.counts[-1] == 1:
            raise InvalidParameter(
                "every secret was seen once: nothing can be said about how often each occurs; collect more events"
            )
        self.sample, self.mixtures = sample, Mixtures(sample.counts, sample.times)
        self.rate, self.alike = self.mixtures.one_rate

    @cached_property
    def estimate(self) -> RatePosterior | OneRate:
        """The rates, given the counts: one rate for all where the counts do not show that there are several."""
        return OneRate(self.rate) if self.alike else RatePosterior(self.mixtures, self.mixtures.usual)

    @cached_property
    def whole(self) -> Array | tuple[Array, Array]:
        """What is known before a set is seen: see `ShownSets`."""
        n = int(self.sample.times.sum())
        if n <= _DRAWS:
            counts = np.repeat(self.sample.counts, self.sample.times)
            rates = self.draw_rates(counts, _DRAWS // n).T
            return np.asarray(rates / rates.sum())
        if self.alike:
            return np.array([self.rate]), np.array([float(self.sample.times.sum())])
        return self.mixtures.spectrum(self.mixtures.usual)

    def show(self, plan: Plan, counts: Counts, seed: int = 0) -> ShownSets:
        """The sets of a plan, from which `population` has the same success. Where all secrets are in one set, it is
        what is known before.
        """
        rng = generator(seed)
        (columns,) = _sampler(plan, counts)(rng).draw_columns([self.estimate], rng)
        return ShownSets(columns, columns if len(columns) >= self.sample.times.sum() else self.whole)

    def draw_rates(self, counts: Counts, times: int, seed: int = 0) -> Array:
        """So many populations, a row each: a rate for each secret, 0 where it was never counted."""
        rates = self.estimate.draw(DrawnCounts(np.tile(np.maximum(counts, 1), times)), generator(seed))
        return np.asarray(rates.reshape(times, -1) * (counts > 0))


def find_population(prior: Prior) -> tuple[Population, Counts] | str:
    """The true population of a prior, and its counts; or why nothing can be said about it."""
    try:
        counts, sample = count_sample(prior)
        return Population(sample), counts
    except InvalidParameter as error:
        return str(error)


@singledispatch
def population(plan: Any, *, entropies: Sequence[ConditionalEntropy | str] = FEW, seed: int = 0) -> Any:
    """Return what the plan leaks in the true population that its counts are a sample of, to an attacker who knows the
    true frequencies.

    The certificate is about the prior as counted. Secrets with equal counts are not equally frequent, and an attacker
    who knows better guesses the most frequent member of a set: with 60,000 events of 34,003 cities and k = 20 they are
    right 9.7% of the time, not 5%. This is estimated from the counts alone, if events are independent: see `World`.
    Refused where it cannot be: fewer than 100 events, every secret seen once, gains, weights that are no counts
    (`Prior(..., events=)`).

    Of an updated plan it is what leaks today, by the counts of all days: see `Today`.

    >>> import minleak as ml
    >>> counts = ml.Prior([20 - i // 30 for i in range(600)])
    >>> world = ml.population(ml.design(counts, k=10))
    >>> world.success > world.claimed
    True
    """
    del entropies, seed
    raise InvalidParameter(
        f"the true population is estimated for a plan of listed secrets with counts; got {type(plan).__name__}"
    )


@population.register(Plan)
def _of_plan(plan: Plan, *, entropies: Sequence[ConditionalEntropy | str] = FEW, seed: int = 0) -> World:
    if plan.gains is not None:
        raise InvalidParameter("the true population is not estimated for a plan with gains: design it without gains")
    counts, sample = count_sample(plan.prior)
    certified = {H.name: plan.leakage(H) for H in map(as_entropy, entropies)}
    return estimate_world(sample, _sampler(plan, counts), plan.k, plan.success, certified, seed)


def _sampler(plan: Plan, counts: Counts) -> Callable[[np.random.Generator], SampledSets]:
    """A function that draws sets of the plan, each as likely as it is shown."""

    def draw_sets(rng: np.random.Generator) -> SampledSets:
        if not len(plan.target):
            return _sample_blocks(plan, counts, rng)
        members, owned = sample_sets(plan, sets_to_draw(plan.n_giants + plan.u), rng)
        return SampledSets(members, counts[members], owned)

    return draw_sets


def _sample_blocks(plan: Plan, counts: Counts, rng: np.random.Generator) -> SampledSets:
    """Blocks drawn in proportion to their mass; or each block once, where sizes differ so much that few large ones
    would be drawn.
    """
    blocks = plan.blocks
    mass = np.add.reduceat(plan.prior.p[blocks.members], blocks.begins[:-1])
    drawn = np.arange(len(mass))
    if plan.is_cut or len(mass) * plan.k > _ENTRIES:
        drawn = rng.choice(len(mass), size=sets_to_draw(plan.k), p=mass / mass.sum())
    else:
        mass = np.full(len(mass), 1 / len(mass))
    members = blocks.rows(drawn, plan.k).T
    seen = (members >= 0) & (counts[members] > 0)  # nobody, and those that were never seen, have no rate
    return SampledSets(members, np.where(seen, counts[members], 1), np.where(seen, mass[drawn], np.inf))


def estimate_world(
    sample: CountSample,
    draw_sets: Callable[[np.random.Generator], SampledSets],
    k: int,
    claimed: float,
    certified: dict[str, float],
    seed: int,
) -> World:
    """How often an attacker is right who knows the true rates: sets are drawn as the plan shows them, a rate is drawn
    for each member as its count allows, and the attacker names the member of the highest rate.

    The flatter the distribution of the rates, the stronger they look (see `RatePosterior`). `low` is for the fewest
    distinct rates that the counts do not reject, and for the closest to one; `high` for EM after few steps, or with no
    fit at all, whichever makes them stronger. Both ends are then moved out by 2.2 standard deviations of their success
    over twelve samples of the counts. Where the counts do not show that secrets have several rates, `success` and `low`
    are for one rate, and `high` is for the flattest distribution that the counts do not reject.
    """
    population = Population(sample)
    rng = generator(seed)
    sets = draw_sets(rng)
    mixtures, alike = population.mixtures, population.alike
    spiky: Sequence[RatePosterior | OneRate]
    if alike:
        spiky, flat = [population.estimate], [RatePosterior(mixtures, mixtures.usual)]
    else:
        spiky = [mixtures.merge_rates(weights) for weights in (mixtures.best, mixtures.narrow)]
        flat = [RatePosterior(mixtures, mixtures.flat), RatePosterior(mixtures, None)]
    columns, *ends = sets.draw_columns([population.estimate, *spiky, *flat], rng)
    success, others = _success(columns), [_success(end) for end in ends]
    resampled = [RatePosterior(mixtures, mixtures.fit_resampled(rng)) for _ in range(_SAMPLES)]
    margin = _STUDENT * float(np.std(sets.draw_successes(resampled, rng), ddof=1))
    once = int(sample.times[sample.counts == 1].sum())
    return World(
        events=sample.events,
        claimed=claimed,
        success=success,
        low=max(min(success, *others[: len(spiky)]) - margin, 1 / k),
        high=min(max(success, *others[len(spiky) :]) + margin, 1.0),
        unseen=once / sample.events if once else None,
        smallest=int(sample.counts[0]),
        entropies=tuple(certified),
        alike=alike,
        _shown=ShownSets(columns, population.whole),
        _certified=certified,
    )


def _success(columns: Array) -> float:
    """How often the likeliest member of a set is the secret."""
    return float(columns.max(axis=0).sum() / columns.sum())


# -- the sample ------------------------------------------------------------------------------------------------------


def count_sample(prior: Prior) -> tuple[Counts, CountSample]:
    """How often each secret was counted, and the prior as a sample."""
    events = prior.events
    if events is None:
        raise InvalidParameter(
            "the weights are not counts of events: give counts, or say with events= how many events they come from"
        )
    counts = prior.weights
    if not prior.exact or not prior.total == events <= _MOST:  # of more events the sample is the truth anyhow
        counts = np.maximum(np.rint(prior.p * min(events, _MOST)).astype(np.int64), prior.p > 0)
    if counts.dtype == np.int64 and counts.max() < _SMALL:
        times = np.bincount(counts)
        times[0] = 0
        distinct = np.flatnonzero(times)
        return counts, CountSample(events, distinct, times[distinct])
    return counts, CountSample(events, *np.unique(counts[counts > 0], return_counts=True))


# -- sets ------------------------------------------------------------------------------------------------------------


def sample_sets(plan: Plan, count: int, rng: np.random.Generator) -> tuple[Indices, Array]:
    """So many sets, each as likely as it is shown, a column for each; and the places that each member has, scaled to
    the weight on homes and ring.
    """
    giants = np.repeat(plan.giants[:, None], count, axis=1)
    if not plan.phases:  # nobody is left beside the giants: all are in one set
        return giants[:, :1], np.ones((plan.n_giants, 1))
    others, _ = plan.at(sample_places(plan.phases, count, rng))
    members = np.concatenate([giants, others.T])
    return members, plan.all_places[members] * (plan.rest / plan.phases)


def sets_to_draw(size: int) -> int:
    """The number of sets of this size to draw."""
    return max(_DRAWS // size, _SETS)


def sample_places(tail: int, count: int, rng: np.random.Generator) -> Indices:
    """So many places below `tail`, one at random in each of as many stretches of one length: each place is as likely as
    the others, and light and heavy secrets come in their proportion.
    """
    stretches = np.arange(count) + rng.random(count)
    return np.minimum((stretches * (tail / count)).astype(np.int64), tail - 1)
