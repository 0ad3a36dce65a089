"""pad: what to pad sizes to, so that least leaks within a mean overhead."""

from __future__ import annotations

from typing import Any

import typer

import minleak as ml
from minleak._cli.inputs import PriorSource, Reading
from minleak._cli.options import Format, Secret, argument, chart_option, number, option
from minleak._cli.output import Answer, add_chart, table, working
from minleak._cli.tables import check_ending, write_channel
from minleak._entropy.names import as_entropy
from minleak._entropy.standard import FEW
from minleak._measure.leakages import leakage_table
from minleak._padding import make
from minleak._padding.comparison import apply_policy
from minleak._padding.frontiers import frontier
from minleak._padding.ladder import Ladder, as_ladder
from minleak._padding.overheads import least_budget
from minleak._padding.policies import POLICIES
from minleak._padding.result import Padding
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
    floor: int = option("The least number of secrets in a bucket.", default=1),
    randomised: bool = option("Draw the size at random: leaks least of all, for up to 280 sizes.", default=False),
    output: str | None = option(
        "A .csv: the buckets, or with --randomised the channel's rows. Or a .cloak for `minleak draw`.",
        "-o",
        "--output",
    ),
    chart: str | None = chart_option("leakage against overhead"),
    secret: Secret = "secret",
    weight: str | None = option("A column of counts: count, if there is one; else all are equally likely."),
    format: Format = None,
) -> Answer:
    """Pad sizes or times, which can only be made larger, so that least leaks within a mean overhead.

    Example: minleak pad files.csv --budget 10% --floor 2 -o buckets.csv
    """
    if output is not None:
        check_ending(output, "a padding", ["csv", "cloak"])
    if (budget is None) == (max_leakage is None):
        raise InvalidParameter("say either --budget, how much may be added, or --max-leakage, how much may leak")
    source = PriorSource(sizes, Reading(secret=secret, format=format))
    natural = source.other(size, "--size")
    if weight is None and size != "count" and source.has("count"):
        weight = "count"
    prior = ml.Prior.uniform(len(natural)) if weight is None else source.other(weight, "--weight")
    prior = ml.Prior(prior.weights, labels=natural.labels)
    ladder = as_ladder(natural.weights, prior)

    with working(f"padding {len(prior):,} secrets"):
        given: dict[str, Any] = {"entropy": entropy, "floor": floor, "randomised": randomised}
        if budget is not None:
            best = make.design(natural.weights, prior, budget=_budget(budget, ladder.mean), **given)
        else:
            best = least_budget(natural.weights, prior, leakage=max_leakage or 0.0, **given).padding
        answer = _rendered(best, ladder.mean)
        if natural.weights.dtype.kind == "i":  # policies round whole numbers
            answer.data["policies"], beside = _policies(best, ladder)
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


def _policies(best: Padding, ladder: Ladder) -> tuple[list[dict[str, Any]], str]:
    """What others pad to, for JSON, and a table of it with this padding first."""
    policies = [apply_policy(ladder, name, policy, [best.entropy]) for name, policy in POLICIES.items()]
    columns = ("name", "overhead", "leakage", "observables", "smallest_class")
    others = [(p.name, p.overhead, p.leakage[0], p.observables, p.smallest_class) for p in policies]
    data = [dict(zip(columns, row, strict=True)) for row in others]
    ours = ("this padding", best.overhead, best.leakage, len(best.observables), best.smallest_class)
    shown = [[name, _share(overhead, ladder.mean), *rest] for name, overhead, *rest in (ours, *others)]
    title = f"beside what others do, in {best.entropy.name}"
    return data, table(title, ["padding", "overhead", "leakage", "sizes seen", "smallest class"], shown)


def _share(overhead: float, mean: float) -> str:
    return f"{overhead / mean:.2%}" if mean > 0 else "0%"


def _buckets(best: Padding) -> str:
    rows = [f"{b.above},{b.padded},{b.secrets},{b.probability!r}\n" for b in best.buckets()]
    return "above,padded,secrets,probability\n" + "".join(rows)


def _chart(sizes: Any, prior: ml.Prior, best: Padding) -> Any:
    return frontier(
        sizes,
        prior,
        entropy=best.entropy,
        floor=best.floor,
        points=_POINTS if len(prior) <= _MANY else _POINTS // 3,
        randomised=best.randomised,
        policies=POLICIES if sizes.dtype.kind == "i" else None,
    ).chart()
