"""show: what a .cloak file holds, and how much it leaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import minleak as ml
from minleak.cli._failures import in_flags
from minleak.cli._inputs import Reading, check_one_stdin, open_plan, read_property
from minleak.cli._options import CloakFile, Entropies, Format, PropertyColumn, Secret, argument
from minleak.cli._output import Outcome
from minleak.core._entropy.names import STANDARD
from minleak.lineage._summary import LineageSummary
from minleak.rates._summaries import ChannelSummary, PlanSummary
from minleak.strings._summary import StringSummary


def show(
    cloak: CloakFile,
    prior: str | None = argument("[PRIOR]", "With --property: a file of the secrets with that column.", default=None),
    *,
    entropy: Entropies = None,
    property: PropertyColumn = None,
    secret: Secret = "secret",
    format: Format = None,
) -> Outcome[PlanSummary | ChannelSummary | StringSummary | LineageSummary]:
    """Show what a .cloak file holds, and how much it leaks.

    Example: minleak show queries.cloak
    """
    check_one_stdin(CLOAK=cloak, PRIOR=prior)
    plan = open_plan(cloak)
    of = read_property(prior, property, Reading(secret=secret, format=format), plan.prior)
    return Outcome(summarize(plan, entropy, flag="design --events", of=of))


def summarize(plan: Any, entropies: Sequence[str] | None, *, flag: str = "--events", **more: Any) -> Any:
    """Summarise a plan, with flags in place of parameters; `flag` gives the number of events."""
    summary: Any = ml.summary(plan, entropies or STANDARD, **more)
    untold = getattr(summary, "untold", None)
    return summary if untold is None else replace(summary, untold=in_flags(untold, {"events": flag}))
