"""certify: prove that a .cloak file is optimal for its prior."""

from __future__ import annotations

from typing import Annotated

import typer

from minleak.cli.inputs import PriorSource, plan_of
from minleak.cli.options import AsJson, CloakFile, Format, Secret, Weight
from minleak.cli.output import emit, working
from minleak.design import certify as certifying


def certify(
    cloak: CloakFile,
    prior: Annotated[
        str | None, typer.Argument(metavar="[PRIOR]", help="The counts it should be for; its own if not given.")
    ] = None,
    secret: Secret = "secret",
    weight: Weight = "count",
    format: Format = None,
    as_json: AsJson = False,
) -> None:
    """Check in exact integers that a .cloak file holds an optimal plan for its prior. Exit code 1 if it does not.

    Example: minleak certify queries.cloak queries.csv
    """
    with working(f"certifying {cloak}"):
        plan = plan_of(cloak)
        counts = plan.prior if prior is None else PriorSource(prior, secret, format).prior(weight)
        found = certifying.certify(plan, counts)
    data = {
        "certified": found.ok,
        "exact": found.exact,
        "checks": [{"what": check.what, "ok": check.ok, "detail": check.detail} for check in found.checks],
        "gaps": found.gaps,
    }
    emit("certify", data, [str(found)], as_json=as_json)
    if not found.ok:
        raise typer.Exit(1)
