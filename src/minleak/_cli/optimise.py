"""optimise: the channel that leaks least where only some pairs are allowed, or an expected cost is capped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._cli.channels import Observable, check_ending, write_channel
from minleak._cli.charts import add_chart, chart_of
from minleak._cli.inputs import PriorSource, Reading, one_stdin, rows_beside
from minleak._cli.options import PriorFile, argument, option, times
from minleak._cli.output import Answer, table, working
from minleak._data.channel import Channel
from minleak._data.prior import Prior
from minleak._data.reading import read_pairs
from minleak._entropy.standard import FEW
from minleak._measure.leakages import leakage_table
from minleak._optimise import budgets, optimum, tradeoffs
from minleak._optimise.result import Optimum
from minleak.errors import InvalidParameter


@dataclass(frozen=True)
class Limits:
    """How much a channel may cost or leak."""

    budget: float | None = option("The cap on the expected cost.")
    max_leakage: list[float] | None = option(
        "Instead: the least cost with no more leakage than this; one for each entropy."
    )
    d_privacy: float | None = option("Epsilon, in nats for a distance of 1: the channel is to be d-private too.")
    places: str | None = option("With --d-privacy: columns of coordinates in PRIOR, such as x,y; else all are 1 apart.")
    tradeoff: int | None = option("Instead of one budget, the whole frontier at so many budgets.", parser=times)

    def check(self, output: str | None, chart: str | None) -> None:
        """Refuse options that do not go together, before a file is read."""
        if output is not None:
            check_ending(output)
        if self.tradeoff is None and chart is not None:
            raise InvalidParameter("a chart is of a frontier: give --tradeoff and the number of budgets")
        if self.tradeoff is not None and (self.budget is not None or output is not None):
            raise InvalidParameter("--tradeoff looks at many budgets: leave out --budget and --output")
        if self.tradeoff is not None and (self.max_leakage is not None or self.d_privacy is not None):
            raise InvalidParameter(
                "--tradeoff is of leakage against cost alone: leave out --max-leakage and --d-privacy"
            )
        if self.max_leakage is not None and self.budget is not None:
            raise InvalidParameter("--budget and --max-leakage are two ways to say how much: give one of them")
        if self.places is not None and self.d_privacy is None:
            raise InvalidParameter("--places says how far secrets are apart, so it needs --d-privacy")


@dataclass(frozen=True)
class Pairs:
    """The columns of PAIRS beside that of the secrets, and of PRIOR."""

    observable: Observable = "observable"
    cost: str = option("The column of what each pair costs.", default="cost")
    gains: str | None = option("A column of the prior's file: what each secret is worth to the attacker.")


def optimise(
    prior: PriorFile,
    pairs: str = argument(
        "PAIRS",
        "Rows of secret, observable and perhaps cost, one for each allowed pair: csv(.gz), tsv, parquet; - is stdin.",
    ),
    *,
    entropy: list[str] | None = option(
        "An entropy by name; of several the first counts most, the others break ties.", "--entropy", "-e"
    ),
    output: str | None = option("The channel: .csv, .tsv, .parquet, or a .cloak for `minleak draw`.", "-o", "--output"),
    limits: Limits,
    chart: str | None = chart_of("the frontier's chart"),
    gap: float = option("How far from the best a channel may be at most.", default=1e-6),
    columns: Pairs,
    reading: Reading,
) -> Answer:
    """Find the channel that leaks least on the allowed pairs and within a budget, with a proof of how close it is.

    Example: minleak optimise diagnoses.csv pairs.csv --budget 0.2 -e min-entropy -e shannon -o channel.csv
    """
    limits.check(output, chart)
    one_stdin(PRIOR=prior, PAIRS=pairs)
    source = PriorSource(prior, reading)
    counts, entropies = source.prior(), entropy or ["shannon"]
    worth = None if columns.gains is None else source.other(columns.gains, "--gains").weights.astype(float)
    with working(f"reading {pairs}"):
        named = {"secret": reading.secret, "observable": columns.observable, "cost": columns.cost}
        read = read_pairs(**rows_beside(pairs), inputs=counts.labels, **named)
    if read.cost is None and (limits.budget, limits.tradeoff, limits.max_leakage) != (None, None, None):
        raise InvalidParameter(f"a budget needs costs, and {pairs} has no column {columns.cost!r}: name it with --cost")
    given: dict[str, Any] = {"allowed": read.allowed, "cost": read.cost, "outputs": read.outputs}
    given |= {"gains": worth, "gap": gap}
    unnamed = Prior(counts.weights)  # so that no message names a secret
    if limits.tradeoff is not None:
        return _frontier(unnamed, given, entropies, limits.tradeoff, chart)
    if limits.d_privacy is not None:
        given["d_privacy"] = (limits.d_privacy, _distances(source, limits.places, len(counts)))
    with working("optimising"):
        if limits.max_leakage is not None:
            found = budgets.least_budget(unnamed, entropy=entropies, leakage=limits.max_leakage, **given)
            channel, answer = found.channel, Answer(_least_cost(found), [str(found)])
        else:
            best = optimum.optimise(unnamed, entropy=entropies, budget=limits.budget, **given)
            channel, answer = best.channel, _least_leakage(counts, best, entropies)
    if output is not None:
        write_channel(Channel(channel.matrix, inputs=counts.labels, outputs=channel.outputs), output, counts)
        then = f"minleak draw {output}" if output.lower().endswith(".cloak") else f"minleak measure {prior} {output}"
        answer.wrote(output, f"channel written to {output}; next: {then}")
    return answer


def _distances(source: PriorSource, places: str | None, n: int) -> Any:
    """Between places, or 1 between all."""
    if places is None:
        return 1.0 - np.eye(n)
    at = source.places(places, "--places")
    return np.linalg.norm(at[:, None] - at, axis=2)


def _least_cost(found: budgets.LeastBudget) -> dict[str, Any]:
    rows = zip(found.entropies, found.leakages, found.targets, strict=True)
    leaked = [{"entropy": name, "leakage": leakage, "at_most": target} for name, leakage, target in rows]
    return {"budget": found.budget, "bound": found.bound, "gap": found.gap, "leakages": leaked}


def _least_leakage(prior: Prior, best: Optimum, entropies: list[str]) -> Answer:
    beside = leakage_table(prior, best.channel, [name for name in FEW if name not in entropies])
    stages = [
        {name: getattr(stage, name) for name in ("entropy", "value", "leakage", "bound", "gap")}
        | {"shadow_price": stage.shadow_prices[0] if stage.shadow_prices else 0.0}
        for stage in best.stages
    ]
    n, m = best.channel.shape
    data = {
        "secrets": n,
        "observables": m,
        "status": best.status,
        "cost": best.costs[0] if best.costs else None,
        "stages": stages,
        "leakage": {row.entropy: row.leakage for row in beside.rows},
    }
    title = f"{n} secrets, {m} observables: least leakage, {best.status}"
    rows = [[stage[key] for key in ("entropy", "leakage", "bound", "gap", "shadow_price")] for stage in stages]
    parts = [table(title, ["entropy", "leakage", "no less than", "gap", "shadow price"], rows)]
    if best.costs:
        parts += ["", f"expected cost {best.costs[0]:.6g}"]
    rows = [[row.entropy, row.leakage] for row in beside.rows]
    return Answer(data, [*parts, "", table("what it leaks otherwise", ["entropy", "leakage"], rows)])


def _frontier(prior: Prior, given: dict[str, Any], entropies: list[str], points: int, chart: str | None) -> Answer:
    if len(entropies) > 1:
        raise InvalidParameter("a frontier is in one entropy: give --entropy once")
    with working("following the frontier"):
        found = tradeoffs.tradeoff(prior, entropy=entropies[0], points=points, **given)
    said = ("budget", "leakage", "bound", "cost", "shadow_price")
    frontier = [{name: getattr(point, name) for name in said} for point in found.points]
    title = f"least leakage in {found.entropy} against the budget"
    answer = Answer({"entropy": found.entropy, "frontier": frontier}, [f"{title}\n{found}"])
    if chart is not None:
        add_chart(answer, found.chart(), chart, title="Least leakage against the budget")
    return answer
