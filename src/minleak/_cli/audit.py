"""audit: what a log of events leaks, surely and about, and whether it could be nothing."""

from __future__ import annotations

import os
import re
from dataclasses import asdict
from typing import Annotated, Any

import typer

from minleak._cli.engines import MemoryLimit, opened
from minleak._cli.inputs import rows_of
from minleak._cli.options import AsJson, Entropies, Format, Secret, number, share, times, whole
from minleak._cli.output import emit, progressing, table
from minleak._report.saving import check_chart
from minleak._report.writing import save_chart
from minleak._samples import auditing, following
from minleak._samples.plug_in import STANDARD
from minleak._samples.result import Audit
from minleak.errors import InvalidParameter

# What is asked of DuckDB where no engine is named: what this process does not read itself.
_DATABASES = (".duckdb", ".ddb", ".db")
_SAID = ("events", "secrets", "observables", "said", "attack", "p", "alpha", "level", "rejected", "warnings", "curve")


def audit(
    events: Annotated[
        str,
        typer.Argument(
            metavar="EVENTS",
            help="A csv(.gz), tsv or parquet file, - for stdin; a folder, a .duckdb database or Spark's --table too.",
        ),
    ],
    secret: Secret = "secret",
    observable: Annotated[
        list[str] | None,
        typer.Option(help="The column of what was seen; several times for vectors. Default: observable."),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="A column of how many events a row stands for; one if not given.")
    ] = None,
    numeric: Annotated[
        bool | None,
        typer.Option("--numeric/--names", help="Observables are numbers, or names; recognised if not given."),
    ] = None,
    blocks: Annotated[
        str | None,
        typer.Option(
            help="A column that names stretches of time, or how many events in a row make one: timings drift."
        ),
    ] = None,
    attack: Annotated[
        list[str] | None,
        typer.Option(
            help="histogram, nearest, forest or boosted, several times for several; by the data if not given."
        ),
    ] = None,
    entropy: Entropies = None,
    enough: Annotated[
        float | None,
        typer.Option(parser=share, help="How narrow the bracket should be, such as 0.01: says what it takes."),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="With --enough: wait for more events in the file until they are enough.")
    ] = False,
    patience: Annotated[
        float, typer.Option(parser=number, help="With --follow: give up when nothing was added for so many seconds.")
    ] = 60.0,
    permutations: Annotated[int, typer.Option(parser=times, help="Permutations for the test of zero leakage.")] = 199,
    level: Annotated[
        float, typer.Option(parser=share, help="The brackets' confidence level, such as 0.95 or 95%.")
    ] = 0.95,
    alpha: Annotated[
        float, typer.Option(parser=share, help="How often the verdict may be wrong where nothing leaks.")
    ] = 0.01,
    seed: Annotated[
        int, typer.Option(parser=whole, help="Where the dealing starts; the same seed gives the same answer.")
    ] = 0,
    chart: Annotated[str | None, typer.Option(help="Save observables by secret: a .png, .svg or .html file.")] = None,
    curve: Annotated[
        str | None, typer.Option(help="Save success against training events: a .png, .svg or .html file.")
    ] = None,
    format: Format = None,
    engine: Annotated[
        str | None, typer.Option(help="Reduce the events in duckdb or spark; in memory if not given.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--table", help="The table of a .duckdb database, or one Spark knows.")
    ] = None,
    memory_limit: MemoryLimit = None,
    as_json: AsJson = False,
) -> None:
    """Audit a log of events: how often a guess is right, surely and about, every leakage, and a test of zero leakage.

    Example: minleak audit events.csv --secret query --observable size
    """
    for picture in (chart, curve):
        if picture is not None:
            check_chart(picture)
    given: dict[str, Any] = {
        "secret": secret,
        "observable": observable or ["observable"],
        "weight": weight,
        "numeric": numeric,
        "blocks": int(blocks) if blocks is not None and re.fullmatch("[0-9]{1,18}", blocks) else blocks,
        "attack": attack,
        "measures": entropy or STANDARD,
        "permutations": permutations,
        "level": level,
        "alpha": alpha,
        "enough": enough,
        "seed": seed,
    }
    with progressing(f"auditing {events}") as told:
        given["progress"] = told
        if follow:
            if enough is None or events == "-" or engine is not None:
                raise InvalidParameter("--follow is for a csv or tsv file that grows, and needs --enough")
            found = _followed(events, patience, as_json, given | {"format": format})
        else:
            found = _audited(events, format, engine, name, memory_limit, given)
    data, parts = _shown(found)
    for file, made, title in (
        (chart, found.chart, "Observables by secret"),
        (curve, found.curve_chart, "Success against training events"),
    ):
        if file is not None:
            save_chart(made(), file, title=title)
            parts.append(f"chart written to {file}")
    data |= {"chart": chart, "curve_chart": curve}
    emit("audit", data, parts, as_json=as_json)


def _audited(
    events: str,
    format: str | None,
    engine: str | None,
    name: str | None,
    memory_limit: str | None,
    given: dict[str, Any],
) -> Audit:
    if engine is None and (name is not None or os.path.isdir(events) or events.lower().endswith(_DATABASES)):
        engine = "duckdb"
    if engine is None:
        rows = rows_of(events, format)
        return auditing.audit(rows["source"], format=rows["format"], **given)
    from minleak import warehouse

    if isinstance(given["blocks"], int):
        raise InvalidParameter("inside an engine events have no order: --blocks names a column")
    with opened(events, engine=engine, table=name, memory_limit=memory_limit) as log:
        return warehouse.audit(log, **given)


def _followed(events: str, patience: float, as_json: bool, given: dict[str, Any]) -> Audit:
    found = None
    for found in following.follow(events, patience=patience, **given):
        if not as_json and not found.enough:
            print(f"{found.events:,} events: {found.headline}; {found.enough_text}", flush=True)
    if found is None:
        raise InvalidParameter(f"{events} did not grow to enough events for an audit: wait longer (--patience)")
    return found


def _shown(found: Audit) -> tuple[dict[str, Any], list[str]]:
    rows = [{"measure": row.measure, "low": row.low, "estimate": row.estimate, "high": row.high} for row in found.rows]
    data = {name: getattr(found, name) for name in _SAID}
    data |= {"success": asdict(found.success), "blind": asdict(found.blind), "measures": rows}
    data |= {"enough": found.enough, "more": found.more}
    columns = ["leakage", "at least", "estimate", "at most"]
    cells = [
        [row["measure"], *("none" if row[end] is None else row[end] for end in ("low", "estimate", "high"))]
        for row in rows
    ]
    title = f"{found.events:,} events of {found.secrets:,} secrets, {found.observables:,} observables, {found.said}"
    parts = [found.headline, "", table(title, columns, cells), "", f"attack: {found.attack}", found.verdict]
    parts += [f"warning: {warning}" for warning in found.warnings]
    if found.enough is not None:
        parts.append(found.enough_text)
    return data, parts
