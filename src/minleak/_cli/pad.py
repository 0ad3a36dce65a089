"""pad: what to pad sizes to, so that least leaks within limits on what is added."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import typer

import minleak as ml
from minleak._cli.frames import FrameOptions, pad_streams
from minleak._cli.inputs import PriorSource, Reading
from minleak._cli.options import Format, Secret, argument, as_budget, chart_option, number, option, percent
from minleak._cli.output import Outcome, save_chart, working
from minleak._cli.tables import check_ending, write_channel
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak._padding.overheads import COLUMNS
from minleak._padding.policies import CHARTED, POLICIES, apply_policies
from minleak._padding.size_classes import as_size_classes
from minleak._report.stories import Story, story
from minleak.errors import InvalidParameter
from minleak.padding import AppliedPolicy, Frames, LimitPrice, Padding, SamplePadding

# Prices at which a chart's curve is found, and from how many secrets on there are fewer.
_POINTS, _MANY = 72, 5000


@dataclass(frozen=True)
class PaddingSummary(Result):
    """A padding, beside what others pad to."""

    padding: Padding
    """The padding that leaks least."""
    prices: tuple[LimitPrice, ...]
    """Of each limit what would leak at least without it, and so what it costs at most."""
    policies: tuple[AppliedPolicy, ...]
    """Of each policy `name`, `overheads`, `observables`, `smallest_class` and `leakage`; for whole sizes only."""

    def to_parts(self) -> list[str | Table]:
        best = self.padding
        parts: list[str | Table] = [*best.to_parts()]
        if self.prices:
            rows: list[list[Any]] = [[price.limit, price.without, price.price] for price in self.prices]
            parts.append(Table("what each limit costs", ["limit", "leakage without it", "costs at most"], rows))
        if self.policies:
            ours = [
                ["this padding", *best.overheads.to_cells(), best.leakage, len(best.observables), best.smallest_class]
            ]
            rows = [
                [p.name, *p.overheads.to_cells(), p.leakage[0], p.observables, p.smallest_class] for p in self.policies
            ]
            columns = ["padding", *COLUMNS, "leakage", "sizes seen", "smallest class"]
            parts.append(Table(f"beside what others do, in {best.entropy.name}", columns, [*ours, *rows]))
        return parts


@story.register
def _(found: PaddingSummary) -> Story:
    return story(found.padding)


def pad(
    sizes: str = argument("SIZES", "Secrets and their sizes: csv(.gz), tsv, parquet, json; - is stdin."),
    budget: str | None = option("The largest mean overhead: in the unit of the sizes, or 10% of the mean size."),
    relative: bool = option("Read the share in --budget as the mean of what each object grows by.", default=False),
    most: str | None = option("The most that is added to any object, as a share of its size such as 12%."),
    max_leakage: float | None = option("Instead: the least overhead with no more leakage than this."),
    size: str = option("The column of natural sizes or times.", default="size"),
    entropy: str = option("The entropy to leak least in, by name.", "--entropy", "-e", default="shannon"),
    floor: int = option("The least number of secrets in a bucket; of rows, where a secret has several.", default=1),
    randomised: bool = option("Draw the size at random: leaks least of all, for up to 280 sizes.", default=False),
    output: str | None = option(
        "A .csv or .json: the table, or with --randomised the channel's rows. Or a .cloak for `minleak draw`.",
        "-o",
        "--output",
    ),
    chart: str | None = chart_option("leakage against overhead"),
    secret: Secret = "secret",
    weight: str | None = option("A column of counts: count, if there is one; else all are equally likely."),
    format: Format = None,
    *,
    streams: FrameOptions,
) -> Outcome[PaddingSummary | SamplePadding | Frames]:
    """Choose what to pad sizes or times to, so that they leak least within limits on what is added.

    A secret with several rows has sizes that vary: what they tell about the secret is then least, and half of the rows
    are held out to judge by.

    Example: minleak pad files.csv --budget 5% --most 12% -o table.csv
    """
    if streams.frames:
        columns = {"secret": secret, "size": size}
        return Outcome(*pad_streams(sizes, streams, columns, budget, entropy=entropy, output=output, format=format))
    if output is not None:
        check_ending(output, "a padding", ["csv", "json", "cloak"])
    if budget is not None and max_leakage is not None:
        raise InvalidParameter("say either --budget, how much may be added, or --max-leakage, how much may leak")
    if budget is None and max_leakage is None and most is None:
        raise InvalidParameter("say how much may be added: --budget on the mean, --most to each object, or both")
    if relative and (budget is None or not budget.endswith("%")):
        raise InvalidParameter("--relative needs a share, such as --budget 5%")
    given: dict[str, Any] = {"entropy": entropy, "floor": floor}
    if budget is not None:
        name, value = as_budget(budget)
        given["relative" if relative else name] = value
    if most is not None:
        given["most"] = _share(most)
    source = PriorSource(sizes, Reading(secret=secret, format=format))
    samples = source.samples(size)
    if samples is not None:
        return _from_samples(samples, given, output, refused={"--max-leakage": max_leakage, "--randomised": randomised})
    natural = source.other(size, "--size")
    if weight is None and size != "count" and source.has("count"):
        weight = "count"
    prior = ml.Prior.uniform(len(natural)) if weight is None else source.other(weight, "--weight")
    prior = ml.Prior(prior.weights, labels=natural.labels)

    with working(f"padding {len(prior):,} secrets"):
        given["randomised"] = randomised
        if max_leakage is None:
            best = ml.padding.design(natural.weights, prior, **given)
        else:
            best = ml.padding.least_budget(natural.weights, prior, leakage=max_leakage, **given).padding
        policies = POLICIES if natural.weights.dtype.kind == "i" else {}  # they round whole numbers
        classes = as_size_classes(natural.weights, prior)
        applied = apply_policies(classes, policies, [best.entropy], best.limits.most)
        prices = ml.padding.price_limits(best) if len(best.limits.given()) > 1 else ()
        draw = partial(_chart, natural.weights, prior, best)
        charts = save_chart(draw, chart, title="Leakage against mean overhead")
    found = PaddingSummary(best, prices, applied)
    if output is None:
        return Outcome(found, charts)
    if output.lower().endswith(".cloak"):
        best.rows().save(output)
    elif best.randomised:
        write_channel(best.channel(), output)
    else:
        best.save(output)
    return Outcome(found, (output, *charts))


def _from_samples(
    samples: tuple[Any, Any], given: dict[str, Any], output: str | None, *, refused: dict[str, Any]
) -> Outcome[PaddingSummary | SamplePadding | Frames]:
    for flag, value in refused.items():
        if value:
            raise InvalidParameter(f"{flag} needs one row for each secret, and some have several")
    if output is not None and output.lower().endswith(".cloak"):
        raise InvalidParameter("a table from samples is written as .csv or .json, not .cloak")
    with working(f"padding {len(samples[0]):,} rows"):
        found = ml.padding.from_samples(*samples, **given)
    if output is not None:
        found.table.save(output)
    return Outcome(found, () if output is None else (output,))


def _share(text: str) -> float:
    try:
        value = percent(text) if text.endswith("%") else number(text)
    except typer.BadParameter:
        value = -1.0
    if not value >= 0:
        raise InvalidParameter(f"--most is a share of each size from 0 on, such as 12% or 0.12, not {text!r}")
    return value


def _chart(sizes: Any, prior: ml.Prior, best: Padding) -> Any:
    return ml.padding.frontier(
        sizes,
        prior,
        most=best.limits.most,
        floor=best.limits.floor,
        entropy=best.entropy,
        points=_POINTS if len(prior) <= _MANY else _POINTS // 3,
        randomised=best.randomised,
        policies=CHARTED if sizes.dtype.kind == "i" else None,
    ).chart()
