"""report: a page about a plan that opens without network."""

from __future__ import annotations

from typing import Any

from minleak._cli.inputs import Reading, plan_of
from minleak._cli.options import CloakFile, option, share, times
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
    output: str = option("A .html file, or a folder for pictures.", "-o", "--output", default=...),
    format: str | None = option("html, png or svg; html if not given."),
    max_success: float | None = option("A requirement, such as 5%: the page says whether it is met.", parser=share),
    title: str | None = option("What heads the page."),
    held_out: str | None = option("For a plan over all strings: counts of another time, which an attacker may have."),
    trials: int = option("Simulated secrets for what has no closed form.", default=20_000, parser=times),
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
