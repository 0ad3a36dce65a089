"""Commands inside an engine: `design --engine`, and how tables in DuckDB or Spark are named on the command line."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from minleak._cli.inputs import as_file
from minleak._cli.output import working
from minleak._cli.show import NAMED, world_of
from minleak._data.reading.formats.lines import Lines
from minleak._entropy.names import as_entropy
from minleak._measure.leakages import difference
from minleak.errors import InvalidParameter

Engine = Annotated[
    str | None,
    typer.Option(
        help="Work inside duckdb or spark, out of core: PRIOR is then a Parquet or CSV file or folder, a log of lines, "
        "or a database."
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
CountRows = Annotated[
    bool,
    typer.Option("--count-rows", help="PRIOR is a log, a row for each event: count its rows, there is no --weight."),
]


@contextmanager
def opened(
    path: str, *, engine: str, table: str | None, memory_limit: str | None, format: str | None = None
) -> Iterator[Any]:
    """The table that the options name."""
    from minleak import warehouse
    from minleak._warehouse.engines.spark import PANDAS_WARNING

    warnings.filterwarnings("ignore", message=PANDAS_WARNING, category=FutureWarning)
    if path == "-" and table is not None:
        if engine == "duckdb":
            raise InvalidParameter(
                "stdin has no tables: - and --table name one of Spark's; for DuckDB give its database's file"
            )
        yield warehouse.read(table=table, backend=engine, memory_limit=memory_limit)
        return
    with as_file(path, ".csv") as file:
        yield warehouse.read(file, table=table, backend=engine, memory_limit=memory_limit, format=format)


def is_log(path: str, format: str | None) -> bool:
    """Whether a file is of lines, which are events."""
    return format == "lines" or (format is None and path.lower().removesuffix(".gz").endswith(Lines.endings))


def design_inside(
    path: str, k: int, output: str | None, entropies: list[str], source: dict[str, Any], **given: Any
) -> dict[str, Any]:
    """The plan made inside an engine, in numbers as `show` has them; written as a folder of Parquet files or, by its
    ending, as a .cloak file.
    """
    from minleak import warehouse
    from minleak._warehouse.counts import prepared
    from minleak._warehouse.engines import engine_of

    measures = {name: as_entropy(name) for name in entropies}
    with working(f"designing for {path} in {source['engine']}"), opened(path, **source) as counts:
        if given["weight"] is None:
            counts = prepared(engine_of(counts), counts, given["secret"], None)  # once, for all that follows
            given |= {"secret": "secret", "weight": "weight"}
        try:
            before = warehouse.Spectrum(counts, secret=given["secret"], weight=given["weight"])
        except InvalidParameter:  # the weights are too many to be taken into memory
            before = None
        blind = {name: before.entropy(H) for name, H in measures.items()} if before else {}
        to_cloak = output is not None and output.endswith(".cloak")
        plan = warehouse.design(counts, k, output=None if to_cloak else output, **given)
        if output is not None and to_cloak:
            warehouse.to_plan(plan).save(output)
        world = world_of(plan, measures)
    header, leakages = plan.header, {}
    for name, H in measures.items():
        after = plan.entropy(H)
        leaked = difference(H, blind[name], after) if blind else None
        leakages[name] = {"before": blind.get(name), "after": after, "leakage": leaked}
    return {
        "engine": source["engine"],
        "secrets": header.n,
        "k": header.k,
        "layout": header.layout,
        "giants": len(header.giants),
        "giant_labels": [label for label, _ in header.giants[:NAMED]],
        "at_home": plan.at_home,
        "success_blind": float(before.values[0]) if before else None,
        "success": float(plan.target.max()),
        **world,
        "leakage": leakages,
    }
