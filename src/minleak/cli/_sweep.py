"""sweep: the least leakage against k, or the least k for a target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import minleak as ml
from minleak.cli._failures import in_flags
from minleak.cli._inputs import Grouping, PriorSource, Reading
from minleak.cli._options import Entropies, PriorFile, chart_option, given_flags, option, share, whole_numbers
from minleak.cli._output import Outcome, progressing, save_chart
from minleak.core._entropy.names import FEW
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.rates._sweeps import Sweep
from minleak.rates._world import find_population
from minleak.report._stories import Story, Tile, story
from minleak.report._words import percent


@dataclass(frozen=True)
class SuccessRequirement:
    """--max-success, and what the counts are a sample of."""

    max_success: float | None = option(
        "Find the least k for which a guess is right at most this often, such as 0.3 or 30%.", parser=share
    )
    events: int | None = option("Number of events behind the weights, if they are shares instead of counts.")
    on_counts: bool = option("Take the counts as they are, not as a sample of the true population.", default=False)

    def least_k(self, counts: ml.Prior, most: float, *, groups: ml.Groups | None = None) -> tuple[int, str]:
        """The least k with a guess right at most so often, and a sentence that says so."""
        on_counts = self.on_counts or why_untold(counts) is not None
        k = ml.least_k(counts, success=most, groups=groups, on_counts=on_counts)
        return k, f"least k with a guess right at most {100 * most:.4g}% of the time, {_where(on_counts)}: {k}"


def why_untold(counts: ml.Prior) -> str | None:
    """Why nothing can be said about the true population; None if something can."""
    known = find_population(counts)
    return in_flags(known, {"events": "--events"}) if isinstance(known, str) else None


def _where(on_counts: bool) -> str:
    return "as counted" if on_counts else "in the true population"


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
    """The same in words."""
    sweep: Sweep
    """For each k how often a guess is right and what leaks."""

    charted: ClassVar[str] = "leakage against the size of the sets"

    def to_parts(self) -> list[str | Table]:
        legend = "success: how often one guess is right; the others: what leaks from the best sets of k"
        return [*self.sentences, *self.sweep.to_parts(), legend]

    def chart(self) -> Any:
        """The chart of the sweep."""
        return self.sweep.chart()


@story.register
def _(found: SweepSummary) -> Story:
    swept = found.sweep
    rates, where = swept.success, _where(swept.on_counts)
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
    counts = source.prior(events=requirement.events)
    groups = grouping.read(source)
    entropies = entropy or list(FEW)
    with progressing("sweeping") as progress:
        untold = None if requirement.on_counts else why_untold(counts)
        on_counts = requirement.on_counts or untold is not None
        said = []
        by_leakage = by_success = None
        if max_leakage is not None:
            by_leakage = ml.least_k(counts, entropies[0], leakage=max_leakage, groups=groups, on_counts=on_counts)
            said.append(
                f"least k with {entropies[0]} leakage of at most {max_leakage:g}, {_where(on_counts)}: {by_leakage}"
            )
        if requirement.max_success is not None:
            by_success, sentence = requirement.least_k(counts, requirement.max_success, groups=groups)
            said.append(sentence)
        chosen = whole_numbers(ks) if ks is not None else _spread(len(counts))
        swept = ml.sweep(counts, ks=chosen, groups=groups, entropies=entropies, on_counts=on_counts, progress=progress)
        swept = replace(swept, untold=untold)
    found = SweepSummary(len(counts), by_success, by_leakage, tuple(said), swept)
    title = "Least leakage against the size of the sets"
    files = save_chart(swept.chart, chart, title=title)
    least = by_success or by_leakage
    if prior == "-" or least is None:
        return Outcome(found, files)
    events = [] if requirement.events is None else ["--events", str(requirement.events)]
    then = ["design", prior, "-k", str(least), "-o", "plan.cloak", *events, *given_flags(grouping, reading)]
    return Outcome(found, files, then=then)


def _spread(n: int) -> list[int]:
    """1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, ... up to n, at most 1000."""
    steps = [m * 10**e for e in range(4) for m in (1, 2, 3, 5, 7)] + [15]
    return sorted({min(n, k) for k in steps if k <= 1000} | {1})
