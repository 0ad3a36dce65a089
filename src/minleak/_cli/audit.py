"""audit: what a log of events leaks, and whether it could be nothing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from minleak._cli.engines import MemoryLimit, opened
from minleak._cli.options import AsJson, Entropies, Secret, share, times, whole
from minleak._cli.output import emit, table, working


def audit(
    events: Annotated[
        str,
        typer.Argument(
            metavar="EVENTS",
            help="A Parquet or CSV file or folder, a .duckdb database; - is CSV from stdin, or Spark's --table.",
        ),
    ],
    secret: Secret = "secret",
    observable: Annotated[str, typer.Option(help="The column of what was seen.")] = "observable",
    weight: Annotated[
        str | None, typer.Option(help="A column of how many events a row stands for; one if not given.")
    ] = None,
    engine: Annotated[str, typer.Option(help="duckdb or spark.")] = "duckdb",
    name: Annotated[
        str | None, typer.Option("--table", help="The table of a .duckdb database, or one Spark knows.")
    ] = None,
    memory_limit: MemoryLimit = None,
    entropy: Entropies = None,
    resamples: Annotated[int, typer.Option(parser=times, help="Bootstrap samples for intervals and bias.")] = 200,
    permutations: Annotated[int, typer.Option(parser=times, help="Permutations for the test of zero leakage.")] = 499,
    level: Annotated[
        float, typer.Option(parser=share, help="The intervals' confidence level, such as 0.95 or 95%.")
    ] = 0.95,
    alpha: Annotated[
        float, typer.Option(parser=share, help="How often the verdict may be wrong where nothing leaks.")
    ] = 0.01,
    seed: Annotated[
        int, typer.Option(parser=whole, help="Where the resampling starts; the same seed gives the same answer.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Audit a log of events: every measure of leakage with its bias taken off, an interval, and a test of zero leakage.

    Example: minleak audit events.csv --secret query --observable size
    """
    from minleak import warehouse
    from minleak._warehouse.estimates import STANDARD

    with working(f"auditing {events}"), opened(events, engine=engine, table=name, memory_limit=memory_limit) as log:
        found = warehouse.audit(
            log,
            secret=secret,
            observable=observable,
            weight=weight,
            measures=entropy or STANDARD,
            resamples=resamples,
            permutations=permutations,
            level=level,
            alpha=alpha,
            seed=seed,
        )
    rows = [asdict(row) for row in found.rows]
    said = ("events", "secrets", "observables", "pairs", "p_value", "alpha", "level", "rejected")
    data = {name: getattr(found, name) for name in said} | {"measures": rows}
    columns = ["measure", "estimate", "corrected", "low", "high", "chance", "p_value"]
    title = f"{found.events:,} events of {found.secrets:,} secrets and {found.observables:,} observables"
    parts = [table(title, columns, [[row[column] for column in columns] for row in rows]), "", found.verdict]
    emit("audit", data, parts, as_json=as_json)
