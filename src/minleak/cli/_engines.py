"""--engine: work inside DuckDB or Spark, and `design --engine`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import minleak as ml
from minleak.cli._inputs import Reading, as_file
from minleak.cli._options import option
from minleak.cli._output import note, working
from minleak.cli._show import summarize
from minleak.cli._sweep import SuccessRequirement
from minleak.errors import InvalidParameter
from minleak.io._lines import Lines
from minleak.rates._summaries import PlanSummary


@dataclass(frozen=True)
class EngineChoice:
    """The engine, the table to read and its memory limit, as given with --engine."""

    name: str
    table: str | None = None
    memory: str | None = None

    @contextmanager
    def open(self, path: str, format: str | None = None) -> Iterator[Any]:
        """The table at that path."""
        from minleak import scale

        if self.memory is not None and self.name != "duckdb":
            raise InvalidParameter("--engine takes memory= for duckdb only: leave it out and configure Spark instead")
        given = {"table": self.table, "engine": self.name, "memory_limit": self.memory}
        if path == "-" and self.table is not None:
            if self.name == "duckdb":
                raise InvalidParameter("stdin has no tables: for DuckDB give the file of the database instead of -")
            yield scale.read(**given)
            return
        with as_file(path, ".csv") as file:
            yield scale.read(file, format=format, **given)


def parse_engine(text: str) -> EngineChoice:
    """`duckdb`, `spark`, or such a name with `,table=NAME` and `,memory=1GB` behind it."""
    name, *more = text.split(",")
    given = dict(part.partition("=")[::2] for part in more)
    if len(given) < len(more) or not given.keys() <= {"table", "memory"} or not all(given.values()):
        raise InvalidParameter(
            "--engine is duckdb or spark, with an optional table and memory limit: duckdb,table=queries,memory=1GB"
        )
    return EngineChoice(name, **given)


def engine_option() -> Any:
    """The option --engine."""
    return option(
        "Work in duckdb or spark, for files larger than memory. Append ,table=NAME to read a table of a database, and "
        ",memory=1GB to limit DuckDB's memory."
    )


def design_inside(
    engine: EngineChoice,
    path: str,
    reading: Reading,
    k: int | None,
    output: str | None,
    *,
    layout: str,
    requirement: SuccessRequirement,
    entropies: list[str] | None,
) -> PlanSummary:
    """Design inside an engine, save a folder of Parquet files or a .cloak file, and summarise the plan."""
    from minleak import scale

    weight = None if reading.counts_rows or _is_log(path, reading.format) else reading.weight
    to_cloak = output is not None and output.endswith(".cloak")
    how: dict[str, Any] = {"secret": reading.secret if reading.field is None else reading.field, "weight": weight}
    with working(f"designing for {path} in {engine.name}"), engine.open(path, reading.format) as counts:
        if requirement.max_success is not None:
            k = _least_k(counts, requirement, how, clean=reading.clean)
        plan = scale.design(
            counts,
            k or 0,
            folder=None if to_cloak else output,
            layout=layout,
            strip=reading.clean,
            nfc=reading.clean,
            **how,
        )
        if output is not None and to_cloak:
            scale.to_plan(plan).save(output)
        summary: PlanSummary = summarize(plan, entropies, events=requirement.events)
        return summary


def _least_k(counts: Any, requirement: SuccessRequirement, how: dict[str, Any], *, clean: bool) -> int:
    """The least k for a requirement, by the distinct counts, which are few."""
    from minleak import scale
    from minleak.scale._cleaning import clean_labels

    cleaned = clean_labels(counts, how["secret"], strip=clean, nfc=clean, events=how["weight"] is None)
    spectrum = scale.Spectrum(cleaned, **how)
    prior = ml.Prior(spectrum.prior().weights, events=requirement.events)
    k, said = requirement.least_k(prior, requirement.max_success or 1.0)
    note(said)
    return k


def _is_log(path: str, format: str | None) -> bool:
    """Whether a file is of lines, which are events."""
    return format == "lines" or (format is None and path.lower().removesuffix(".gz").endswith(Lines.endings))
