"""sweep: the least leakage against k, or the least k for a target."""

from __future__ import annotations

from typing import Any

import typer

from minleak._cli.charts import add_chart, chart_of
from minleak._cli.inputs import PriorSource, Reading
from minleak._cli.options import Entropies, PriorFile, number, option, share, whole_numbers
from minleak._cli.output import Answer, table, working
from minleak._cli.requirement import Requirement
from minleak._entropy.standard import FEW
from minleak._plans import sweeps as sweeping
from minleak.errors import InvalidParameter


def sweep(
    prior: PriorFile,
    *,
    ks: str | None = option("Sizes to look at, such as 1:30 or 2,5,10."),
    entropy: Entropies = None,
    target: str | None = option("Find the least k with which an entropy leaks at most so much: min-entropy=0.5."),
    requirement: Requirement,
    chart: str | None = chart_of("the least leakage against k"),
    reading: Reading,
) -> Answer:
    """Show the least leakage against the size k of the sets, or the least k that meets a target.

    Example: minleak sweep queries.csv --ks 1:20 --max-success 0.3
    """
    counts = PriorSource(prior, reading).prior(events=requirement.events)
    world, untold = requirement.in_the_world(counts)
    data: dict[str, Any] = {"secrets": len(counts), "untold": untold}
    parts = [f"as counted only: {untold}"] if untold and not requirement.as_counted else []
    with working("sweeping"):
        if target is not None:
            name, bound = _target(target)
            data["least_k_target"] = sweeping.least_k(counts, name, leakage=bound)
            parts.append(f"least k with {name} leakage of at most {bound:g}: {data['least_k_target']}")
        if requirement.max_success is not None:
            data["least_k_success"], said = requirement.least_k(counts, requirement.max_success, world=world)
            parts.append(said)
        chosen = whole_numbers(ks) if ks is not None else _spread(len(counts))
        swept = sweeping.sweep(counts, ks=chosen, entropies=entropy or FEW, in_the_world=world)
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


def _target(text: str) -> tuple[str, float]:
    """An entropy and what it may leak at most."""
    name, _, value = text.partition("=")
    try:
        return name, share(value) if value.endswith("%") else number(value)
    except typer.BadParameter:
        raise InvalidParameter(f"a target is an entropy and a number such as min-entropy=0.5, not {text!r}") from None


def _spread(n: int) -> list[int]:
    """1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, ... up to n, at most 1000."""
    steps = [m * 10**e for e in range(4) for m in (1, 2, 3, 5, 7)] + [15]
    return sorted({min(n, k) for k in steps if k <= 1000} | {1})
