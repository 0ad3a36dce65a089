"""pad: choose what to pad sizes to, so that they leak least within limits on the overhead."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import minleak as ml
from minleak.cli._inputs import PriorSource, Reading, rows_of
from minleak.cli._options import Format, Secret, argument, as_budget, chart_option, growth, option
from minleak.cli._output import Outcome, note, progressing, save_chart
from minleak.cli._tables import check_ending
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter
from minleak.padding import AppliedPolicy, Frames, Padding, SamplePadding
from minleak.padding._policies import POLICIES, apply_policies, policies_of_axis
from minleak.padding._size_classes import as_size_classes
from minleak.padding._told import COLUMNS
from minleak.report._stories import Story, story

# Points of a chart's curve, and the number of secrets above which there are fewer.
_POINTS, _MANY = 72, 5000


# The default budget of frames, relative to the mean bytes of a plain stream.
_BUDGET = "50%"


@dataclass(frozen=True)
class FrameOptions:
    """Frames for streams: which columns, and within which delay."""

    frames: bool = option("Pad streams, one row per chunk: send them in equal frames on a clock.", default=False)
    stream: str = option("With --frames: column with the stream of each chunk.", default="stream")
    time: str = option("With --frames: column with the time in milliseconds since the request.", default="time")
    delay: float = option("With --frames: the largest delay in milliseconds for 95% of the chunks.", default=500.0)
    totals: int = option("With --frames: the most distinct totals; fewer give a better proven bound.", default=16)


@dataclass(frozen=True)
class PaddingSummary(Result):
    """A padding, beside common policies."""

    padding: Padding
    """The padding that leaks least."""
    prices: dict[str, float]
    """For each limit a proven lower bound on the leakage without it."""
    policies: tuple[AppliedPolicy, ...]
    """Of each policy `name`, `overheads`, `observables`, `smallest_class` and `leakage`; for whole sizes only."""

    def to_parts(self) -> list[str | Table]:
        best = self.padding
        parts: list[str | Table] = [*best.to_parts()]
        if self.prices:
            rows: list[list[Any]] = [[limit, least, best.leakage - least] for limit, least in self.prices.items()]
            parts.append(Table("what each limit costs", ["limit", "leakage without it", "costs at most"], rows))
        if self.policies:
            ours = [
                ["this padding", *best.overheads.to_cells(), best.leakage, len(best.observables), best.smallest_class]
            ]
            rows = [
                [p.name, *p.overheads.to_cells(), p.leakage[0], p.observables, p.smallest_class] for p in self.policies
            ]
            columns = ["padding", *COLUMNS, "leakage", "sizes seen", "smallest class"]
            title = (
                "beside common policies: growth of all bytes, of objects (mean, median, worst), objects above the cap, "
                f"and {best.entropy.name} leakage"
            )
            parts.append(Table(title, columns, [*ours, *rows]))
        return parts


@story.register
def _(found: PaddingSummary) -> Story:
    return story(found.padding)


def pad(
    sizes: str = argument(
        "SIZES",
        "Secrets and their sizes: csv, csv.gz, tsv, parquet or json; or a list of sizes, one per line, also as counted "
        "by `sort -n | uniq -c`, or with columns size and count; - for stdin.",
    ),
    budget: str | None = option(
        "The largest mean overhead: in the unit of the sizes, or a share of the mean size, such as 10%. Default with "
        "--frames: 50%."
    ),
    relative: bool = option(
        "Take the percentage of --budget as the mean relative growth of the objects.", default=False
    ),
    most: float | None = option(
        "The largest overhead of any object, as a share of its size, such as 12%.", parser=growth
    ),
    max_leakage: float | None = option("Instead of --budget: find the least overhead with at most this leakage."),
    size: str = option("Column with the sizes or times.", default="size"),
    entropy: str = option("Entropy to minimise leakage in.", "--entropy", "-e", default="shannon"),
    floor: int = option("The fewest secrets that share a size (rows, if secrets have several).", default=1),
    output: str | None = option("Write the table as .csv or .json.", "-o", "--output"),
    chart: str | None = chart_option("leakage against overhead"),
    secret: Secret = "secret",
    weight: str | None = option(
        "Column with counts. Default: count if there is one, else all secrets are equally likely."
    ),
    format: Format = None,
    *,
    streams: FrameOptions,
) -> Outcome[PaddingSummary | SamplePadding | Frames]:
    """Choose what to pad sizes or times to, so that they leak least within limits on the overhead.

    If secrets have several rows, sizes vary: half of the rows are then held out to evaluate the padding on.

    Example: minleak pad files.csv --budget 5% --most 12% -o table.csv
    """
    if streams.frames:
        columns = {"secret": secret, "size": size}
        return Outcome(*_pad_streams(sizes, streams, columns, budget, entropy=entropy, output=output, format=format))
    if output is not None:
        check_ending(output, "a padding", ["csv", "json"])
    if budget is not None and max_leakage is not None:
        raise InvalidParameter("give either --budget or --max-leakage, not both")
    if budget is None and max_leakage is None and most is None:
        raise InvalidParameter(
            "give --budget, the largest mean overhead, or --most, the largest overhead of any object, or both"
        )
    if relative and (budget is None or not budget.endswith("%")):
        raise InvalidParameter("--relative needs a percentage, such as --budget 5%")
    given: dict[str, Any] = {"entropy": entropy, "floor": floor}
    if budget is not None:
        name, value = as_budget(budget)
        given["relative" if relative else name] = value
    if most is not None:
        given["most"] = most
    source = PriorSource(sizes, Reading(secret=secret, format=format))
    natural = source.objects(size, weight)
    if natural is not None:
        prior = ml.Prior.uniform(len(natural))
        note(f"the input has no names: each of its {len(natural):,} sizes is that of one secret")
    else:
        samples = source.samples(size)
        if samples is not None:
            if max_leakage is not None:
                raise InvalidParameter("--max-leakage needs one row per secret, but some have several")
            return _from_samples(samples, given, output)
        named = source.other(size, "--size")
        if weight is None and size != "count" and source.has("count"):
            weight = "count"
        prior = ml.Prior.uniform(len(named)) if weight is None else source.other(weight, "--weight")
        natural, prior = named.weights, ml.Prior(prior.weights, labels=named.labels)

    with progressing(f"padding {len(prior):,} secrets") as progress:
        given["progress"] = progress
        if max_leakage is None:
            best = ml.padding.design(natural, prior, **given)
        else:
            best = ml.padding.least_budget(natural, prior, leakage=max_leakage, **given).padding
        policies = POLICIES if natural.dtype.kind == "i" else {}  # they round whole numbers
        classes = as_size_classes(natural, prior)
        applied = apply_policies(classes, policies, [best.entropy], best.limits.most)
        prices = ml.padding.price_limits(best) if len(best.limits.given()) > 1 else {}
        draw = partial(_chart, natural, prior, best)
        charts = save_chart(draw, chart, title=f"Leakage against mean {'growth' if relative else 'overhead'}")
    found = PaddingSummary(best, prices, applied)
    if output is None:
        return Outcome(found, charts)
    best.save(output)
    return Outcome(found, (output, *charts))


def _from_samples(
    samples: tuple[Any, Any], given: dict[str, Any], output: str | None
) -> Outcome[PaddingSummary | SamplePadding | Frames]:
    with progressing(f"padding {len(samples[0]):,} rows") as progress:
        found = ml.padding.from_samples(*samples, **given, progress=progress)
    if output is not None:
        found.table.save(output)
    return Outcome(found, () if output is None else (output,))


def _pad_streams(
    source: str,
    options: FrameOptions,
    columns: dict[str, str],
    budget: str | None,
    *,
    entropy: str,
    output: str | None,
    format: str | None,
) -> tuple[Frames, tuple[str, ...]]:
    """Choose frames for recorded streams, and write them: the frames, and the files."""
    if output is not None:
        check_ending(output, "frames", ["json"])
    rows = rows_of(source, format)
    columns = {"stream": options.stream, "time": options.time, **columns}
    streams = ml.padding.read_streams(rows["source"], format=rows["format"], **columns)
    kind, value = as_budget(budget or _BUDGET)
    allowed = value * float(streams.bytes_on_the_wire().mean()) if kind == "overhead" else value
    given: dict[str, Any] = {"budget": allowed, "delay": options.delay, "totals": options.totals, "entropy": entropy}
    with progressing(f"choosing frames for {len(streams):,} streams") as progress:
        found = ml.padding.frames(streams, **given, progress=progress)
    if output is None:
        return found, ()
    found.save(output)
    return found, (output,)


def _chart(sizes: Any, prior: ml.Prior, best: Padding) -> Any:
    relative = best.limits.relative is not None
    return ml.padding.frontier(
        sizes,
        prior,
        most=best.limits.most,
        floor=best.limits.floor,
        entropy=best.entropy,
        points=_POINTS if len(prior) <= _MANY else _POINTS // 3,
        relative=relative,
        policies=policies_of_axis(relative=relative) if sizes.dtype.kind == "i" else None,
    ).chart()
