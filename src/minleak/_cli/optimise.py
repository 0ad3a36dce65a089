"""optimise: the channel that leaks least where only some pairs are allowed, or an expected cost is capped."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from minleak._cli.capacity import Observable
from minleak._cli.inputs import PriorSource, rows_beside
from minleak._cli.options import AsJson, Entropies, Nfc, PriorFile, PriorFormat, Secret, Strip, Weight, number, times
from minleak._cli.output import emit, table, working
from minleak._cli.writing_channels import check_ending, write_channel
from minleak._data.prior import Prior
from minleak._data.reading.pairs import read_pairs
from minleak._design.constrained import budgets, optimum, tradeoffs
from minleak._design.constrained.result import Optimum
from minleak._entropy.standard import FEW
from minleak._measure.leakages import leakage_table
from minleak._report.saving import check_chart
from minleak._report.writing import save_chart
from minleak.errors import InvalidParameter


def optimise(
    prior: PriorFile,
    pairs: Annotated[
        str,
        typer.Argument(
            metavar="PAIRS",
            help="Rows of secret, observable and perhaps cost, one for each allowed pair: csv(.gz), tsv, parquet; "
            "- is stdin.",
        ),
    ],
    entropy: Annotated[
        list[str] | None,
        typer.Option(
            "--entropy", "-e", help="An entropy by name; of several the first counts most, the others break ties."
        ),
    ] = None,
    budget: Annotated[float | None, typer.Option(parser=number, help="The cap on the expected cost.")] = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="The channel: .csv, .tsv or .parquet, or a .cloak for `minleak draw`."),
    ] = None,
    max_leakage: Annotated[
        list[float] | None,
        typer.Option(
            parser=number,
            help="The other way round: the least expected cost with no more leakage; one for an entropy.",
        ),
    ] = None,
    d_privacy: Annotated[
        float | None,
        typer.Option(parser=number, help="Epsilon, in nats for a distance of 1: the channel is to be d-private too."),
    ] = None,
    places: Annotated[
        str | None,
        typer.Option(help="With --d-privacy: columns of coordinates in PRIOR, such as x,y; else all are 1 apart."),
    ] = None,
    tradeoff: Annotated[
        int | None, typer.Option(parser=times, help="Instead of one budget, the whole frontier at so many budgets.")
    ] = None,
    chart: Annotated[str | None, typer.Option(help="Save the frontier's chart: a .png, .svg or .html file.")] = None,
    gains: Annotated[
        str | None, typer.Option(help="A column of the prior's file: what each secret is worth to the attacker.")
    ] = None,
    gap: Annotated[float, typer.Option(parser=number, help="How far from the best a channel may be at most.")] = 1e-6,
    secret: Secret = "secret",
    weight: Weight = "count",
    observable: Observable = "observable",
    cost: Annotated[str, typer.Option(help="The column of what each pair costs.")] = "cost",
    format: PriorFormat = None,
    strip: Strip = False,
    nfc: Nfc = False,
    as_json: AsJson = False,
) -> None:
    """Find the channel that leaks least on the allowed pairs and within a budget, with a proof of how close it is.

    Example: minleak optimise diagnoses.csv pairs.csv --budget 0.2 -e min-entropy -e shannon -o channel.csv
    """
    if output is not None:
        check_ending(output)
    if tradeoff is None and chart is not None:
        raise InvalidParameter("a chart is of a frontier: give --tradeoff and the number of budgets")
    if tradeoff is not None and (budget is not None or output is not None):
        raise InvalidParameter("--tradeoff looks at many budgets: leave out --budget and --output")
    if tradeoff is not None and (max_leakage is not None or d_privacy is not None):
        raise InvalidParameter("--tradeoff is of leakage against cost alone: leave out --max-leakage and --d-privacy")
    if max_leakage is not None and budget is not None:
        raise InvalidParameter("--budget and --max-leakage are two ways to say how much: give one of them")
    if places is not None and d_privacy is None:
        raise InvalidParameter("--places says how far secrets are apart, so it needs --d-privacy")
    source = PriorSource(prior, secret, format, strip=strip, nfc=nfc)
    counts = source.prior(weight)
    worth = None if gains is None else source.prior(gains).weights.astype(float)
    with working(f"reading {pairs}"):
        read = read_pairs(**rows_beside(pairs), inputs=counts.labels, secret=secret, observable=observable, cost=cost)
    if read.cost is None and (budget is not None or tradeoff is not None or max_leakage is not None):
        raise InvalidParameter(f"a budget needs costs, and {pairs} has no column {cost!r}: name it with --cost")
    given: dict[str, Any] = {
        "allowed": read.allowed,
        "cost": read.cost,
        "gains": worth,
        "outputs": read.outputs,
        "gap": gap,
    }
    if tradeoff is not None:
        _frontier(counts, given, entropy, tradeoff, chart, as_json=as_json)
        return
    if d_privacy is not None:
        given["d_privacy"] = (d_privacy, _distances(source, places, len(counts)))
    if max_leakage is not None:
        _least(counts, given, entropy, max_leakage, output, as_json=as_json)
        return
    with working("optimising"):
        best = optimum.optimise(counts, entropy=entropy or ["shannon"], budget=budget, **given)
    data, parts = _shown(counts, best, entropy)
    if output is not None:
        write_channel(best.channel, output, counts)
        data["file"] = output
        then = f"minleak draw {output}" if output.lower().endswith(".cloak") else f"minleak measure {prior} {output}"
        parts += ["", f"channel written to {output}; next: {then}"]
    emit("optimise", data, parts, as_json=as_json)


def _distances(source: PriorSource, places: str | None, n: int) -> Any:
    """Between places, or 1 between all."""
    if places is None:
        return 1.0 - np.eye(n)
    at = source.places([column.strip() for column in places.split(",")])
    return np.linalg.norm(at[:, None] - at, axis=2)


def _least(
    prior: Prior, given: dict[str, Any], entropy: Entropies, most: list[float], output: str | None, *, as_json: bool
) -> None:
    with working("looking for the least cost"):
        found = budgets.least_budget(prior, entropy=entropy or ["shannon"], leakage=most, **given)
    said = zip(found.entropies, found.leakages, found.targets, strict=True)
    leaked = [{"entropy": name, "leakage": leakage, "at_most": target} for name, leakage, target in said]
    data: dict[str, Any] = {"budget": found.budget, "bound": found.bound, "gap": found.gap, "leakages": leaked}
    title = f"least expected cost {found.budget:.9g}, no less than {found.bound:.9g}"
    rows = [[row["entropy"], row["leakage"], row["at_most"]] for row in leaked]
    parts = [table(title, ["entropy", "leakage", "at most"], rows)]
    if output is not None:
        write_channel(found.channel, output, prior)
        data["file"] = output
        parts += ["", f"channel written to {output}"]
    emit("optimise", data, parts, as_json=as_json)


def _shown(prior: Prior, best: Optimum, entropy: Entropies) -> tuple[dict[str, Any], list[str]]:
    beside = leakage_table(prior, best.channel, [name for name in FEW if name not in (entropy or ["shannon"])])
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
    return data, [*parts, "", table("what it leaks otherwise", ["entropy", "leakage"], rows)]


def _frontier(
    prior: Prior, given: dict[str, Any], entropy: Entropies, points: int, chart: str | None, *, as_json: bool
) -> None:
    if chart is not None:
        check_chart(chart)
    if entropy is not None and len(entropy) > 1:
        raise InvalidParameter("a frontier is in one entropy: give --entropy once")
    with working("following the frontier"):
        found = tradeoffs.tradeoff(prior, entropy=(entropy or ["shannon"])[0], points=points, **given)
    said = ("budget", "leakage", "bound", "cost", "shadow_price")
    frontier = [{name: getattr(point, name) for name in said} for point in found.points]
    data: dict[str, Any] = {"entropy": found.entropy, "frontier": frontier}
    title = f"least leakage in {found.entropy} against the budget"
    rows = [[f"{p.budget:.6g}", p.leakage, p.gap, p.shadow_price] for p in found.points]
    parts = [table(title, ["budget", "leakage", "gap", "shadow price"], rows)]
    if chart is not None:
        save_chart(found.chart(), chart, title="Least leakage against the budget")
        data["chart"] = chart
        parts += ["", f"chart written to {chart}"]
    emit("optimise", data, parts, as_json=as_json)
