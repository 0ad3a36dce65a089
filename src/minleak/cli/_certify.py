"""certify: prove that a .cloak file is optimal for its counts."""

from __future__ import annotations

from typing import Any

import minleak as ml
from minleak.cli._inputs import PriorSource, Reading, as_file, check_one_stdin
from minleak.cli._options import CloakFile, argument, option
from minleak.cli._output import Outcome, working
from minleak.core._certify.certificate import Certificate
from minleak.errors import InvalidParameter
from minleak.lineage._lineage import Lineage


def certify(
    cloak: CloakFile,
    prior: str | None = argument(
        "[PRIOR]", "Counts to certify it for. Default: its own counts and gains.", default=None
    ),
    *,
    gains: str | None = option("Column of PRIOR with the gains to certify it for."),
    reading: Reading,
) -> Outcome[Certificate]:
    """Prove in exact integers that a .cloak file is optimal for its counts. Exit code 1 if that is not proved, also
    where the plan is valid: it hides what it says, and another might leak less.

    In an updated plan, each part is certified for the counts it was designed for.

    Example: minleak certify queries.cloak queries.csv
    """
    if gains is not None and prior is None:
        raise InvalidParameter("--gains names a column of PRIOR: give PRIOR too")
    check_one_stdin(CLOAK=cloak, PRIOR=prior)
    with working(f"certifying {cloak}"):
        with as_file(cloak, ".cloak") as path:
            plan: Any = ml.load(path)
        if prior is None:
            found = ml.certify(plan)
        elif isinstance(plan, Lineage):
            raise InvalidParameter(
                "each part of an updated plan is certified for its own counts, which the file holds: leave out PRIOR"
            )
        else:
            source = PriorSource(prior, reading)
            worth = None if gains is None else source.other(gains, "--gains").weights
            found = ml.certify(plan, source.prior(), gains=worth)
    return Outcome(found, code=0 if found.ok else 1)
