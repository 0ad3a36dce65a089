"""report: a page about a plan that opens without network."""

from __future__ import annotations

from typing import Annotated

import typer

from minleak._cli.inputs import plan_of
from minleak._cli.options import AsJson, CloakFile, share, times
from minleak._cli.output import emit, progressing
from minleak.report import write


def report(
    cloak: CloakFile,
    output: Annotated[str, typer.Option("-o", "--output", help="A .html file, or a folder for pictures.")],
    format: Annotated[str | None, typer.Option("--format", help="html, png or svg; html if not given.")] = None,
    max_success: Annotated[
        float | None,
        typer.Option(parser=share, help="A requirement, such as 5%: the page says whether it is met."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="What heads the page.")] = None,
    trials: Annotated[int, typer.Option(parser=times, help="Simulated secrets for what has no closed form.")] = 20_000,
    as_json: AsJson = False,
) -> None:
    """Write a report about a plan: one page with charts that opens without network, or the charts as pictures.

    Example: minleak report queries.cloak -o report.html
    """
    with progressing(f"reporting on {cloak}") as progress:
        files = write(
            plan_of(cloak),
            output,
            format=format,
            success=max_success,
            title=title,
            file="stdin" if cloak == "-" else cloak,
            trials=trials,
            progress=progress,
        )
    emit("report", {"files": files}, [f"written: {', '.join(files)}"], as_json=as_json)
