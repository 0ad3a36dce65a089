"""optimise: the channel that leaks least under constraints on pairs or on the expected cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import minleak as ml
from minleak.cli._inputs import PriorSource, Reading, check_one_stdin, rows_beside
from minleak.cli._options import Observable, PriorFile, argument, chart_option, given_flags, option, times
from minleak.cli._output import Outcome, save_chart, working
from minleak.cli._tables import check_ending, write_channel
from minleak.errors import InvalidParameter
from minleak.lab._optimise.budgets import LeastBudget
from minleak.lab._optimise.result import Optimum
from minleak.lab._optimise.tradeoffs import Tradeoff


@dataclass(frozen=True)
class BudgetFlags:
    """Limits on the cost and leakage of a channel."""

    budget: float | None = option("The largest expected cost.")
    max_leakage: list[float] | None = option(
        "Instead of --budget: find the least cost with at most this leakage; one for each --entropy."
    )
    d_privacy: float | None = option("Also require d-privacy with this epsilon, in nats per unit of distance.")
    delta: float = option("With --d-privacy: the delta of approximate privacy.", default=0.0)
    places: str | None = option(
        "With --d-privacy: columns of PRIOR with coordinates, such as x,y. Default: all distances are 1."
    )
    tradeoff: int | None = option("Instead of one budget: the trade-off curve at this many budgets.", parser=times)

    def check(self, output: str | None, chart: str | None) -> None:
        """Refuse options that do not go together, before a file is read."""
        if output is not None:
            check_ending(output, "a channel", ["csv", "tsv", "parquet", "cloak"])
        if self.tradeoff is None and chart is not None:
            raise InvalidParameter("--chart needs --tradeoff and a number of budgets")
        if self.tradeoff is not None and (self.budget is not None or output is not None):
            raise InvalidParameter("--tradeoff does not go with --budget or --output: leave those out")
        if self.tradeoff is not None and (self.max_leakage is not None or self.d_privacy is not None):
            raise InvalidParameter("--tradeoff does not go with --max-leakage or --d-privacy: leave those out")
        if self.max_leakage is not None and self.budget is not None:
            raise InvalidParameter("give either --budget or --max-leakage, not both")
        if self.places is not None and self.d_privacy is None:
            raise InvalidParameter("--places needs --d-privacy")
        if self.delta and self.d_privacy is None:
            raise InvalidParameter("--delta needs --d-privacy")


@dataclass(frozen=True)
class PairColumns:
    """The columns of PAIRS beside that of the secrets, and of PRIOR."""

    observable: Observable = "observable"
    cost: str = option("Column with the cost of each pair.", default="cost")
    gains: str | None = option("Column of PRIOR with the worth of each secret to the attacker.")


def optimise(
    prior: PriorFile,
    pairs: str = argument(
        "PAIRS",
        "The allowed pairs, one per row: secret, observable and optionally cost (csv, csv.gz, tsv, parquet); - for "
        "stdin.",
    ),
    *,
    entropy: list[str] | None = option(
        "Entropy to minimise leakage in; repeat to break ties by further ones. Default: shannon.", "--entropy", "-e"
    ),
    output: str | None = option(
        "Write the channel: .csv, .tsv, .parquet, or .cloak for `minleak draw`.", "-o", "--output"
    ),
    limits: BudgetFlags,
    chart: str | None = chart_option("the frontier"),
    columns: PairColumns,
    reading: Reading,
) -> Outcome[Optimum | LeastBudget | Tradeoff]:
    """Find the channel that leaks least when only some observables are allowed, or each has a cost.

    The result comes with a proven bound on its distance from the optimum.

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
        raise InvalidParameter(
            f"a budget needs costs, but {pairs} has no column {columns.cost!r}: name the column with --cost"
        )
    given: dict[str, Any] = {"allowed": read.allowed, "cost": read.cost, "outputs": read.outputs, "gains": worth}
    if limits.d_privacy is not None:
        given["d_privacy"] = (limits.d_privacy, _distances(source, limits.places, len(counts)))
        given["delta"] = limits.delta
    unnamed = ml.Prior(counts.weights)  # so that no message names a secret
    with working("optimising"):
        if limits.tradeoff is not None:
            if len(entropies) > 1:
                raise InvalidParameter("--tradeoff takes one --entropy")
            frontier = ml.lab.tradeoff(unnamed, entropy=entropies[0], points=limits.tradeoff, **given)
            return Outcome(frontier, save_chart(frontier.chart, chart, title="Least leakage against the budget"))
        found: Any
        if limits.max_leakage is not None:
            found = ml.lab.least_budget(unnamed, entropy=entropies, leakage=limits.max_leakage, **given)
        else:
            found = ml.lab.optimise(unnamed, entropy=entropies, budget=limits.budget, **given)
    if output is None:
        return Outcome(found)
    channel = ml.Channel(found.channel.matrix, inputs=counts.labels, outputs=found.channel.outputs)
    write_channel(channel, output, counts)
    then = ["measure", prior, output, *given_flags(reading)]
    if output.lower().endswith(".cloak"):
        then = ["show", output]
    elif prior == "-" or reading.secret != "secret":  # which measure would look for in both files
        then = []
    return Outcome(found, (output,), then=then)


def _distances(source: PriorSource, places: str | None, n: int) -> Any:
    """Between places, or 1 between all."""
    if places is None:
        return 1.0 - np.eye(n)
    at = source.places(places, "--places")
    return np.linalg.norm(at[:, None] - at, axis=2)
