"""report: a page about a plan that opens without network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import minleak as ml
from minleak._cli.inputs import PriorSource, Reading, check_one_stdin, open_plan, read_property, rows_beside
from minleak._cli.options import CloakFile, PropertyColumn, Secret, argument, option, share, times
from minleak._cli.output import Outcome, progressing
from minleak.errors import InvalidParameter

# Sets of strings that are looked at: a few seconds.
_MOST = 3000


@dataclass(frozen=True)
class HeldOutFile:
    """Counts of another time, and how they are read."""

    held_out: str | None = option(
        "For a plan over all strings: counts of another time, which an attacker may have; - is stdin."
    )
    secret: Secret = "secret"
    weight: str = option("With --held-out: the column of its counts; 1 if every row is one event.", default="count")

    def counts(self, prior: str | None) -> ml.Prior | None:
        """What is in the file, if there is one."""
        if self.held_out is None:
            if self != HeldOutFile(secret=self.secret) or (prior is None and self != HeldOutFile()):
                raise InvalidParameter("--secret and --weight say how --held-out is read: give it too")
            return None
        how = Reading(secret=self.secret, weight=self.weight)
        return PriorSource(self.held_out, how, rows_beside(self.held_out, "")).prior()


def report(
    cloak: CloakFile,
    prior: str | None = argument("[PRIOR]", "For --property: a file of the secrets that has its column.", default=None),
    *,
    output: str = option("The .html page to write, or with --charts a folder.", "-o", "--output", default=...),
    charts: str | None = option("Write the charts alone, as pictures into a folder: png or svg."),
    max_success: float | None = option("A requirement, such as 5%: the page says whether it is met.", parser=share),
    trials: int = option("Simulated secrets for what has no closed form.", default=20_000, parser=times),
    property: PropertyColumn = None,
    against: HeldOutFile,
) -> Outcome[None]:
    """Write a page about a plan, with charts, that opens without network; or the charts as pictures.

    Example: minleak report queries.cloak -o report.html
    """
    if charts not in (None, "png", "svg"):
        raise InvalidParameter(f"--charts is png or svg, not {charts!r}; a page is written without it")
    with progressing(f"reporting on {cloak}") as progress:
        check_one_stdin(CLOAK=cloak, PRIOR=prior, **{"--held-out": against.held_out})
        plan, counts = open_plan(cloak), against.counts(prior)
        of = read_property(prior, property, Reading(secret=against.secret), plan.prior)
        found = None if counts is None else _attack(plan, counts, trials)
        files = ml.report.write(
            plan,
            output,
            format=charts,
            success=max_success,
            file="stdin" if cloak == "-" else cloak,
            trials=trials,
            against=found,
            of=of,
            progress=progress,
        )
    return Outcome(None, tuple(files))


def _attack(plan: Any, counts: ml.Prior, trials: int) -> ml.results.Misfit:
    """What a plan over strings is worth to an attacker who has these counts, and a model fitted to them."""
    if not isinstance(plan, ml.results.UnlistedPlan):
        raise InvalidParameter("--held-out is for a plan over all strings, made by minleak design --unknown")
    return plan.against(ml.strings.NGram.fit(list(counts.labels)), prior=counts, trials=min(trials, _MOST))
