"""sweep: the least leakage against k, or the least k for a target."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from minleak._cli.engines import CountRows
from minleak._cli.inputs import PriorSource
from minleak._cli.options import (
    AsJson,
    Entropies,
    Format,
    Nfc,
    PriorFile,
    Secret,
    Strip,
    Weight,
    number,
    share,
    whole_numbers,
)
from minleak._cli.output import emit, table, working
from minleak._cli.requirement import AsCounted, Events, MaxSuccess, least, tell_of_the_world
from minleak._design import sweeps as sweeping
from minleak._entropy.standard import FEW
from minleak._report.saving import check_chart
from minleak._report.writing import save_chart
from minleak.errors import InvalidParameter


def sweep(
    prior: PriorFile,
    ks: Annotated[str | None, typer.Option("--ks", help="Sizes to look at, such as 1:30 or 2,5,10.")] = None,
    entropy: Entropies = None,
    target: Annotated[
        str | None, typer.Option(help="An entropy and what it may leak at most, such as min-entropy=0.5: the least k.")
    ] = None,
    max_success: MaxSuccess = None,
    as_counted: AsCounted = False,
    chart: Annotated[str | None, typer.Option(help="Save the chart too: a .png, .svg or .html file.")] = None,
    secret: Secret = "secret",
    weight: Weight = "count",
    format: Format = None,
    strip: Strip = False,
    nfc: Nfc = False,
    count_rows: CountRows = False,
    events: Events = None,
    as_json: AsJson = False,
) -> None:
    """Show the least leakage against the size k of the sets, or the least k that meets a target.

    Example: minleak sweep queries.csv --ks 1:20 --max-success 0.3
    """
    if chart is not None:
        check_chart(chart)
    source = PriorSource(prior, secret, format, strip=strip, nfc=nfc)
    counts = source.prior(None if count_rows else weight, events=events)
    world, untold = tell_of_the_world(counts, as_counted=as_counted)
    data: dict[str, Any] = {"secrets": len(counts), "untold": untold}
    parts = [f"as counted only: {untold}"] if untold and not as_counted else []
    with working("sweeping"):
        if target is not None:
            name, _, value = target.partition("=")
            try:
                bound = share(value) if value.endswith("%") else number(value)
            except typer.BadParameter:
                raise InvalidParameter(
                    f"a target is an entropy and a number such as min-entropy=0.5, not {target!r}"
                ) from None
            data["least_k_target"] = sweeping.least_k(counts, name, leakage=bound)
            parts.append(f"least k with {name} leakage of at most {bound:g}: {data['least_k_target']}")
        if max_success is not None:
            data["least_k_success"], said = least(counts, max_success, world=world)
            parts.append(said)
        chosen = whole_numbers(ks) if ks is not None else _spread(len(counts))
        swept = sweeping.sweep(counts, ks=chosen, entropies=entropy or FEW, in_the_world=world)
    data |= {"k": swept.ks, "success": swept.success, "in_the_world": swept.in_the_world}
    data["leakage"] = {name: swept[name] for name in swept.entropies}
    columns = {"k": swept.ks, "success": swept.success.tolist()}
    if swept.in_the_world is not None and (swept.in_the_world > 1.01 * swept.success).any():
        columns["in the world"] = swept.in_the_world.tolist()
    columns |= {name: swept[name].tolist() for name in swept.entropies}
    parts.append(
        table("least leakage against k", list(columns), [list(row) for row in zip(*columns.values(), strict=True)])
    )
    if chart is not None:
        save_chart(swept.chart(), chart, title="Least leakage against the size of the sets")
        data["chart"] = chart
        parts.append(f"chart written to {chart}")
    emit("sweep", data, parts, as_json=as_json)


def _spread(n: int) -> list[int]:
    """1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, ... up to n, at most 1000."""
    steps = [m * 10**e for e in range(4) for m in (1, 2, 3, 5, 7)] + [15]
    return sorted({min(n, k) for k in steps if k <= 1000} | {1})
