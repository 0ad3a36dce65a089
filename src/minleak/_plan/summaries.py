"""What there is to say of a plan of each kind: its numbers, and the same in words."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropies
from minleak._face.plain import field_text, record
from minleak._face.result import Result, by_first
from minleak._face.tables import Table
from minleak._measure.leakages import difference, leakage_table
from minleak._measure.properties import PropertyLeakage, Values
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak._attack.world import World
    from minleak._lineage.today import Today

S = TypeVar("S", bound="Summary")
Entropies = Sequence[ConditionalEntropy | str]

# So many of the giants are named, and so many parts are told one by one.
NAMED = 8
PARTS = 12


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
    """The leakage in the world that the counts are a sample of, where that can be told."""


class Summary(Result):
    """What the summaries of all kinds share; the leakages are by entropy in the dictionary."""

    leakage: tuple[PlanLeakage, ...]
    success: float | None
    success_blind: float | None
    in_the_world: World | None
    untold: str | None
    property_leakage: PropertyLeakage | None

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"leakage": by_first(self.leakage)}

    def _worse(self) -> bool:
        """Whether a guess is right more often in the world than the counts say, by more than a percent."""
        return self.in_the_world is not None and self.in_the_world.success > 1.01 * (self.success or 0.0)

    def _guess(self, seen: str) -> str:
        counted = "as counted, " if self._worse() else ""
        blind = "" if self.success_blind is None else f" {self.success_blind:.6g} without,"
        right = f"{counted}a guess is right with probability {self.success:.6g}"
        return f"{right} seeing {seen},{blind} 1 seeing the secret itself"

    def _world_lines(self) -> list[str]:
        """A line on the world, where it is worse than the counts say, or on why nothing can be said."""
        world = self.in_the_world
        if world is None:
            return [f"as counted only: {self.untold}"]
        lines = []
        if self._worse():
            lines.append(
                f"in the world about {world.success:.4g} ({world.low:.4g} to {world.high:.4g}): the counts are a "
                f"sample of {world.events:,} events, taken as independent, and an attacker may know the truth better; "
                f"{world.unseen:.2%} of the events to come will be of secrets that were not seen"
            )
        if world.alike and world.high > 1.01 * (self.success or 0.0):
            lines.append(
                "the counts show no difference between secrets beyond chance: in the world they are taken as equally "
                f"frequent; differences that {world.events:,} events do not show could make it {world.high:.4g}"
            )
        return lines

    def _property_parts(self) -> list[str | Table]:
        """What is shown tells about a property of the secret, where one was given."""
        return [] if self.property_leakage is None else self.property_leakage.to_parts()

    def _leakages(self, title: str, *columns: str) -> Table:
        """A row for each entropy, with the leakage in the world too where it differs."""
        names = ["entropy", *columns, *(["in_the_world"] if self._worse() else [])]
        rows = [[getattr(row, name) for name in names] for row in self.leakage]
        return Table(title, [name.replace("_", " ") for name in names], rows)


@dataclass(frozen=True)
class PlanSummary(Summary):
    """A plan of rings, in memory or in an engine."""

    secrets: int
    """How many secrets the plan lists."""
    k: int
    """The cap on the size of a set."""
    layout: str
    """How the sets are laid out."""
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
    success_blind: float | None
    """How often a guess is right that sees nothing."""
    success: float | None
    """How often a guess is right that sees a set; None with gains."""
    in_the_world: World | None
    """The same in the world that the counts are a sample of; None where nothing can be said."""
    untold: str | None
    """Why nothing can be said of the world."""
    leakage: tuple[PlanLeakage, ...]
    """By entropy `before`, `after`, `leakage`, and `in_the_world`."""
    lineage: str
    """What draws of this plan and of its updates follow, in hexadecimal."""
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
    property_leakage: PropertyLeakage | None = None
    """What is shown tells about a property of the secret, where one was given."""
    groups: str | None = None
    """The caps on the members of groups in a set, in words, where there are some."""
    tiers: int | None = None
    """How many densities the secrets that are no giants have; more than one where a group outweighs its cap."""

    def to_parts(self) -> list[str | Table]:
        where = "" if self.engine is None else f", made in {self.engine}"
        secrets = "1 secret" if self.secrets == 1 else f"{self.secrets:,} secrets"
        lines = [f"{secrets} in sets of {self.k}, layout {self.layout}{where}"]
        if self.groups is not None:
            several = "" if (self.tiers or 0) < 2 else f": {self.tiers} tiers, as a group outweighs its cap"
            lines.append(f"every set has {self.groups}{several}")
        if self.giants:
            more = ", ..." if self.giants > NAMED else ""
            lines.append(f"in every set (giants): {self.giants}: {', '.join(map(field_text, self.giant_labels))}{more}")
        if self.success is not None:
            lines.append(self._guess("a set"))
        lines += self._world_lines()
        if self.at_home is not None:
            lines.append(f"{self.at_home:.1%} of the weight outside the giants is in homes: sets that stay the same")
        if self.distance:
            lines.append(f"weights are on an integer grid, {self.distance:.2g} from those given (total variation)")
        if self.cost is not None:
            unit = " km" if self.metric == "haversine" else ""
            least = (
                ""
                if self.cost_bound is None
                else f", and no plan that leaks as little has less than {self.cost_bound:.6g}{unit}"
            )
            lines.append(f"members of a set are {self.cost:.6g}{unit} from its centre on average{least}")
            if self.metric != "given" and self.property_leakage is None:
                lines.append(
                    "near decoys share their region: a set tells the area of the secret, which the leakages below do "
                    "not count; name a property, such as the country, to have it measured"
                )
        title = "the least leakage that sets of this size allow" + ("" if self.groups is None else " under the caps")
        title += " (with gains)" if self.gains else ""
        return [*lines, self._leakages(title, "before", "after", "leakage"), *self._property_parts()]


@dataclass(frozen=True)
class BlockSummary(Summary):
    """A plan of blocks."""

    secrets: int
    """How many secrets the plan lists."""
    k: int
    """The cap on the size of a block."""
    layout: str
    """Always `blocks`."""
    blocks: int
    """How many blocks there are."""
    smallest: int
    """The size of the smallest."""
    success_blind: float
    """How often a guess is right that sees nothing."""
    success: float
    """How often a guess is right that sees a block."""
    in_the_world: World | None
    """The same in the world that the counts are a sample of; None where nothing can be said."""
    untold: str | None
    """Why nothing can be said of the world."""
    leakage: tuple[PlanLeakage, ...]
    """By entropy `before`, `after`, `leakage`, `loss` and `in_the_world`."""
    lineage: str
    """What updates of this plan share, in hexadecimal."""
    property_leakage: PropertyLeakage | None = None
    """What is shown tells about a property of the secret, where one was given."""
    groups: str | None = None
    """The caps on the members of groups in a block, in words, where there are some."""
    best: bool = True
    """Whether the blocks are the sorted secrets cut, which no partition beats in the entropies that `certify` names; if
    not, the caps stand in the way and they are the best that were found."""

    def to_parts(self) -> list[str | Table]:
        smallest = f", the smallest of {self.smallest}" if self.smallest < self.k else ""
        title = "leakage, and how much of it a plan that draws its sets would not leak (loss)"
        return [
            f"{self.secrets:,} secrets in {self.blocks:,} blocks of {self.k}{smallest}: sets that never change",
            *([] if self.groups is None else [f"every block has {self.groups}{self._found()}"]),
            self._guess("a block"),
            *self._world_lines(),
            self._leakages(title, "before", "after", "leakage", "loss"),
            *self._property_parts(),
        ]

    def _found(self) -> str:
        return "" if self.best else ": the best blocks that were found, not proven to be the best there are"


@dataclass(frozen=True)
class RowSummary(Summary):
    """A channel that is drawn from, in whole numbers."""

    secrets: int
    """How many secrets there are."""
    layout: str
    """Always `rows`."""
    observables: int
    """How many observables there are."""
    most_causes: int
    """The most secrets that an observable comes from."""
    leakage: tuple[PlanLeakage, ...]
    """By entropy `before`, `after` and `leakage`."""
    lineage: str
    """What draws follow, in hexadecimal."""
    property_leakage: PropertyLeakage | None = None
    """What is shown tells about a property of the secret, where one was given."""

    in_the_world = None

    def to_parts(self) -> list[str | Table]:
        return [
            f"{self.secrets:,} secrets, {self.observables:,} observables, each from up to {self.most_causes:,}",
            "drawn in whole numbers, exactly",
            self._leakages("what it leaks", "before", "after", "leakage"),
            *self._property_parts(),
        ]


@dataclass(frozen=True)
class StringSummary(Summary):
    """A plan over strings that cannot be listed."""

    secrets: int
    """How many strings were counted."""
    k: int
    """The cap on the size of a set."""
    layout: str
    """Always `strings`."""
    giants: int
    """How many strings are in every set."""
    giant_labels: tuple[str, ...]
    """These."""
    homes: int
    """How many sets of counted strings there are."""
    success: float
    """How often a guess is right that sees a set, if the model is right."""
    unlisted: float
    """The share of secrets that were never counted, by the model."""
    example: tuple[str, ...]
    """A set, of a string that was made up."""
    policy: dict[str, Any] | None
    """What the model's strings must meet."""
    leakage: tuple[PlanLeakage, ...]
    """By entropy `after`; what leaks is not known, as H(X) is not."""
    lineage: str
    """What draws follow, in hexadecimal."""

    in_the_world = None
    property_leakage = None

    def to_parts(self) -> list[str | Table]:
        which = "every string" if self.policy is None else "every string that meets the policy"
        giants = f"in every set (giants): {self.giants}: {record(self.giant_labels)}"
        return [
            f"{which} in sets of {self.k}; {self.secrets:,} strings were counted",
            *([giants] if self.giants else []),
            f"{self.unlisted:.2%} of secrets are strings that were never counted, by the model",
            f"a guess is right with probability {self.success:.6g} seeing a set, if the model is right: see the how-to "
            "on secrets that cannot be listed for attackers who know better",
            f"a set, for example: {record(self.example)}",
            self._leakages("what is left after a set is seen", "after"),
        ]


