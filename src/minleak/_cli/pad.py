"""pad: what to pad sizes to, so that least leaks within a mean overhead."""

from __future__ import annotations

from typing import Any

import typer

from minleak._cli.channels import write_channel
from minleak._cli.charts import add_chart, chart_of
from minleak._cli.inputs import PriorSource, Reading
from minleak._cli.options import Format, Secret, argument, number, option
from minleak._cli.output import Answer, table, working
from minleak._data.prior import Prior
from minleak._entropy.names import as_entropy
from minleak._entropy.standard import FEW
from minleak._measure.leakages import leakage_table
from minleak._padding.frontiers import frontier
from minleak._padding.make import design, least_budget
from minleak._padding.policies import POLICIES, apply_policies
from minleak._padding.result import Padding
from minleak._padding.size_classes import SizeClasses, as_size_classes
from minleak._report.saving import write_whole
from minleak.errors import InvalidParameter

# Prices at which a chart's curve is found, and from how many secrets on there are fewer.
_POINTS, _MANY = 72, 5000


def pad(
    sizes: str = argument("SIZES", "Secrets and their sizes: csv(.gz), tsv, parquet, json; - is stdin."),
    budget: str | None = option("The largest mean overhead: in the unit of the sizes, or 10% of the mean size."),
    max_leakage: float | None = option("Instead: the least overhead with no more leakage than this."),
    size: str = option("The column of natural sizes or times.", default="size"),
    entropy: str = option("The entropy to leak least in, by name.", "--entropy", "-e", default="shannon"),
    floor: int = option("The least number of secrets in a bucket.", "-k", "--floor", default=1),
    randomised: bool = option("Draw the size at random: leaks least of all, for up to 280 sizes.", default=False),
    output: str | None = option(
        "A .csv: the buckets, or with --randomised the channel's rows. Or a .cloak for `minleak draw`.",
        "-o",
        "--output",
    ),
    chart: str | None = chart_of("leakage against overhead"),
    secret: Secret = "secret",
    weight: str | None = option("A column of counts: count, if there is one; else all are equally likely."),
    format: Format = None,
) -> Answer:
    """Pad sizes or times, which can only be made larger, so that least leaks within a mean overhead.

    Example: minleak pad files.csv --budget 10% -k 2 -o buckets.csv
    """
    if output is not None and not output.lower().endswith((".csv", ".cloak")):
        raise InvalidParameter(f"a padding is written as .csv, or as .cloak to draw from, not {output!r}")
    if (budget is None) == (max_leakage is None):
        raise InvalidParameter("say either --budget, how much may be added, or --max-leakage, how much may leak")
    source = PriorSource(sizes, Reading(secret=secret, format=format))
    natural = source.other(size, "--size")
    if weight is None and size != "count" and source.has("count"):
        weight = "count"
    prior = Prior.uniform(len(natural)) if weight is None else source.other(weight, "--weight")
    prior = Prior(prior.weights, labels=natural.labels)
    classes = as_size_classes(natural.weights, prior)

    with working(f"padding {len(prior):,} secrets"):
        given: dict[str, Any] = {"entropy": entropy, "floor": floor, "randomised": randomised}
        if budget is not None:
            best = design(natural.weights, prior, budget=_budget(budget, classes.mean), **given)
        else:
            best = least_budget(natural.weights, prior, leakage=max_leakage or 0.0, **given).padding
        answer = _rendered(best, classes.mean)
        if natural.weights.dtype.kind == "i":  # policies round whole numbers
            answer.data["policies"], beside = _policies(best, classes)
            answer.parts += ["", beside]
        drawn = None if chart is None else _chart(natural.weights, prior, best)  # before anything is written
    if output is not None:
        if output.lower().endswith(".cloak"):
            best.rows().save(output)
        elif best.randomised:
            write_channel(best.channel(), output)
        else:
            write_whole(output, _buckets(best))
        answer.wrote(output, f"written to {output}")
    if chart is not None:
        add_chart(answer, drawn, chart, title="Leakage against mean overhead")
    return answer


def _budget(text: str, mean: float) -> float:
    try:
        value = number(text.removesuffix("%")) * (mean / 100 if text.endswith("%") else 1)
    except typer.BadParameter:
        value = -1.0
    if not value >= 0:
        raise InvalidParameter(f"the budget is a number from 0 on such as 4096, or a share such as 10%, not {text!r}")
    return value


def _rendered(best: Padding, mean: float) -> Answer:
    beside = [best.entropy.name, *(name for name in FEW if name != best.entropy.name)]
    leaked = leakage_table(best.prior, best.channel(), [as_entropy(name) for name in beside])
    data: dict[str, Any] = {
        "secrets": len(best.prior),
        "randomised": best.randomised,
        "entropy": best.entropy.name,
        "budget": best.budget,
        "mean_size": mean,
        **{name: getattr(best, name) for name in ("overhead", "leakage", "bound", "gap", "status", "observables")},
        "smallest_class": best.smallest_class,
        "beside": {row.entropy: row.leakage for row in leaked.rows[1:]},
    }
    kind = "randomised padding" if best.randomised else "buckets"
    used = f"{best.overhead:.6g} of {best.budget:.6g} allowed ({_share(best.overhead, mean)} of the mean)"
    rows = [
        ["mean overhead", used],
        [f"leakage in {best.entropy.name}", f"{best.leakage:.6g}"],
        ["no other can leak less than", f"{best.bound:.6g} ({best.status})"],
        *([f"leakage in {row.entropy}", f"{row.leakage:.6g}"] for row in leaked.rows[1:]),
        ["sizes that can be seen", f"{len(best.observables)}"],
        ["smallest class", f"{best.smallest_class} secrets"],
    ]
    return Answer(data, [table(f"{kind} for {len(best.prior):,} secrets", ["measure", "value"], rows)])


def _policies(best: Padding, classes: SizeClasses) -> tuple[list[dict[str, Any]], str]:
    """What others pad to, for JSON, and a table of it with this padding first."""
    policies = apply_policies(classes, POLICIES, [best.entropy])
    columns = ("name", "overhead", "leakage", "observables", "smallest_class")
    others = [(p.name, p.overhead, p.leakage[0], p.observables, p.smallest_class) for p in policies]
    data = [dict(zip(columns, row, strict=True)) for row in others]
    ours = ("this padding", best.overhead, best.leakage, len(best.observables), best.smallest_class)
    shown = [[name, _share(overhead, classes.mean), *rest] for name, overhead, *rest in (ours, *others)]
    title = f"beside what others do, in {best.entropy.name}"
    return data, table(title, ["padding", "overhead", "leakage", "sizes seen", "smallest class"], shown)


def _share(overhead: float, mean: float) -> str:
    return f"{overhead / mean:.2%}" if mean > 0 else "0%"


def _buckets(best: Padding) -> str:
    rows = [f"{b.above},{b.padded},{b.secrets},{b.probability!r}\n" for b in best.buckets()]
    return "above,padded,secrets,probability\n" + "".join(rows)


def _chart(sizes: Any, prior: Prior, best: Padding) -> Any:
    return frontier(
        sizes,
        prior,
        entropy=best.entropy,
        floor=best.floor,
        points=_POINTS if len(prior) <= _MANY else _POINTS // 3,
        randomised=best.randomised,
        policies=POLICIES if sizes.dtype.kind == "i" else None,
    ).chart()
