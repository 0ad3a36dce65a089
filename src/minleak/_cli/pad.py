"""pad: what to pad sizes to, so that least leaks within a mean overhead."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import pyarrow as pa
import typer

import minleak as ml
from minleak._cli.frames import FrameOptions, pad_streams
from minleak._cli.inputs import PriorSource, Reading
from minleak._cli.options import Format, Secret, argument, chart_option, number, option
from minleak._cli.output import Outcome, save_chart, working
from minleak._cli.tables import check_ending, write_channel, write_table
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak._padding.policies import POLICIES, apply_policies
from minleak._padding.size_classes import as_size_classes
from minleak.errors import InvalidParameter
from minleak.padding import AppliedPolicy, Frames, Padding

# Prices at which a chart's curve is found, and from how many secrets on there are fewer.
_POINTS, _MANY = 72, 5000


@dataclass(frozen=True)
class PaddingSummary(Result):
    """A padding, beside what others pad to."""

    padding: Padding
    """The padding that leaks least."""
    policies: tuple[AppliedPolicy, ...]
    """Of each policy `name`, `overhead`, `observables`, `smallest_class` and `leakage`; for whole sizes only."""

    def to_parts(self) -> list[str | Table]:
        best = self.padding
        parts: list[str | Table] = [str(best)]
        if self.policies:
            ours: list[Any] = ["this padding", best.overhead, best.leakage, len(best.observables), best.smallest_class]
            rows = [[p.name, p.overhead, p.leakage[0], p.observables, p.smallest_class] for p in self.policies]
            columns = ["padding", "overhead", "leakage", "sizes seen", "smallest class"]
            parts.append(Table(f"beside what others do, in {best.entropy.name}", columns, [ours, *rows]))
        return parts


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
    *,
    streams: FrameOptions,
) -> Outcome[PaddingSummary | Frames]:
    """Choose what to pad sizes or times to, so that they leak least within a mean overhead.

    Example: minleak pad files.csv --budget 10% --floor 2 -o buckets.csv
    """
    if streams.frames:
        columns = {"secret": secret, "size": size}
        return Outcome(*pad_streams(sizes, streams, columns, budget, entropy=entropy, output=output, format=format))
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
    classes = as_size_classes(natural.weights, prior)

    with working(f"padding {len(prior):,} secrets"):
        given: dict[str, Any] = {"entropy": entropy, "floor": floor, "randomised": randomised}
        if budget is not None:
            best = ml.padding.design(natural.weights, prior, budget=_budget(budget, classes.mean), **given)
        else:
            best = ml.padding.least_budget(natural.weights, prior, leakage=max_leakage or 0.0, **given).padding
        policies = POLICIES if natural.weights.dtype.kind == "i" else {}  # they round whole numbers
        applied = tuple(apply_policies(classes, policies, [best.entropy]))
        draw = partial(_chart, natural.weights, prior, best)
        charts = save_chart(draw, chart, title="Leakage against mean overhead")
    found = PaddingSummary(best, applied)
    if output is None:
        return Outcome(found, charts)
    if output.lower().endswith(".cloak"):
        best.rows().save(output)
    elif best.randomised:
        write_channel(best.channel(), output)
    else:
        write_table(pa.Table.from_pylist([asdict(bucket) for bucket in best.buckets()]), output)
    return Outcome(found, (output, *charts))


def _budget(text: str, mean: float) -> float:
    try:
        value = number(text.removesuffix("%")) * (mean / 100 if text.endswith("%") else 1)
    except typer.BadParameter:
        value = -1.0
    if not value >= 0:
        raise InvalidParameter(f"the budget is a number from 0 on such as 4096, or a share such as 10%, not {text!r}")
    return value


def _chart(sizes: Any, prior: ml.Prior, best: Padding) -> Any:
    return ml.padding.frontier(
        sizes,
        prior,
        entropy=best.entropy,
        floor=best.floor,
        points=_POINTS if len(prior) <= _MANY else _POINTS // 3,
        randomised=best.randomised,
        policies=POLICIES if sizes.dtype.kind == "i" else None,
    ).chart()
