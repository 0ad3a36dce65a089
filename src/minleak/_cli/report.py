"""report: a page about a plan that opens without network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minleak._cli.inputs import Reading, check_ending_beside, one_stdin, plan_of
from minleak._cli.options import CloakFile, option, share, times
from minleak._cli.output import Answer, progressing
from minleak._data.prior import Prior
from minleak._strings.misfit import Misfit
from minleak._strings.ngram import NGram
from minleak._strings.plan import UnlistedPlan
from minleak.errors import InvalidParameter
from minleak.report import write

# Sets of strings that are looked at: a few seconds.
_MOST = 3000


@dataclass(frozen=True)
class HeldOut:
    """Counts of another time, and how they are read."""

    held_out: str | None = option(
        "For a plan over all strings: counts of another time, which an attacker may have; - is stdin."
    )
    secret: str = option("With --held-out: the column that names the secrets.", default="secret")
    weight: str = option("With --held-out: the column of their counts or weights.", default="count")
    count_rows: bool = option("With --held-out: it is a log, a row for each event; count them.", default=False)

    def counts(self) -> Prior | None:
        """What is in the file, if there is one."""
        if self.held_out is None:
            if self != HeldOut():
                raise InvalidParameter("--secret, --weight and --count-rows say how --held-out is read: give it too")
            return None
        check_ending_beside(self.held_out, "the report")
        return Reading(secret=self.secret, weight=self.weight, count_rows=self.count_rows).prior(self.held_out)


def report(
    cloak: CloakFile,
    output: str = option("A .html file, or a folder for pictures.", "-o", "--output", default=...),
    format: str | None = option("html, png or svg; html if not given."),
    max_success: float | None = option("A requirement, such as 5%: the page says whether it is met.", parser=share),
    title: str | None = option("What heads the page."),
    trials: int = option("Simulated secrets for what has no closed form.", default=20_000, parser=times),
    *,
    against: HeldOut,
) -> Answer:
    """Write a report about a plan: one page with charts that opens without network, or the charts as pictures.

    Example: minleak report queries.cloak -o report.html
    """
    with progressing(f"reporting on {cloak}") as progress:
        one_stdin(CLOAK=cloak, **{"--held-out": against.held_out})
        plan, counts = plan_of(cloak), against.counts()
        found = None if counts is None else _against(plan, counts, trials)
        files = write(
            plan,
            output,
            format=format,
            success=max_success,
            title=title,
            file="stdin" if cloak == "-" else cloak,
            trials=trials,
            against=found,
            progress=progress,
        )
    return Answer({"files": files}, [f"written: {', '.join(files)}"])


def _against(plan: Any, counts: Prior, trials: int) -> Misfit:
    """What a plan over strings is worth to an attacker who has these counts, and a model fitted to them."""
    if not isinstance(plan, UnlistedPlan):
        raise InvalidParameter("--held-out is for a plan over all strings, made by minleak design --unknown")
    return plan.against(NGram.fit(list(counts.labels)), prior=counts, trials=min(trials, _MOST))