@dataclass(frozen=True)
class PartWorth(Result):
    """A part of a lineage."""

    number: int
    """Which part, from 0 on."""
    secrets: int
    """How many secrets it has."""
    share: float
    """Their share of the listed events of the last day."""
    made: float | None
    """How often a guess at one of its secrets is right that sees a set, for the counts it was made for; None with
    gains."""
    success: float | None
    """The same for the counts of the last day; None where none of its secrets was counted then."""


@dataclass(frozen=True)
class LineageSummary(Summary):
    """A plan that was updated: its parts, what waits, and what leaks by the last counts."""

    secrets: int
    """How many secrets are listed."""
    k: int
    """The cap on the size of a set."""
    layout: str
    """How the sets of all parts are laid out."""
    version: int
    """One more with each update."""
    parts: int
    """How many parts there are."""
    each_part: tuple[PartWorth, ...]
    """Of each part `number`, `secrets`, `share`, `made` and `success`."""
    pending: int
    """How many secrets wait for a part."""
    pending_mass: float
    """Their share of the last day's events."""
    not_seen_today: int
    """How many listed secrets were not counted on the last day."""
    success_blind: float
    """How often a guess is right that sees nothing, by the last counts."""
    success: float
    """How often a guess is right that saw the sets of all versions, by the last counts."""
    today: Today | None
    """What leaks today to an attacker who knows the true rates; None where nothing can be said."""
    untold: str | None
    """Why nothing can be said of today."""
    leakage: tuple[PlanLeakage, ...]
    """By entropy `before`, `after` and `leakage`, by the last counts."""
    lineage: str
    """What draws of all versions follow, in hexadecimal."""
    property_leakage: PropertyLeakage | None = None
    """What is shown tells about a property of the secret, where one was given."""

    in_the_world = None

    def to_parts(self) -> list[str | Table]:
        parts = "1 part" if self.parts == 1 else f"{self.parts:,} parts"
        return [
            f"version {self.version:,}: {self.secrets:,} secrets in {parts}, in sets of {self.k}, layout "
            f"{self.layout}; {self.not_seen_today:,} were not counted on the last day and stay listed",
            self._waiting(),
            "every version shows a secret in the same set: whoever saw all versions has seen one set",
            f"by the last counts {self._guess('the sets of all versions')}",
            *self._today_lines(),
            f"lineage: {self.lineage}",
            self._part_table(),
            self._leakages("leakage by the last counts", "before", "after", "leakage"),
            *self._property_parts(),
        ]

    def _waiting(self) -> str:
        if not self.pending:
            return "no new secret waits for a part"
        waiting = "1 new secret waits" if self.pending == 1 else f"{self.pending:,} new secrets wait"
        return f"{waiting} for a part, {self.pending_mass:.2%} of the last day's events: refused until then"

    def _today_lines(self) -> list[str]:
        today = self.today
        if today is None:
            return [f"by the last counts only: {self.untold}"]
        return [
            f"today, to an attacker who knows the true rates, about {today.success:.4g} ({today.low:.4g} to "
            f"{today.high:.4g}), {today.blind:.4g} without a set; unlisted secrets count as known",
            f"advice: {today.advice}",
        ]

    def _part_table(self) -> Table:
        told, title = self.each_part, "how often a guess at a secret of the part is right that sees a set"
        if len(told) > PARTS:
            told, title = (told[0], *told[1 - PARTS :]), f"{title} (the first part and the last {PARTS - 1})"
        columns = ["part", "secrets", "share of the last counts", "as it was made", "by the last counts"]
        return Table(title, columns, [[p.number, p.secrets, p.share, p.made, p.success] for p in told])


