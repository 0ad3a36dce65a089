"""enough_events: how many events would bring what a plan leaks in the true population close to what is certified."""

from __future__ import annotations

import numpy as np

from minleak.core._arrays import Array
from minleak.core._design import design
from minleak.core._plan.plan import Plan
from minleak.core._prior import Prior
from minleak.core._simulating import generator
from minleak.rates._rates import DrawnCounts, Mixtures, OneRate, RatePosterior
from minleak.rates._world import World, count_sample

# Rounds of coming closer, and the secrets that are simulated at most, beside those that there are.
_ROUNDS, _MOST = 4, 4_000_000


def enough_events(plan: Plan, world: World, *, within: float = 0.1, seed: int = 0) -> tuple[int, int]:
    """Between which two numbers of events a plan of the same k leaks no more than so much above its certificate in the
    true population.

    Rates are drawn as the counts allow, more events from these, and the plan made for them is judged by the rates. For
    the first number all secrets have been seen already, which asks for too few events; for the second those that were
    not seen are as many and as rare as the fitted rates say, which is more than there are. Between simulated
    numbers, and beyond what is simulated, the excess falls as one over the root of the events. `world.events` twice
    where that is enough.
    """
    if world.success <= (1 + within) * world.claimed:
        return world.events, world.events
    counts, sample = count_sample(plan.prior)
    counts = counts[counts > 0]
    mixtures = Mixtures(sample.counts, sample.times)
    rates: RatePosterior | OneRate
    rates = OneRate(mixtures.one_rate[0]) if world.alike else RatePosterior(mixtures, mixtures.usual)
    drawn = DrawnCounts(counts)
    rng = generator(seed)
    most = max(_MOST / len(counts), 1.0)
    needed = []
    for others in (False, True):
        times = (world.success / world.claimed - 1) ** 2 / within**2
        for _ in range(_ROUNDS):
            tried = min(times, most)
            times = max(tried * (_excess(rates, drawn, tried, plan.k, rng, others=others) / within) ** 2, 1.0)
            if tried == most:
                break
        needed.append(round(times * world.events))
    return min(needed), max(needed)


def _excess(
    rates: RatePosterior | OneRate, drawn: DrawnCounts, times: float, k: int, rng: np.random.Generator, *, others: bool
) -> float:
    """By how much the success in one simulated world is above the certified one, at so many times the events."""
    truth = rates.draw(drawn, rng)
    if others:  # for each that was seen, those of its rate that were not, and will be
        unseen = np.exp(-truth) * np.expm1(-times * truth) / np.expm1(-truth)
        truth = np.concatenate([truth, np.repeat(truth, rng.poisson(unseen))])
    truth = _spread(truth, rng)
    seen = rng.poisson(times * truth)
    there = rng.permutation(np.flatnonzero(seen))
    plan = design(Prior(seen[there]), k)
    known = Prior(truth[there])
    return float(known.p.max() * 2 ** plan.leakage("min-entropy", prior=known) / plan.success - 1)


def _spread(rates: Array, rng: np.random.Generator) -> Array:
    """Rates between the points of the grid that they are on: many events would tell equal ones from their neighbours,
    and find nothing that an attacker could know better.
    """
    values, at = np.unique(rates, return_inverse=True)
    middles = (values[1:] + values[:-1]) / 2
    low, high = np.append(values[:1], middles), np.append(middles, values[-1:])
    return np.asarray(rng.uniform(low[at], high[at]))
