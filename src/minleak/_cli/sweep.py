"""sweep: the least leakage against k, or the least k for a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import minleak as ml
from minleak._cli.inputs import PriorSource, Reading
from minleak._cli.options import Entropies, PriorFile, chart_option, option, share, whole, whole_numbers
from minleak._cli.output import Answer, add_chart, table, working
from minleak._cli.summaries import world_of
from minleak._entropy.standard import FEW

# What --events says where the counts are not a sample.
_ALL = "all"


@dataclass(frozen=True)
class Requirement:
    """How often a guess may be right at most, and what the counts are a sample of."""

    max_success: float | None = option(
        "Find the least k with which a guess is right at most this often, such as 0.3 or 30%.", parser=share
    )
    events: str | None = option(
        "How many events the weights come from, if they are shares and not counts; all: take the counts as exact, not "
        "as a sample."
    )

    @property
    def as_counted(self) -> bool:
        """Whether the counts are to be taken for the truth."""
        return self.events == _ALL

    @property
    def sampled(self) -> int | None:
        """The number of events, where it is given."""
        return None if self.events in (None, _ALL) else whole(str(self.events))

    def in_the_world(self, counts: ml.Prior) -> tuple[bool, str | None]:
        """Whether the counts are a sample that something can be said from, and nobody asked to take them as they are;
        and if nothing can be said, why.
        """
        told = world_of(ml.design(counts, 1), ())
        return not self.as_counted and told["in_the_world"] is not None, told["untold"]

    def least_k(self, counts: ml.Prior, most: float, *, world: bool) -> tuple[int, str]:
        """The least k with a guess right at most so often, and a sentence that says so."""
        k = ml.least_k(counts, success=most, in_the_world=world)
        how = "in the world, of which the counts are a sample" if world else "as counted"
        return k, f"least k with a guess right at most {100 * most:.4g}% of the time, {how}: {k}"


def sweep(
    prior: PriorFile,
    *,
    ks: str | None = option("Sizes to look at, such as 1:30 or 2,5,10."),
    entropy: Entropies = None,
    max_leakage: float | None = option("Find the least k that leaks at most this much in the (first) --entropy."),
    requirement: Requirement,
    chart: str | None = chart_option("the least leakage against k"),
    reading: Reading,
) -> Answer:
    """Show the least leakage against the size k of the sets, or the least k that meets a target.

    Example: minleak sweep queries.csv --ks 1:20 --max-success 0.3
    """
    counts = PriorSource(prior, reading).prior(events=requirement.sampled)
    entropies = entropy or list(FEW)
    world, untold = requirement.in_the_world(counts)
    data: dict[str, Any] = {"secrets": len(counts), "untold": untold}
    parts = [f"as counted only: {untold}"] if untold and not requirement.as_counted else []
    with working("sweeping"):
        if max_leakage is not None:
            name = entropies[0]
            data["least_k_leakage"] = ml.least_k(counts, name, leakage=max_leakage)
            parts.append(f"least k with {name} leakage of at most {max_leakage:g}: {data['least_k_leakage']}")
        if requirement.max_success is not None:
            data["least_k_success"], said = requirement.least_k(counts, requirement.max_success, world=world)
            parts.append(said)
        chosen = whole_numbers(ks) if ks is not None else _spread(len(counts))
        swept = ml.sweep(counts, ks=chosen, entropies=entropies, in_the_world=world)
    data |= {"k": swept.ks, "success": swept.success, "in_the_world": swept.in_the_world}
    data["leakage"] = {name: swept[name] for name in swept.entropies}
    columns = {"k": swept.ks, "success": swept.success.tolist()}
    if swept.in_the_world is not None and (swept.in_the_world > 1.01 * swept.success).any():
        columns["in the world"] = swept.in_the_world.tolist()
    columns |= {name: swept[name].tolist() for name in swept.entropies}
    parts.append(table("least leakage against k", list(columns), list(zip(*columns.values(), strict=True))))
    answer = Answer(data, parts)
    if chart is not None:
        add_chart(answer, swept.chart(), chart, title="Least leakage against the size of the sets")
    return answer


def _spread(n: int) -> list[int]:
    """1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, ... up to n, at most 1000."""
    steps = [m * 10**e for e in range(4) for m in (1, 2, 3, 5, 7)] + [15]
    return sorted({min(n, k) for k in steps if k <= 1000} | {1})