# -- making them, from the plans' own methods ------------------------------------------------------------------------


def summarize_rings(plan: Any, entropies: Entropies) -> PlanSummary:
    """The summary of a plan of rings."""
    labels, costs = plan.prior.labels, plan.costs
    world, untold = try_the_world(plan)
    rows = []
    for H in as_entropies(entropies):
        after, leaked = plan.entropy(H), plan.leakage(H)
        rows.append(PlanLeakage(H.name, after + leaked, after, leaked, in_the_world=leakage_in(world, H)))
    return PlanSummary(
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
        tiers=None if plan.groups is None else len(plan.tiers),
    )


def summarize_blocks(plan: Any, entropies: Entropies) -> BlockSummary:
    """The summary of a plan of blocks."""
    measures = as_entropies(entropies)
    world, untold = try_the_world(plan)
    losses = plan.losses(measures)
    rows = []
    for H, after in zip(measures, plan.partition.entropies(plan.prior, measures), strict=True):
        leaked = difference(H, H(plan.prior), after)
        rows.append(PlanLeakage(H.name, after + leaked, after, leaked, losses[H.name], leakage_in(world, H)))
    return BlockSummary(
        secrets=len(plan.prior),
        k=plan.k,
        layout=plan.layout,
        blocks=plan.n_cells,
        smallest=int(plan.partition.sizes.min()),
        success_blind=float(plan.prior.p.max()),
        success=plan.success,
        in_the_world=world,
        untold=untold,
        leakage=tuple(rows),
        lineage=plan.lineage.hex(),
        groups=None if plan.groups is None else plan.groups.describe(),
        best=plan.is_cut,
    )


