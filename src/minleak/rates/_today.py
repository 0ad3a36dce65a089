"""Today: what a lineage leaks on the last day that was counted, to an attacker who knows the true rates of that day.

A listed secret has been shown in one set, whatever versions were seen. So the attacker's success is the sum over parts
and sets of the largest true mass. A secret that is not listed has no set to hide in, and counts as known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._plan.plan import Plan
from minleak.core._result import Result
from minleak.core._simulating import generator
from minleak.core._text_tables import Table, estimate
from minleak.errors import InvalidParameter
from minleak.lineage._ledger import UNIT, Ledger
from minleak.rates._recent_rates import Posterior, Recent
from minleak.rates._world import LEAST, sample_sets

# Members of sets that rates are drawn for, sets of a part at least, and samples that the interval is from.
_DRAWS, _SETS, _SAMPLES = 1 << 18, 64, 12
# The 97.5th percentile of Student's distribution for so many samples.
_STUDENT = 2.2
# The estimate's own error beside chance, which widens the interval: on simulated logs whose rates move fast it was 1 to
# 2% too low in the mean.
_OWN = 0.02
# The heaviest secrets, among which the likeliest of all is.
_HEAVIEST = 256
# A new plan is worth while if it takes this share off an attacker's success.
_WORTH = 0.25

# The fields of `Today` that are probabilities or shares.
SHARES = ("success", "low", "high", "blind", "certified", "least", "unlisted")


@dataclass(frozen=True)
class Today(Result):
    """What a lineage leaks today, to an attacker who knows the true rates and saw every version.

    `success` is how often one guess is right, about any event of today: of listed secrets it is one look at one set,
    and others count as known. `low` and `high` bound it with about 95% confidence. `blind` is how often a guess is
    right that saw nothing. `certified` is what the parts' certificates say, each for the counts that it was made for.
    `least` is what a plan made today would give, by the same estimate, to those who have seen nothing yet. `unlisted`
    is the share of today's events whose secrets are pending or have never been counted. `movement` is how much a rate
    changes in a day, as a standard deviation of its logarithm, and `events` how many were counted
    today, the `day` of that number.

    Events are taken as independent, as `World` says.
    """

    success: float
    low: float
    high: float
    blind: float
    certified: float
    least: float
    unlisted: float
    movement: float
    events: int
    day: int

    reported = ("advice",)

    @property
    def advice(self) -> str:
        """What to do: keep this plan, or make a new plan for new subjects."""
        if self.least < (1 - _WORTH) * self.success:
            return (
                f"make a new plan for new subjects: an attacker is right {self.success:.1%} of the time now and "
                f"{self.least:.1%} with a plan made today; whoever has been shown a set stays with this lineage"
            )
        if self.unlisted > self.success / 2:
            return f"keep this plan; most of it is unlisted secrets ({self.unlisted:.1%} of today's events)"
        return (
            f"keep this plan: an attacker is right {self.success:.1%} of the time, "
            f"and {self.least:.1%} with a plan made today"
        )

    def to_parts(self) -> list[str | Table]:
        rows = [
            ["attacker's success today", estimate(self.success), f"95% interval {self.low:.4f} to {self.high:.4f}"],
            ["without seeing a set", estimate(self.blind), ""],
            ["as the parts were certified", self.certified, ""],
            ["of a plan made today", estimate(self.least), "for subjects who have seen nothing yet"],
            ["events of unlisted secrets", estimate(self.unlisted), "counted as known"],
        ]
        return [
            Table("", (), rows),
            f"day {self.day}: {self.events:,} events, taken as independent; rates move {self.movement:.0%} a day",
            f"advice: {self.advice}",
        ]


def leaks_today(parts: Sequence[Any], anew: Any, ledger: Ledger, seed: int) -> Today:
    """What parts leak today; `anew` is a plan of all secrets that have a pool, in their order."""
    if any(getattr(part, "gains", None) is not None for part in parts):
        raise InvalidParameter(
            "a plan with gains is told for its own weights only: make the plan without gains to learn what leaks today"
        )
    check_enough(ledger)
    rng, recent, n = generator(seed), Recent(ledger, parts), ledger.listed
    mass = recent.mass
    begins = np.cumsum([0, *(len(part.prior) for part in parts)])
    weights = np.array([mass[begin:end].sum() for begin, end in pairwise(begins.tolist())])
    weights /= weights.sum()
    sets = LineageSets(
        [
            one
            for part, begin, weight in zip(parts, begins.tolist(), weights.tolist(), strict=False)
            for one in _sample_part(part, np.arange(begin, begin + len(part.prior)), weight, rng)
        ]
    )
    middle, least, most = recent.movement
    usual = recent.posterior("usual", middle)
    new = ledger.first == ledger.day
    once = new & (ledger.counts == 1)
    waits = np.arange(len(new)) >= n
    unseen = int(once.sum()) / recent.events
    unlisted = int(ledger.counts[waits | once].sum()) / recent.events
    listed = sets.mean(usual, rng)
    bright = sets.mean(recent.posterior("best", least), rng)
    dark = sets.mean(recent.posterior("flat", most), rng)
    worlds = [sets.world(recent.posterior("", middle, rng), rng) for _ in range(_SAMPLES)]
    margin = _STUDENT * float(np.std(worlds, ddof=1))
    pooled = np.flatnonzero(ledger.pools > 0)
    again = LineageSets(list(_sample_part(anew, pooled, 1.0, rng))).mean(usual, rng)
    heavy = np.argsort(-mass)[:_HEAVIEST]
    blind = np.mean([usual.draw(heavy, rng).max() for _ in range(_SAMPLES)]) / recent.events

    def all_of(success: float, unlisted: float) -> float:
        return min((1 - unlisted) * success + unlisted, 1.0)

    return Today(
        success=all_of(listed, unlisted),
        low=all_of(max((1 - _OWN) * min(listed, bright) - margin, 0.0), unlisted),
        high=all_of(min((1 + _OWN) * max(listed, dark) + margin, 1.0), unlisted),
        blind=min(float(blind), 1.0),
        certified=float(weights @ [part.success for part in parts]),
        least=all_of(again, unseen),
        unlisted=unlisted,
        movement=middle,
        events=recent.events,
        day=ledger.day,
    )


def check_enough(ledger: Ledger) -> None:
    """Refuse counts from which nothing can be said."""
    events = int(ledger.totals[-1])
    if events < LEAST:
        raise InvalidParameter(f"{events} events today are too few to say what leaks: collect {LEAST} or more")
    if not ledger.pools[: ledger.listed].any():
        raise InvalidParameter("no listed secret was counted lately: make a plan from today's counts")
    if ledger.pools.max() <= UNIT:
        raise InvalidParameter(
            "every secret was seen once: nothing can be said about how often each occurs; collect more events"
        )


@dataclass(frozen=True)
class PartSets:
    """Sets of one part, a column for each: their members, the places that each member has, and how many places a
    column stands for.
    """

    members: Indices
    owned: Array
    places: float


class LineageSets:
    """Sets of all parts, and how often the likeliest member is the secret."""

    def __init__(self, sets: list[PartSets]) -> None:
        self.sets = sets
        self.members, self.at = np.unique(np.concatenate([one.members.ravel() for one in sets]), return_inverse=True)
        self.ends = np.cumsum([one.members.size for one in sets])

    def mean(self, posterior: Posterior, rng: np.random.Generator) -> float:
        """In the mean over worlds: a member has another rate in each set."""
        return self._success(posterior.draw(self.members[self.at], rng))

    def world(self, posterior: Posterior, rng: np.random.Generator) -> float:
        """In one world: a member has one rate wherever it is."""
        return self._success(posterior.draw(self.members, rng)[self.at])

    def _success(self, drawn: Array) -> float:
        most = total = 0.0
        for one, rates in zip(self.sets, np.split(drawn, self.ends[:-1]), strict=True):
            columns = rates.reshape(one.members.shape) / one.owned
            most += one.places * float(columns.max(axis=0).sum())
            total += one.places * float(columns.sum())
        return most / max(total, 1e-300)


def _sample_part(part: Plan, numbers: Indices, weight: float, rng: np.random.Generator) -> Iterator[PartSets]:
    """Sets of a part whose secrets have these numbers."""
    if not part.randomised and not part.n_giants:
        yield _sample_blocks(part, numbers, weight, rng)
        return
    count = max(int(weight * _DRAWS) // max(part.n_giants + part.u, 1), _SETS)
    if part.phases:
        members, owned = sample_sets(part, count, rng)
        yield PartSets(numbers[members], owned, part.rest / count)
    for group in part.fixed_sets():
        yield PartSets(numbers[group][:, None], np.ones((len(group), 1)), 1.0)


def _sample_blocks(part: Plan, numbers: Indices, weight: float, rng: np.random.Generator) -> PartSets:
    """Blocks at random, or all of them where they are few."""
    partition = part.blocks
    blocks = np.arange(part.n_fixed)
    count = max(int(weight * _DRAWS) // part.k, _SETS)
    if len(blocks) > count:
        mass = np.add.reduceat(part.prior.p[partition.members], partition.begins[:-1])
        blocks = rng.choice(blocks, size=count, p=mass / mass.sum())
        owned = count * mass[blocks]
    else:
        owned = np.ones(len(blocks))
    members = partition.rows(blocks, part.k).T
    return PartSets(numbers[members], np.where(members >= 0, owned, np.inf), 1.0)
