"""design: from counts to the plan that leaks least, as a .cloak file."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from minleak.cli.engines import Engine, MemoryLimit, TableName, design_inside
from minleak.cli.options import AsJson, Entropies, Format, K, PriorFile, PriorSource, Secret, Weight
from minleak.cli.output import emit, working
from minleak.cli.show import rendered, summary
from minleak.design import make
from minleak.errors import InvalidParameter


def design(
    prior: PriorFile,
    k: K,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="The .cloak file to write; with --engine also a new folder.")
    ] = None,
    layout: Annotated[
        str, typer.Option(help="stable (resists repeated draws) or circle (quickest to make).")
    ] = "stable",
    gains: Annotated[
        str | None, typer.Option(help="A column of what each secret is worth to the attacker, for gain-based leakage.")
    ] = None,
    secret: Secret = "secret",
    weight: Weight = "count",
    format: Format = None,
    entropy: Entropies = None,
    engine: Engine = None,
    table: TableName = None,
    memory_limit: MemoryLimit = None,
    as_json: AsJson = False,
) -> None:
    """Design the plan that leaks least with sets of K secrets, and write it to a .cloak file.

    Example: minleak design queries.csv -k 10 -o queries.cloak
    """
    if engine is not None:
        if gains is not None or format is not None:
            raise InvalidParameter("--gains and --format go with a design in memory, without --engine")
        design_inside(
            prior,
            k,
            engine=engine,
            name=table,
            memory_limit=memory_limit,
            output=output,
            layout=layout,
            secret=secret,
            weight=weight,
            entropies=entropy,
            as_json=as_json,
        )
        return
    if table is not None or memory_limit is not None:
        raise InvalidParameter("--table and --memory-limit go with --engine")
    source = PriorSource(prior, secret, format)
    counts = source.prior(weight)
    worth = None if gains is None else source.prior(gains).weights
    with working(f"designing for {len(counts):,} secrets"):
        plan = make.design(counts, k, layout=layout, gains=worth)
    data = summary(plan, entropy)
    parts = rendered(data)
    if output is not None:
        with working(f"writing {output}"):
            plan.save(output)
        data["file"], data["bytes"] = output, os.path.getsize(output)
        parts += ["", f"written to {output}; next: minleak report {output} -o report.html, or minleak draw --help"]
    emit("design", data, parts, as_json=as_json)
