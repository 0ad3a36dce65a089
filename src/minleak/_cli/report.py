"""report: a page about a plan that opens without network."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from minleak._cli.inputs import Reading, plan_of
from minleak._cli.options import CloakFile, share, times
from minleak._cli.output import Answer, progressing
from minleak._data.prior import Prior
from minleak._design.unlisted.misfit import Misfit
from minleak._design.unlisted.ngram import NGram
from minleak._design.unlisted.plan import UnlistedPlan
from minleak.errors import InvalidParameter
from minleak.report import write

# Sets of strings that are looked at: a few seconds.
_MOST = 3000


def report(
    cloak: CloakFile,
    output: Annotated[str, typer.Option("-o", "--output", help="A .html file, or a folder for pictures.")],
    format: Annotated[str | None, typer.Option("--format", help="html, png or svg; html if not given.")] = None,
    max_success: Annotated[
        float | None,
        typer.Option(parser=share, help="A requirement, such as 5%: the page says whether it is met."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="What heads the page.")] = None,
    held_out: Annotated[
        str | None,
        typer.Option(help="Counts of another time, of a plan over all strings: what an attacker who has them knows."),
    ] = None,
    trials: Annotated[int, typer.Option(parser=times, help="Simulated secrets for what has no closed form.")] = 20_000,
) -> Answer:
    """Write a report about a plan: one page with charts that opens without network, or the charts as pictures.

    Example: minleak report queries.cloak -o report.html
    """
    with progressing(f"reporting on {cloak}") as progress:
        plan = plan_of(cloak)
        against = None
        if held_out is not None:
            against = _against(plan, Reading().prior(held_out), trials)
        files = write(
            plan,
            output,
            format=format,
            success=max_success,
            title=title,
            file="stdin" if cloak == "-" else cloak,
            trials=trials,
            against=against,
            progress=progress,
        )
    return Answer({"files": files}, [f"written: {', '.join(files)}"])


def _against(plan: Any, counts: Prior, trials: int) -> Misfit:
    """What a plan over strings is worth to an attacker who has these counts, and a model fitted to them."""
    if not isinstance(plan, UnlistedPlan):
        raise InvalidParameter("--held-out is for a plan over all strings, made by minleak design --unknown")
    return plan.against(NGram.fit(list(counts.labels)), prior=counts, trials=min(trials, _MOST))
