"""Commands inside an engine: `design --engine`, and how tables in DuckDB or Spark are named on the command line."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from minleak._cli.inputs import as_file
from minleak._cli.output import emit, working
from minleak._cli.show import NAMED, rendered
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropy
from minleak._entropy.standard import STANDARD
from minleak._measure.leakages import difference
from minleak.errors import InvalidParameter

Engine = Annotated[
    str | None,
    typer.Option(
        help="Work inside duckdb or spark, out of core: PRIOR is then a Parquet or CSV file or folder, or a database."
    ),
]
TableName = Annotated[
    str | None,
    typer.Option("--table", help="With --engine: the table of a .duckdb database, or (PRIOR -) one that Spark knows."),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(help="With --engine duckdb: how much memory it may take, such as 1GB; the rest is spilled."),
]


@contextmanager
def opened(path: str, *, engine: str, table: str | None, memory_limit: str | None) -> Iterator[Any]:
    """The table that the options name."""
    from minleak import warehouse
    from minleak._warehouse.engines.spark import PANDAS_WARNING

    warnings.filterwarnings("ignore", message=PANDAS_WARNING, category=FutureWarning)
    backend = warehouse.connect(engine, memory_limit=memory_limit)
    if path == "-" and table is not None:
        yield warehouse.read(table=table, backend=backend, memory_limit=memory_limit)
        return
    with as_file(path, ".csv") as file:
        yield warehouse.read(file, table=table, backend=backend, memory_limit=memory_limit)


def design_inside(
    path: str,
    k: int,
    *,
    engine: str,
    name: str | None,
    memory_limit: str | None,
    output: str | None,
    layout: str,
    secret: str,
    weight: str,
    entropies: list[str] | None,
    as_json: bool,
) -> None:
    """The plan made inside an engine, written as a folder of Parquet files or, by its ending, as a .cloak file."""
    from minleak import warehouse

    measures = {given: as_entropy(given) for given in entropies or STANDARD}
    with (
        working(f"designing for {path} in {engine}"),
        opened(path, engine=engine, table=name, memory_limit=memory_limit) as counts,
    ):
        blind, likeliest = _blind(counts, secret, weight, measures)
        folder = output if output is not None and not output.endswith(".cloak") else None
        plan = warehouse.design(counts, k, secret=secret, weight=weight, layout=layout, output=folder)
        if output is not None and folder is None:
            warehouse.to_plan(plan).save(output)
        header, giants = plan.header, plan.header.giants
        leakages = {}
        for given, H in measures.items():
            before, after = blind.get(given), plan.entropy(H)
            leaked = None if before is None else difference(H, before, after)
            leakages[given] = {"before": before, "after": after, "leakage": leaked}
        data: dict[str, Any] = {
            "engine": engine,
            "secrets": header.n,
            "k": header.k,
            "layout": header.layout,
            "giants": len(giants),
            "giant_labels": [label for label, _ in giants[:NAMED]],
            "at_home": plan.at_home,
            "success_blind": likeliest,
            "success": float(plan.target.max()),
            "leakage": leakages,
        }
    parts = rendered(data)
    if output is not None:
        data["file"] = output
        parts += ["", f"written to {output}"]
    emit("design", data, parts, as_json=as_json)


def _blind(
    counts: Any, secret: str, weight: str, measures: dict[str, ConditionalEntropy]
) -> tuple[dict[str, float], float | None]:
    """H(X) by name and the largest probability; nothing where the weights are too many to be taken into memory."""
    from minleak import warehouse

    try:
        before = warehouse.Spectrum(counts, secret=secret, weight=weight)
    except InvalidParameter:
        return {}, None
    return {given: before.entropy(H) for given, H in measures.items()}, float(before.values[0])
