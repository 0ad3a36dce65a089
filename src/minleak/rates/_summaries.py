"""summary: what a plan is and what it leaks, in numbers and in words. Each kind of plan registers its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, TypeVar, cast

import numpy as np

from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import STANDARD, as_entropies
from minleak.core._leakage import leakage_table
from minleak.core._plain import field_text
from minleak.core._plan.channel_plan import ChannelPlan
from minleak.core._plan.plan import Plan
from minleak.core._property_leakage import PropertyLeakage, Values
from minleak.core._result import Result, by_first
from minleak.core._text_tables import Table, estimate
from minleak.errors import InvalidParameter
from minleak.rates._world import World, population

S = TypeVar("S", bound="Summary")
Entropies = Sequence[ConditionalEntropy | str]

# So many of the giants are named.
NAMED = 8
# What is worse by less than this factor is not told.
_SLIGHTLY = 1.01


@dataclass(frozen=True)
class PlanLeakage(Result):
    """What a plan leaks in one entropy. What is not known of its kind is None."""

    entropy: str
    """Its name."""
    before: float | None
    """H(X)."""
    after: float
    """H(X|Y), what is left after a set is seen."""
    leakage: float | None
    """The difference."""
    loss: float | None = None
    """Of blocks: how much of it a plan that draws its sets would not leak."""
    in_the_world: float | None = None
    """The leakage in the true population that the counts are a sample of, where it can be estimated."""


@dataclass(frozen=True, kw_only=True)
class Summary(Result):
    """What all summaries share."""

    secrets: int
    """How many secrets the plan lists."""
    layout: str
    """How the sets are laid out; `blocks`, `rows` and `strings` are kinds of their own."""
    leakage: tuple[PlanLeakage, ...]
    """By entropy `before`, `after`, `leakage`; `loss` of blocks, and `in_the_world` where it is known."""
    lineage: str
    """What draws of this plan and of its updates follow, in hexadecimal."""
    property_leakage: PropertyLeakage | None = None
    """What a set tells about a property of the secret, where one was given."""

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"leakage": by_first(self.leakage)}

    def _table(self, title: str, *columns: str) -> list[str | Table]:
        """A row for each entropy, and the table of the property, where one was given."""
        rows = [[_shown(row, name) for name in ("entropy", *columns)] for row in self.leakage]
        table = Table(title, [name.replace("_", " ") for name in ("entropy", *columns)], rows)
        return [table, *(() if self.property_leakage is None else self.property_leakage.to_parts())]


def _shown(row: PlanLeakage, name: str) -> Any:
    """A figure of a row; an estimate of the true population with the digits that it has."""
    value = getattr(row, name)
    return estimate(value) if name == "in_the_world" and value is not None else value


@dataclass(frozen=True, kw_only=True)
class CountedSummary(Summary):
    """What plans in memory and in an engine share: their counts may be a sample of a population."""

    k: int
    """The cap on the size of a set."""
    success_blind: float | None
    """How often a guess is right that sees nothing."""
    success: float | None
    """How often a guess is right that sees a set; None with gains."""
    in_the_world: World | None
    """The same in the true population that the counts are a sample of; None where it cannot be estimated."""
    untold: str | None
    """Why it cannot be estimated."""
    groups: str | None = None
    """The caps on the members of groups in a set, in words, where there are some."""

    @property
    def _worse(self) -> bool:
        """Whether a guess is right notably more often in the true population than as counted."""
        return self.in_the_world is not None and self.in_the_world.success > _SLIGHTLY * (self.success or 0.0)

    def _success_lines(self, seen: str) -> list[str]:
        """How often a guess is right, as counted and in the true population where that is worse."""
        world, lines = self.in_the_world, []
        if self.success is not None:
            counted = "as counted, " if self._worse else ""
            lines.append(counted + say_success(self.success, self.success_blind, seen))
        if world is None:
            return [*lines, f"as counted only: {self.untold}"]
        if self._worse:
            lines.append(
                f"in the true population about {world.success:.4g} ({world.low:.4g} to {world.high:.4g}): the counts "
                f"are a sample of {world.events:,} independent events, and an attacker may know the true frequencies; "
                f"{world.say_unseen()}"
            )
        if world.alike and world.high > _SLIGHTLY * (self.success or 0.0):
            lines.append(
                "the counts differ by no more than chance, so all secrets are taken to be equally frequent in the true "
                f"population; differences too small to show in {world.events:,} events could make it {world.high:.4g}"
            )
        return lines

    def _leakage_table(self, title: str, *columns: str) -> list[str | Table]:
        return self._table(title, *columns, *(["in_the_world"] if self._worse else []))


def say_success(success: float, blind: float | None, seen: str) -> str:
    """How often a guess is right, in words."""
    without = "" if blind is None else f" and {blind:.6g} without it"
    return f"a guess is right with probability {success:.6g} after seeing {seen}{without}"


@dataclass(frozen=True, kw_only=True)
class PlanSummary(CountedSummary):
    """A plan, in memory or in an engine."""

    giants: int
    """How many secrets are in every set."""
    giant_labels: tuple[Any, ...]
    """The first eight of them."""
    homes: int | None
    """How many sets of equal weights there are, which are shown as they are; None in an engine."""
    segments: int | None
    """How many pieces the rings have; None in an engine."""
    distance: float | None
    """The total variation between the prior given and the one on the integer grid; None in an engine."""
    gains: bool
    """Whether the plan was made for gains."""
    cost: float | None = None
    """The mean cost of a set, where the layout has one."""
    cost_bound: float | None = None
    """What no plan of least leakage costs less than, where it is known."""
    metric: str | None = None
    """What the cost is measured in."""
    stability: float | None = None
    """From 0, as near as possible, to 1, resisting repeated draws; of near plans."""
    engine: str | None = None
    """Where the plan was made, if not in memory."""
    at_home: float | None = None
    """In an engine: the share of the weight outside the giants that is in homes."""
    tiers: int | None = None
    """How many densities the secrets that are no giants have; more than one where a group outweighs its cap."""
    blocks: int | None = None
    """How many sets there are where every secret has one that it always shows; else None."""
    smallest: int | None = None
    """The size of the smallest of these."""
    best: bool = True
    """Whether they are the sorted secrets cut, which no partition beats in the entropies that `certify` names; if not,
    caps stand in the way and they are the best that were found."""

    def to_parts(self) -> list[str | Table]:
        if self.blocks is not None:
            return self._block_parts()
        where = "" if self.engine is None else f", made in {self.engine}"
        lines = [f"{say_count(self.secrets, 'secret')} in sets of {self.k}, layout {self.layout}{where}"]
        if self.groups is not None:
            several = "" if (self.tiers or 0) < 2 else f"; {self.tiers} tiers, because a group outweighs its cap"
            lines.append(f"every set has {self.groups}{several}")
        if self.giants:
            more = ", ..." if self.giants > NAMED else ""
            names = ", ".join(map(field_text, self.giant_labels))
            lines.append(f"giants, so likely that every set contains them ({self.giants:,}): {names}{more}")
        lines += self._success_lines("a set")
        if self.at_home is not None:
            lines.append(f"{self.at_home:.1%} of the weight outside the giants is in homes: sets that stay the same")
        if self.distance:
            lines.append(f"weights are on an integer grid, {self.distance:.2g} from those given (total variation)")
        lines += self._cost_lines()
        title = "the least leakage that sets of this size allow" + ("" if self.groups is None else " under the caps")
        title += " (with gains)" if self.gains else ""
        return [*lines, *self._leakage_table(title, "before", "after", "leakage")]

    def _block_parts(self) -> list[str | Table]:
        smallest = f", the smallest of {self.smallest}" if (self.smallest or 0) < self.k else ""
        lines = [f"{self.secrets:,} secrets in {self.blocks:,} blocks of {self.k}{smallest}: sets that never change"]
        if self.groups is not None:
            found = "" if self.best else "; these are the best blocks found, not proven to be the best there are"
            lines.append(f"every block has {self.groups}{found}")
        title = "leakage, and loss: how much more leaks than from the optimal plan, which draws its sets"
        table = self._leakage_table(title, "before", "after", "leakage", "loss")
        return [*lines, *self._success_lines("a block"), *table]

    def _cost_lines(self) -> list[str]:
        if self.cost is None:
            return []
        unit = " km" if self.metric == "haversine" else ""
        least = "" if self.cost_bound is None else f"; no plan that leaks as little has less than {self.cost_bound:.6g}"
        lines = [f"members of a set are {self.cost:.6g}{unit} from its centre on average{least}{unit if least else ''}"]
        if self.metric != "given" and self.property_leakage is None:
            lines.append(
                "near decoys share a region: a set reveals the area of the secret, which the leakages below do not "
                "count; to measure that, name a property such as the country"
            )
        return lines


@dataclass(frozen=True, kw_only=True)
class ChannelSummary(Summary):
    """A channel that is drawn from, in whole numbers."""

    observables: int
    """How many observables there are."""
    most_causes: int
    """The most secrets that an observable comes from."""

    def to_parts(self) -> list[str | Table]:
        return [
            f"{self.secrets:,} secrets, {self.observables:,} observables, each from up to {self.most_causes:,} secrets",
            "drawn in whole numbers, exactly",
            *self._table("what it leaks", "before", "after", "leakage"),
        ]


def say_count(count: int, noun: str) -> str:
    """So many of something."""
    return f"1 {noun}" if count == 1 else f"{count:,} {noun}s"


# -- making them ------------------------------------------------------------------------------------------------------


@singledispatch
def summary(plan: Any, entropies: Entropies = STANDARD, *, of: Values | None = None) -> Result:
    """Return the plan in words and tables, with the leakage in each entropy; also about a property of the secret if
    `of` gives one.

    >>> import minleak as ml
    >>> print(ml.summary(ml.design([36, 30, 20, 14], k=2, layout="blocks"), ["shannon"]))
    4 secrets in 2 blocks of 2: sets that never change
    a guess is right with probability 0.56 after seeing a block and 0.36 without it
    <BLANKLINE>
    leakage, and loss: how much more leaks than from the optimal plan, which draws its sets
    entropy  before     after   leakage      loss
    shannon  1.9132  0.988382  0.924819  0.011618
    """
    del entropies, of
    raise InvalidParameter(f"a summary must be of a plan; got {type(plan).__name__}")


@summary.register(Plan)
def _of_plan(plan: Plan, entropies: Entropies = STANDARD, *, of: Values | None = None) -> PlanSummary:
    labels, costs, measures = plan.prior.labels, plan.costs, as_entropies(entropies)
    world, untold = try_the_world(lambda: population(plan, entropies=()))
    fixed = not len(plan.target)
    losses = plan.losses(measures) if fixed else {}
    rows = []
    for H in measures:
        after, leaked = plan.entropy(H), plan.leakage(H)
        rows.append(PlanLeakage(H.name, after + leaked, after, leaked, losses.get(H.name), leakage_in(world, H)))
    found = PlanSummary(
        secrets=len(plan.prior),
        k=plan.k,
        layout=plan.layout,
        giants=plan.n_giants,
        giant_labels=tuple(labels[i] for i in plan.giants[:NAMED].tolist()),
        homes=plan.n_homes,
        segments=plan.n_segments,
        distance=plan.distance,
        gains=plan.gains is not None,
        success_blind=float(plan.prior.p.max()),
        success=plan.success if plan.gains is None else None,
        in_the_world=world,
        untold=untold,
        leakage=tuple(rows),
        lineage=plan.lineage.hex(),
        cost=plan.cost,
        cost_bound=plan.cost_bound,
        metric=None if costs is None else costs.metric,
        stability=None if costs is None else costs.stability,
        groups=None if plan.groups is None else plan.groups.describe(),
        tiers=None if plan.groups is None or fixed else max(len(plan.tiers), 1 if plan.phases else 0),
        blocks=plan.n_fixed if fixed else None,
        smallest=int(np.diff(plan.begins).min()) if fixed else None,
        best=not fixed or plan.is_cut,
    )
    return tell_property(plan, found, of, entropies)


@summary.register(ChannelPlan)
def _of_channel(plan: ChannelPlan, entropies: Entropies = STANDARD, *, of: Values | None = None) -> ChannelSummary:
    found = ChannelSummary(
        secrets=len(plan.prior),
        layout=plan.layout,
        observables=len(plan.outputs),
        most_causes=plan.k,
        leakage=measure(plan, entropies),
        lineage=plan.lineage.hex(),
    )
    return tell_property(plan, found, of, entropies)


def tell_property(plan: Any, told: S, of: Values | None, entropies: Entropies) -> S:
    """The summary of a plan, with what its sets tell about a property if one is given."""
    if of is None:
        return told
    found: Any = told
    return cast(S, replace(found, property_leakage=plan.property_leakage(of, entropies)))


def measure(plan: Any, entropies: Entropies) -> tuple[PlanLeakage, ...]:
    rows = leakage_table(plan.prior, plan.channel(), entropies).rows
    return tuple(PlanLeakage(row.entropy, row.before, row.after, row.leakage) for row in rows)


def try_the_world(estimate: Callable[[], World]) -> tuple[World | None, str | None]:
    """What leaks in the true population that the counts are a sample of; or None, and why that cannot be estimated."""
    try:
        return estimate(), None
    except InvalidParameter as error:
        return None, str(error)


def leakage_in(world: World | None, H: ConditionalEntropy) -> float | None:
    """The leakage in the true population, which is estimated for symmetric entropies of the paper's form."""
    if world is not None:
        with suppress(InvalidParameter):
            return world.leakage(H)
    return None