def summarize_rows(plan: Any, entropies: Entropies) -> RowSummary:
    """The summary of a channel that is drawn from."""
    return RowSummary(
        secrets=len(plan.prior),
        layout=plan.layout,
        observables=len(plan.outputs),
        most_causes=plan.k,
        leakage=_measure(plan, entropies),
        lineage=plan.lineage.hex(),
    )


def summarize_strings(plan: Any, entropies: Entropies) -> StringSummary:
    """The summary of a plan over strings."""
    model = plan.string_prior.model
    made_up = model.at(random.Random(0).randrange(model.total))  # of nobody's
    policy = getattr(model, "policy", None)
    return StringSummary(
        secrets=len(plan.string_prior.counted),
        k=plan.k,
        layout=plan.layout,
        giants=len(plan.giants),
        giant_labels=tuple(string for string, _ in plan.giants),
        homes=len(plan.homes),
        success=plan.success,
        unlisted=plan.unlisted,
        example=tuple(plan.members(made_up, 0)),
        policy=None if policy is None else asdict(policy),
        leakage=tuple(PlanLeakage(H.name, None, plan.entropy(H), None) for H in as_entropies(entropies)),
        lineage=plan.lineage.hex(),
    )


def summarize_lineage(plan: Any, worth: Iterable[PartWorth], entropies: Entropies) -> LineageSummary:
    """The summary of a plan that was updated, given what each part is worth."""
    ledger = plan.ledger
    counts, waiting = ledger.counts[: ledger.listed], ledger.counts[ledger.listed :]
    try:
        today, untold = plan.in_the_world(), None
    except InvalidParameter as error:
        today, untold = None, str(error)
    return LineageSummary(
        secrets=ledger.listed,
        k=plan.k,
        layout=plan.layout,
        version=plan.version,
        parts=len(plan.parts),
        each_part=tuple(worth),
        pending=len(waiting),
        pending_mass=float(waiting.sum()) / max(int(ledger.counts.sum()), 1),
        not_seen_today=int((counts == 0).sum()),
        success_blind=float(plan.prior.p.max()),
        success=plan.success,
        today=today,
        untold=untold,
        leakage=_measure(plan, entropies),
        lineage=plan.lineage.hex(),
    )


def tell_property(plan: Any, summary: S, of: Values | None, entropies: Entropies) -> S:
    """The summary of a plan with what is shown tells about a property, if one is given."""
    if of is None:
        return summary
    told: Any = summary
    return cast(S, replace(told, property_leakage=plan.property_leakage(of, entropies)))


def _measure(plan: Any, entropies: Entropies) -> tuple[PlanLeakage, ...]:
    rows = leakage_table(plan.prior, plan.channel(), entropies).rows
    return tuple(PlanLeakage(row.entropy, row.before, row.after, row.leakage) for row in rows)


def try_the_world(plan: Any, **given: Any) -> tuple[World | None, str | None]:
    """What a plan, in memory or in an engine, is worth in the world that its counts are a sample of; or None, and why
    nothing can be said.
    """
    try:
        return plan.in_the_world(entropies=(), **given), None
    except InvalidParameter as error:
        return None, str(error)


def leakage_in(world: World | None, H: ConditionalEntropy) -> float | None:
    """The leakage in the world, which is told for symmetric entropies of the paper's form."""
    if world is not None:
        with suppress(InvalidParameter):
            return world.leakage(H)
    return None
