"""report: a self-contained page about a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import minleak as ml
from minleak.cli._inputs import PriorSource, Reading, check_one_stdin, open_plan, read_property, rows_beside
from minleak.cli._options import CloakFile, PropertyColumn, Secret, argument, option, share, times
from minleak.cli._output import Outcome, progressing
from minleak.errors import InvalidParameter

# The most sets of strings to simulate: a few seconds.
_MOST = 3000


@dataclass(frozen=True)
class HeldOutFile:
    """--held-out, and how to read it."""

    held_out: str | None = option(
        "Plans over all strings: counts from another period, as an attacker may have; - for stdin."
    )
    secret: Secret = "secret"
    weight: str = option("With --held-out: column with its counts; 1 if each row is one event.", default="count")

    def counts(self, prior: str | None) -> ml.Prior | None:
        """The counts in the file, if one is given."""
        if self.held_out is None:
            if self != HeldOutFile(secret=self.secret) or (prior is None and self != HeldOutFile()):
                raise InvalidParameter("--secret and --weight need --held-out")
            return None
        how = Reading(secret=self.secret, weight=self.weight)
        return PriorSource(self.held_out, how, rows_beside(self.held_out, "")).prior()


def report(
    cloak: CloakFile,
    prior: str | None = argument("[PRIOR]", "With --property: a file of the secrets with that column.", default=None),
    *,
    output: str = option("Write the page to this .html file; with --charts, a folder.", "-o", "--output", default=...),
    charts: str | None = option("Write only the charts, as png or svg, to a folder."),
    max_success: float | None = option(
        "Requirement: a guess is right at most this often, such as 5%; the page says whether it is met.", parser=share
    ),
    trials: int = option("Number of simulated secrets where there is no closed form.", default=20_000, parser=times),
    property: PropertyColumn = None,
    against: HeldOutFile,
) -> Outcome[None]:
    """Write a self-contained page about a plan, with charts; or only the charts, as pictures.

    Example: minleak report queries.cloak -o report.html
    """
    if charts not in (None, "png", "svg"):
        raise InvalidParameter(f"--charts is png or svg, not {charts!r}; leave it out to write a page")
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
    """Attack a plan over strings with these counts and a model fitted to them."""
    if not isinstance(plan, ml.results.UnlistedPlan):
        raise InvalidParameter("--held-out needs a plan over all strings, made by minleak design --unknown")
    return plan.against(ml.strings.NGram.fit(list(counts.labels)), prior=counts, trials=min(trials, _MOST))
