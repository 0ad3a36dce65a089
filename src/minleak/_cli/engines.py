"""Commands inside an engine: how tables in DuckDB or Spark are named, and `design --engine`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from minleak._cli.inputs import Reading, as_file
from minleak._cli.options import option
from minleak._cli.output import Answer, working
from minleak._cli.summaries import NAMED, plan_words, world_of
from minleak._data.formats.lines import Lines
from minleak._entropy.names import as_entropy
from minleak._measure.leakages import difference
from minleak.errors import InvalidParameter


@dataclass(frozen=True)
class EngineOptions:
    """Where to work, if not in memory."""

    engine: str | None = option("Work in duckdb or spark, out of core: on Parquet, CSV, a log, a folder or a database.")
    table: str | None = option("With --engine: the table of a .duckdb database or, with - as file, one of Spark's.")
    memory_limit: str | None = option("With --engine duckdb: the memory it may take, such as 1GB; the rest is spilled.")

    def refuse_without(self) -> None:
        """Refuse what only an engine can heed."""
        if self.engine is None and (self.table is not None or self.memory_limit is not None):
            raise InvalidParameter("--table and --memory-limit go with --engine, such as --engine duckdb")

    @contextmanager
    def opened(self, path: str, format: str | None = None) -> Iterator[Any]:
        """The table that the options name."""
        from minleak import warehouse

        given = {"table": self.table, "engine": self.engine, "memory_limit": self.memory_limit}
        if path == "-" and self.table is not None:
            if self.engine == "duckdb":
                raise InvalidParameter(
                    "stdin has no tables: - and --table name one of Spark's; for DuckDB give its database's file"
                )
            yield warehouse.read(**given)
            return
        with as_file(path, ".csv") as file:
            yield warehouse.read(file, format=format, **given)


def design_inside(
    engine: EngineOptions,
    path: str,
    reading: Reading,
    k: int,
    output: str | None,
    *,
    layout: str,
    events: int | None,
    entropies: list[str],
) -> Answer:
    """The plan made inside an engine, in numbers as `show` has them; written as a folder of Parquet files or, by its
    ending, as a .cloak file.
    """
    from minleak import warehouse
    from minleak._warehouse.counts import prepared
    from minleak._warehouse.tables import engine_of

    measures = {name: as_entropy(name) for name in entropies}
    columns: dict[str, Any] = {"secret": reading.secret, "weight": reading.weight}
    with ExitStack() as until, working(f"designing for {path} in {engine.engine}"):
        counts = until.enter_context(engine.opened(path, reading.format))
        if reading.count_rows or _is_log(path, reading.format):  # once, for all that follows
            counts = until.enter_context(prepared(engine_of(counts), counts, reading.secret, None))
            columns = {"secret": "secret", "weight": "weight"}
        try:
            before = warehouse.Spectrum(counts, **columns)
        except InvalidParameter:  # the weights are too many to be taken into memory
            before = None
        blind = {name: before.entropy(H) for name, H in measures.items()} if before else {}
        to_cloak = output is not None and output.endswith(".cloak")
        plan = warehouse.design(counts, k, folder=None if to_cloak else output, layout=layout, **columns)
        if output is not None and to_cloak:
            warehouse.to_plan(plan).save(output)
        world = world_of(plan, measures, events=events)
    header, leakages = plan.header, {}
    for name, H in measures.items():
        after = plan.entropy(H)
        leaked = difference(H, blind[name], after) if blind else None
        leakages[name] = {"before": blind.get(name), "after": after, "leakage": leaked}
    data = {
        "engine": engine.engine,
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
    return Answer(data, plan_words(data))


def _is_log(path: str, format: str | None) -> bool:
    """Whether a file is of lines, which are events."""
    return format == "lines" or (format is None and path.lower().removesuffix(".gz").endswith(Lines.endings))
