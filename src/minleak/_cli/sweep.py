"""sweep: the least leakage against k, or the least k for a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import minleak as ml
from minleak._cli.failures import in_flags
from minleak._cli.inputs import Grouping, PriorSource, Reading
from minleak._cli.options import Entropies, PriorFile, chart_option, option, share, whole, whole_numbers
from minleak._cli.output import Outcome, save_chart, working
from minleak._entropy.standard import FEW
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak._plans.sweeps import Sweep
from minleak._report.stories import Story, Tile, story
from minleak._report.words import percent
from minleak.errors import InvalidParameter

# What --events says where the counts are not a sample.
_ALL = "all"


@dataclass(frozen=True)
class SuccessRequirement:
    """--max-success, and what the counts are a sample of."""

    max_success: float | None = option(
        "Find the least k for which a guess is right at most this often, such as 0.3 or 30%.", parser=share
    )
    events: str | None = option(
        "Number of events behind the weights, if they are shares instead of counts; all: treat the counts as exact, "
        "not as a sample."
    )

    @property
    def as_counted(self) -> bool:
        """Whether the counts are to be taken for the truth."""
        return self.events == _ALL

    @property
    def sampled(self) -> int | None:
        """The number of events, where it is given."""
        return None if self.events in (None, _ALL) else whole(str(self.events))

    def least_k(
        self, counts: ml.Prior, most: float, *, world: bool, groups: ml.Groups | None = None
    ) -> tuple[int, str]:
        """The least k with a guess right at most so often, and a sentence that says so."""
        k = ml.least_k(counts, success=most, groups=groups, in_the_world=world)
        how = "in the true population" if world else "as counted"
        return k, f"least k with a guess right at most {100 * most:.4g}% of the time, {how}: {k}"


def why_untold(counts: ml.Prior) -> str | None:
    """Why nothing can be said about the true population; None if something can."""
    try:
        ml.design(counts, 1).in_the_world(entropies=())
    except InvalidParameter as error:
        return in_flags(str(error), {"events": "--events"})
    return None


@dataclass(frozen=True)
class SweepSummary(Result):
    """The least leakage against k, and the least k for what was asked."""

    secrets: int
    """How many secrets there are."""
    least_k_success: int | None
    """The least k with --max-success, where that was given."""
    least_k_leakage: int | None
    """The least k with --max-leakage, where that was given."""
    sentences: tuple[str, ...]
    """The same in words, and why nothing can be said about the world."""
    sweep: Sweep
    """For each k how often a guess is right and what leaks."""

    charted: ClassVar[str] = "leakage against the size of the sets"

    def to_parts(self) -> list[str | Table]:
        legend = "success: how often one guess is right; the others: the least leakage that sets of k allow"
        return [*self.sentences, *self.sweep.to_parts(), legend]

    def chart(self) -> Any:
        """The chart of the sweep."""
        return self.sweep.chart()


@story.register
def _(found: SweepSummary) -> Story:
    swept = found.sweep
    rates = swept.success if swept.in_the_world is None else swept.in_the_world
    where = "as counted" if swept.in_the_world is None else "in the true population"
    least = found.least_k_success or found.least_k_leakage
    shown = sorted({0, len(swept.ks) // 2, len(swept.ks) - 1}, reverse=True)
    tiles = [Tile(f"Sets of {swept.ks[i]:,}", percent(float(rates[i])), f"a guess is right, {where}") for i in shown]
    asked = [] if least is None else [Tile("Least k", f"{least:,}", "the smallest sets that meet the target")]
    verdict = (
        f"With sets of {swept.ks[-1]:,}, a guess is right {percent(float(rates[-1]))} of the time, against "
        f"{percent(float(rates[0]))} with sets of {swept.ks[0]:,}."
    )
    k = "K" if least is None else str(least)
    return Story(
        "How much sets of decoys help",
        " ".join([f"{one[:1].upper()}{one[1:]}." for one in found.sentences] + [verdict]),
        (*asked, *tiles),
        f"Choose k and design the plan: minleak design PRIOR -k {k} -o plan.cloak.",
    )


def sweep(
    prior: PriorFile,
    *,
    ks: str | None = option("Sizes to compute, such as 1:30 or 2,5,10. Default: about 15 sizes up to 1000."),
    entropy: Entropies = None,
    max_leakage: float | None = option("Find the least k that leaks at most this much, in the first --entropy."),
    requirement: SuccessRequirement,
    chart: str | None = chart_option("the least leakage against k"),
    grouping: Grouping,
    reading: Reading,
) -> Outcome[SweepSummary]:
    """Show the least leakage of sets of k secrets for many k, or find the least k that meets a target.

    Example: minleak sweep queries.csv --ks 1:20 --max-success 0.3
    """
    grouping.check()
    source = PriorSource(prior, reading)
    counts = source.prior(events=requirement.sampled)
    groups = grouping.read(source)
    entropies = entropy or list(FEW)
    with working("sweeping"):
        untold = None if requirement.as_counted else why_untold(counts)
        world = untold is None and not requirement.as_counted
        said = [f"as counted only: {untold}"] if untold else []
        by_leakage = by_success = None
        if max_leakage is not None:
            by_leakage = ml.least_k(counts, entropies[0], leakage=max_leakage, groups=groups)
            said.append(f"least k with {entropies[0]} leakage of at most {max_leakage:g}: {by_leakage}")
        if requirement.max_success is not None:
            by_success, sentence = requirement.least_k(counts, requirement.max_success, world=world, groups=groups)
            said.append(sentence)
        chosen = whole_numbers(ks) if ks is not None else _spread(len(counts))
        swept = ml.sweep(counts, ks=chosen, groups=groups, entropies=entropies, in_the_world=world)
    found = SweepSummary(len(counts), by_success, by_leakage, tuple(said), swept)
    title = "Least leakage against the size of the sets"
    then = "" if prior == "-" else f"design {prior} -k {by_success or by_leakage or 'K'} -o plan.cloak"
    return Outcome(found, save_chart(swept.chart, chart, title=title), then=then)


def _spread(n: int) -> list[int]:
    """1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, ... up to n, at most 1000."""
    steps = [m * 10**e for e in range(4) for m in (1, 2, 3, 5, 7)] + [15]
    return sorted({min(n, k) for k in steps if k <= 1000} | {1})
