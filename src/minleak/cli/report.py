"""report: a page about a plan that convinces without a network."""

from __future__ import annotations

from typing import Annotated

import typer

from minleak.cli.options import AsJson, CloakFile
from minleak.cli.output import emit, progressing


def report(
    cloak: CloakFile,
    output: Annotated[str, typer.Option("-o", "--output", help="A .html file, or a folder for pictures.")],
    format: Annotated[str | None, typer.Option("--format", help="html, png or svg; html if not given.")] = None,
    trials: Annotated[int, typer.Option(help="Simulated secrets for what has no closed form.")] = 20_000,
    as_json: AsJson = False,
) -> None:
    """Write a report about a plan: one page with charts that opens without network, or the charts as pictures.

    Example: minleak report queries.cloak -o report.html
    """
    from minleak.design.stored.opening import load
    from minleak.report.html import write_report

    with progressing(f"reporting on {cloak}") as progress:
        files = write_report(load(cloak), output, format=format, trials=trials, progress=progress)
    emit("report", {"files": files}, [f"written: {', '.join(files)}"], as_json=as_json)
