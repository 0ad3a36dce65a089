"""in_the_world: what a plan leaks when its counts are a sample, to an attacker who knows the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.prior import Prior
from minleak._design.rates import Rates
from minleak._design.rings import Arrangement
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropy
from minleak._entropy.random_search import generator
from minleak._measure.leakages import difference
from minleak.errors import InvalidParameter

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[Any]

# Steps of EM for the estimate, and for the two ends between which the truth is (MATH 13).
STEPS, FEW, MANY = 40, 10, 400
# Members of sets that rates are drawn for; samples of the counts that the interval is from.
_DRAWS, _SAMPLES = 1 << 16, 12
# Counts below this are counted by value, without sorting.
_SMALL = 1 << 22
# Counts of more events than this are no better known by being counted exactly.
_MOST = 1 << 53
# Fewer events say nothing.
LEAST = 100


@dataclass(frozen=True)
class World:
    """What a plan leaks in the world that its counts are a sample of.

    `success` is the chance of one guess by an attacker who knows the true frequencies, given that the secret is one of
    the plan; `low` and `high` bound it with about 95% confidence. `claimed` is the chance for the counts as they are,
    which the certificate is about: the limit for infinitely many events. `unseen` is the share of tomorrow's events
    whose secrets are not in the counts (Good and Turing). It is assumed that events are independent, and that secrets
    of equal counts are in no order that carries knowledge: with one that does, such as last year's ranking, less leaks.
    """

    events: int
    claimed: float
    success: float
    low: float
    high: float
    unseen: float
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
        lines.append(f"{self.events:,} events; {self.unseen:.1%} of tomorrow's are of secrets that were not seen")
        return "\n".join(line.rstrip() for line in lines)


@dataclass(frozen=True)
class Shown:
    """Sets as likely as they are shown, a row each, -1 for no member; and what each secret owns of them: a set's column
    of the joint is in proportion to the rates of its members over what they own.
    """

    sets: Counts
    owned: Callable[[Counts], Array]


def in_the_world(plan: Arrangement, entropies: Sequence[ConditionalEntropy | str], seed: int) -> World:
    """Of a plan of rings."""
    if plan.gains is not None:
        raise InvalidParameter(
            "a plan with gains is told for its own weights only: design it without gains for the world"
        )
    certified = {H.name: difference(H, H(plan.prior), H(plan.target)) for H in map(as_entropy, entropies)}
    return estimated(
        plan.prior,
        lambda rng: _shown(plan, rng),
        claimed=float(plan.target.max()),
        k=plan.k,
        certified=certified,
        seed=seed,
    )


def estimated(
    prior: Prior,
    shown: Callable[[np.random.Generator], Shown],
    *,
    claimed: float,
    k: int,
    certified: dict[str, float],
    seed: int,
) -> World:
    """Sets are drawn as they are shown, and rates for their members as the counts allow; the attacker takes the
    likeliest of each set.

    The point estimate is at 40 steps of EM. The interval is from the converged mixture, which is a little too bright,
    to the darker of 10 steps and no mixture, each by two standard deviations over resampled counts of counts and rates.
    """
    counts, events = _counts(prior)
    distinct, times = _times(counts)
    if distinct[-1] == 1:
        raise InvalidParameter(
            "every secret was seen once: nothing can be said about how often each occurs; collect more events"
        )
    rng = generator(seed)
    sample = _Sample(shown(rng), counts)

    def expected(steps: int | None) -> Array:
        return sample.columns(Rates(distinct, times, steps=steps), rng, apart=True)

    columns = expected(STEPS)
    success = _success(columns)
    bright, dark = _success(expected(MANY)), max(_success(expected(FEW)), _success(expected(None)))
    resampled = [Rates(distinct, rng.poisson(times), steps=STEPS) for _ in range(_SAMPLES)]
    two = 2 * float(np.std([_success(sample.columns(rates, rng)) for rates in resampled], ddof=1))
    return World(
        events=events,
        claimed=claimed,
        success=success,
        low=max(min(bright, success) - two, 1 / k),
        high=min(max(dark, success) + two, 1.0),
        unseen=int(times[distinct == 1].sum()) / events,
        entropies=tuple(certified),
        _columns=columns,
        _rates=Rates(distinct, times, steps=STEPS).spectrum(distinct, times),
        _certified=certified,
    )


class _Sample:
    """Sets that are shown, with the counts of their members."""

    def __init__(self, shown: Shown, counts: Counts) -> None:
        members, self._at = np.unique(shown.sets, return_inverse=True)
        self._at = self._at.reshape(shown.sets.shape).T
        seen = (members >= 0) & (counts[members] > 0)  # nobody, and those that were never seen, have no rate
        self._counts = np.where(seen, counts[members], 1)
        self._owned = np.where(seen, shown.owned(members), np.inf)

    def columns(self, rates: Rates, rng: np.random.Generator, *, apart: bool = False) -> Array:
        """A column of the joint for each set, in all one. Each member has one rate, wherever it is, as in one world; or
        `apart` a new one in each set, as the mean over worlds needs it, with less noise.
        """
        if apart:
            columns = rates.draw(self._counts[self._at].ravel(), rng).reshape(self._at.shape) / self._owned[self._at]
        else:
            columns = (rates.draw(self._counts, rng) / self._owned)[self._at]
        return np.asarray(columns / columns.sum())


def _shown(plan: Arrangement, rng: np.random.Generator) -> Shown:
    """Of a plan of rings: what a secret owns is its line of units."""
    size = plan.n_giants + plan.u
    giants = np.repeat(plan.giants[None], sample_size(size), axis=0)
    if not plan.tail:
        giants = giants[:1]  # all are in one set
    sets = giants
    if plan.tail:
        sets = np.concatenate([giants, _random_sets(plan, len(giants), rng)], axis=1)

    def owned(members: Counts) -> Array:
        units = (max(plan.u, 1) * plan.weights[members]).astype(np.float64)
        units[np.isin(members, plan.giants)] = plan.tail or 1
        return units

    return Shown(sets, owned)


def sample_size(members: int) -> int:
    """How many sets of so many members are looked at."""
    return max(_DRAWS // members, 1)


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
    return float(columns.max(axis=0).sum())


def _counts(prior: Prior) -> tuple[Counts, int]:
    """How often each secret was seen, and the number of events."""
    events = prior.events
    if events is None:
        raise InvalidParameter(
            "the weights are no counts of events: say how many events they come from, Prior(weights, events=60_000), "
            "or give the counts themselves"
        )
    if events < LEAST:
        raise InvalidParameter(f"{events} events are too few to say anything about the world: collect {LEAST} or more")
    if prior.exact and prior.total == events <= _MOST:
        return prior.weights, events
    counts = np.rint(prior.p * min(events, _MOST)).astype(np.int64)  # of more events the sample is the truth anyhow
    return np.maximum(counts, prior.p > 0), events


def _random_sets(plan: Arrangement, count: int, rng: np.random.Generator) -> Counts:
    """So many sets without the giants, each as likely as it is shown: the phases of homes and rings, in proportion."""
    homes = len(plan.homes.weights)
    sizes = np.concatenate([plan.u * plan.homes.weights, [ring.length for ring in plan.rings]]).astype(np.int64)
    ends = np.cumsum(sizes)
    places = rng.integers(0, plan.tail, count)
    which = np.searchsorted(ends, places, side="right")
    sets = np.empty((count, plan.u), dtype=np.int64)
    at_home = which < homes
    sets[at_home] = plan.homes.members[which[at_home]]
    for i, ring in enumerate(plan.rings):
        here = which == homes + i
        phases = places[here] - (ends[homes + i] - ring.length)
        sets[here] = ring.member(phases[:, None] + ring.length * np.arange(plan.u))
    return sets
