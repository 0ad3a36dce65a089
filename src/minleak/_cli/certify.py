"""certify: prove that a .cloak file is optimal for its prior."""

from __future__ import annotations

from dataclasses import asdict

from minleak._cli.inputs import PriorSource, Reading, as_file, one_stdin
from minleak._cli.options import CloakFile, argument, option
from minleak._cli.output import Answer, working
from minleak._plan.base import LINEAGE
from minleak._plans import certifying
from minleak._plans.loading import load
from minleak.errors import InvalidParameter


def certify(
    cloak: CloakFile,
    prior: str | None = argument(
        "[PRIOR]", "The counts it should be for; its own, and its gains, if not given.", default=None
    ),
    *,
    gains: str | None = option("The column of gains that it should be for, beside the counts."),
    reading: Reading,
) -> Answer:
    """Check in exact integers that a .cloak file draws an optimal plan for its prior. Exit code 1 if it does not.

    Of a plan that was updated, each part is checked for the counts that it was made for.

    Example: minleak certify queries.cloak queries.csv
    """
    if gains is not None and prior is None:
        raise InvalidParameter("--gains names a column beside the counts: give the file of these too")
    one_stdin(CLOAK=cloak, PRIOR=prior)
    with working(f"certifying {cloak}"):
        with as_file(cloak, ".cloak") as path:
            plan = load(path)
        if prior is None:
            found = certifying.certify(plan, plan.prior, gains=getattr(plan, "gains", None))
        elif plan.kind == LINEAGE:
            raise InvalidParameter(
                "this plan was updated, and each part is proved for the counts it was made for, which the file holds: "
                "leave out PRIOR"
            )
        else:
            source = PriorSource(prior, reading)
            worth = None if gains is None else source.other(gains, "--gains").weights
            found = certifying.certify(plan, source.prior(), gains=worth)
    checks = [asdict(check) for check in found.checks]
    data = {"certified": found.ok, "exact": found.exact, "checks": checks, "gaps": found.gaps}
    return Answer(data, [str(found)], code=0 if found.ok else 1)
