"""The summary of a plan that was updated: its numbers, and the same in words."""

from __future__ import annotations

from dataclasses import dataclass

from minleak.core._entropy.names import STANDARD
from minleak.core._leakage import posterior_vulnerability
from minleak.core._prior import Prior
from minleak.core._property_leakage import Values
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter
from minleak.lineage._lineage import Lineage
from minleak.rates._summaries import Entropies, Summary, measure, say_count, say_success, summary, tell_property
from minleak.rates._today import Today
from minleak.rates._world import population

# So many parts are told one by one.
PARTS = 12


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


@dataclass(frozen=True, kw_only=True)
class LineageSummary(Summary):
    """A plan that was updated: its parts, what waits, and what leaks by the last counts."""

    k: int
    """The cap on the size of a set."""
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
    """What leaks today to an attacker who knows the true rates; None where it cannot be estimated."""
    untold: str | None
    """Why it cannot be estimated."""

    def to_parts(self) -> list[str | Table]:
        pending = "no new secret waits for a part"
        if self.pending:
            waiting = "1 new secret waits" if self.pending == 1 else f"{self.pending:,} new secrets wait"
            pending = f"{waiting} for a part, {self.pending_mass:.2%} of the last day's events: refused until then"
        unseen = (
            f"; {self.not_seen_today:,} had no count on the last day and stay listed" if self.not_seen_today else ""
        )
        return [
            f"version {self.version:,}: {self.secrets:,} secrets in {say_count(self.parts, 'part')}, in sets of "
            f"{self.k}, layout {self.layout}{unseen}",
            pending,
            "all versions show a secret in the same set: an observer of all versions has seen one set",
            f"by the last counts {say_success(self.success, self.success_blind, 'the sets of all versions')}",
            *self._today_lines(),
            f"lineage: {self.lineage}",
            self._part_table(),
            *self._table("leakage by the last counts", "before", "after", "leakage"),
        ]

    def _today_lines(self) -> list[str]:
        today = self.today
        if today is None:
            return [f"by the last counts only: {self.untold}"]
        return [
            f"today an attacker who knows the true rates is right with probability about {today.success:.4g} "
            f"({today.low:.4g} to {today.high:.4g}), {today.blind:.4g} without a set; unlisted secrets count as known",
            f"advice: {today.advice}",
        ]

    def _part_table(self) -> Table:
        told, title = self.each_part, "how often a guess is right after seeing a set, for the secrets of each part"
        if len(told) > PARTS:
            told, title = (told[0], *told[1 - PARTS :]), f"{title} (the first part and the last {PARTS - 1})"
        columns = ["part", "secrets", "share of the last counts", "as it was made", "by the last counts"]
        return Table(title, columns, [[p.number, p.secrets, p.share, p.made, p.success] for p in told])


@summary.register(Lineage)
def summary_of_lineage(plan: Lineage, entropies: Entropies = STANDARD, *, of: Values | None = None) -> LineageSummary:
    ledger = plan.ledger
    counts, waiting = ledger.counts[: ledger.listed], ledger.counts[ledger.listed :]
    try:
        today, untold = population(plan), None
    except InvalidParameter as error:
        today, untold = None, str(error)
    found = LineageSummary(
        secrets=ledger.listed,
        k=plan.k,
        layout=plan.layout,
        version=plan.version,
        parts=len(plan.parts),
        each_part=measure_parts(plan),
        pending=len(waiting),
        pending_mass=float(waiting.sum()) / max(int(ledger.counts.sum()), 1),
        not_seen_today=int((counts == 0).sum()),
        success_blind=float(plan.prior.p.max()),
        success=plan.success,
        today=today,
        untold=untold,
        leakage=measure(plan, entropies),
        lineage=plan.lineage.hex(),
    )
    return tell_property(plan, found, of, entropies)


def measure_parts(plan: Lineage) -> tuple[PartWorth, ...]:
    """What each part of a lineage is worth. The shares times the successes add up to the success of the plan."""
    found = []
    for number, (part, begin) in enumerate(zip(plan.parts, plan.begins_of_parts.tolist(), strict=False)):
        own = slice(begin, begin + len(part.prior))
        weights, success = plan.prior.weights[own], None
        if weights.any():
            success = posterior_vulnerability(Prior(weights, labels=part.prior.labels), part.channel())
        made = part.success if part.gains is None else None
        found.append(PartWorth(number, len(weights), float(plan.prior.p[own].sum()), made, success))
    return tuple(found)
