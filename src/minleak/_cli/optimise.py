"""optimise: the channel that leaks least where only some pairs are allowed, or an expected cost is capped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import minleak as ml
from minleak._cli.inputs import PriorSource, Reading, check_one_stdin, rows_beside
from minleak._cli.options import Observable, PriorFile, argument, chart_option, option, times
from minleak._cli.output import Outcome, save_chart, working
from minleak._cli.tables import check_ending, write_channel
from minleak._optimise.budgets import LeastBudget
from minleak._optimise.result import Optimum
from minleak._optimise.tradeoffs import Tradeoff
from minleak.errors import InvalidParameter


@dataclass(frozen=True)
class BudgetFlags:
    """How much a channel may cost or leak."""

    budget: float | None = option("The cap on the expected cost.")
    max_leakage: list[float] | None = option(
        "Instead: the least cost with no more leakage than this; one for each entropy."
    )
    d_privacy: float | None = option("Epsilon, in nats for a distance of 1: the channel is to be d-private too.")
    delta: float = option("With --d-privacy: by how much a probability may pass what epsilon allows.", default=0.0)
    places: str | None = option("With --d-privacy: columns of coordinates in PRIOR, such as x,y; else all are 1 apart.")
    tradeoff: int | None = option("Instead of one budget, the whole frontier at so many budgets.", parser=times)

    def check(self, output: str | None, chart: str | None) -> None:
        """Refuse options that do not go together, before a file is read."""
        if output is not None:
            check_ending(output, "a channel", ["csv", "tsv", "parquet", "cloak"])
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
        if self.delta and self.d_privacy is None:
            raise InvalidParameter("--delta is beside an epsilon, so it needs --d-privacy")


@dataclass(frozen=True)
class PairColumns:
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
    limits: BudgetFlags,
    chart: str | None = chart_option("the frontier"),
    columns: PairColumns,
    reading: Reading,
) -> Outcome[Optimum | LeastBudget | Tradeoff]:
    """Find the channel that leaks least where only some observables are allowed, or each has a cost.

    The answer comes with a proof of how close it is to the best.

    Example: minleak optimise diagnoses.csv pairs.csv --budget 0.2 -e min-entropy -e shannon -o channel.csv
    """
    limits.check(output, chart)
    check_one_stdin(PRIOR=prior, PAIRS=pairs)
    source = PriorSource(prior, reading)
    counts, entropies = source.prior(), entropy or ["shannon"]
    worth = None if columns.gains is None else source.other(columns.gains, "--gains").weights.astype(float)
    with working(f"reading {pairs}"):
        named = {"secret": reading.secret, "observable": columns.observable, "cost": columns.cost}
        read = ml.read_pairs(**rows_beside(pairs), inputs=counts.labels, **named)
    if read.cost is None and (limits.budget, limits.tradeoff, limits.max_leakage) != (None, None, None):
        raise InvalidParameter(f"a budget needs costs, and {pairs} has no column {columns.cost!r}: name it with --cost")
    given: dict[str, Any] = {"allowed": read.allowed, "cost": read.cost, "outputs": read.outputs, "gains": worth}
    if limits.d_privacy is not None:
        given["d_privacy"] = (limits.d_privacy, _distances(source, limits.places, len(counts)))
        given["delta"] = limits.delta
    unnamed = ml.Prior(counts.weights)  # so that no message names a secret
    with working("optimising"):
        if limits.tradeoff is not None:
            if len(entropies) > 1:
                raise InvalidParameter("a frontier is in one entropy: give --entropy once")
            frontier = ml.tradeoff(unnamed, entropy=entropies[0], points=limits.tradeoff, **given)
            return Outcome(frontier, save_chart(frontier.chart, chart, title="Least leakage against the budget"))
        found: Any
        if limits.max_leakage is not None:
            found = ml.least_budget(unnamed, entropy=entropies, leakage=limits.max_leakage, **given)
        else:
            found = ml.optimise(unnamed, entropy=entropies, budget=limits.budget, **given)
    if output is None:
        return Outcome(found)
    channel = ml.Channel(found.channel.matrix, inputs=counts.labels, outputs=found.channel.outputs)
    write_channel(channel, output, counts)
    then = f"draw {output}" if output.lower().endswith(".cloak") else f"measure {prior} {output}"
    return Outcome(found, (output,), then=then)


def _distances(source: PriorSource, places: str | None, n: int) -> Any:
    """Between places, or 1 between all."""
    if places is None:
        return 1.0 - np.eye(n)
    at = source.places(places, "--places")
    return np.linalg.norm(at[:, None] - at, axis=2)
