"""update: add new counts to a plan; existing sets stay, and new secrets get a part of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

import minleak as ml
from minleak.cli._design import parse_near
from minleak.cli._failures import in_flags
from minleak.cli._inputs import Grouping, PriorSource, Reading, check_one_stdin, open_plan
from minleak.cli._options import CloakFile, option, whole
from minleak.cli._output import Outcome, note, working
from minleak.cli._show import summarize
from minleak.cli._tables import check_ending
from minleak.core._entropy.names import FEW
from minleak.core._file.replacing import expect_state, file_state
from minleak.errors import InvalidParameter
from minleak.lineage._summary import LineageSummary

NewPrior = Annotated[
    str,
    typer.Argument(
        metavar="PRIOR", help="The new counts, matched by label: csv, csv.gz, tsv, parquet or json; - for stdin."
    ),
]


def update(
    cloak: CloakFile,
    prior: NewPrior,
    *,
    output: str | None = option(
        "Write the updated plan to this .cloak file; it may replace the old one.", "-o", "--output"
    ),
    cohort: str = option(
        "Number of updates after which new secrets form a part, or auto: daily at first, weekly later.",
        default="auto",
    ),
    gains: str | None = option("Plans with gains: column of PRIOR with the worth of each secret."),
    near: str | None = option("Plans made with --near: columns of PRIOR with coordinates."),
    grouping: Grouping,
    dry_run: bool = option("Write nothing; report what the update would do and what leaks today.", default=False),
    reading: Reading,
) -> Outcome[LineageSummary]:
    """Add the counts of one more day to a plan: existing sets stay, and new secrets get sets of their own.

    New secrets wait until there are enough of them for sets, and are refused until then.

    Example: minleak update queries.cloak tomorrow.csv -o newer.cloak
    """
    if (output is None) != dry_run:
        raise InvalidParameter("give either -o, the file to write, or --dry-run, to write nothing")
    if output is not None:
        check_ending(output, "a plan", ["cloak"])
    check_one_stdin(CLOAK=cloak, PRIOR=prior)
    replaced = None if output is None else file_state(output)
    plan, source = open_plan(cloak), PriorSource(prior, reading)
    new = source.prior()
    groups = grouping.read(source, new)
    worth = None if gains is None else dict(zip(new.labels, source.other(gains, "--gains").weights, strict=True))
    with working(f"entering counts of {len(new):,} secrets"):
        layout = _lay_near(plan, near, new, source)
        chosen = "auto" if cohort == "auto" else whole(cohort)
        try:
            newer = ml.update(plan, new, cohort=chosen, groups=groups, gains=worth, layout=layout)
        except InvalidParameter as error:
            raise InvalidParameter(in_flags(str(error), {"groups": "--group"})) from None
        made = len(newer.parts) - len(plan.parts)
        summary = summarize(newer, FEW)
    if made:
        note(f"{made} new {'part' if made == 1 else 'parts'} made from the secrets that were waiting")
    if output is None:
        return Outcome(summary, about=newer)
    with working(f"writing {output}"), expect_state(output, replaced):
        newer.save(output)
    return Outcome(summary, (output,), then=["report", output, "-o", "report.html"], about=newer)


def _lay_near(
    plan: Any, columns: str | None, new: ml.Prior, source: PriorSource
) -> Callable[[list[Any]], ml.Near] | None:
    """The layout of a new part as a function of its labels, whose coordinates stand beside the counts; None for plans
    that were made without.
    """
    costs = getattr(plan.parts[0], "costs", None)
    if costs is None or costs.coordinates is None:
        if columns is not None:
            raise InvalidParameter("--near needs a plan made with --near, which this one was not")
        return None
    metric, places = costs.metric, {}
    if columns is not None:
        metric, names = parse_near(columns)
        places = dict(zip(new.labels, source.places(names, "--near"), strict=True))

    def lay(labels: list[Any]) -> ml.Near:
        if columns is None:
            raise InvalidParameter(
                "the plan was made with --near: give the columns with the coordinates of new secrets"
            )
        missing = sum(label not in places for label in labels)
        if missing:
            raise InvalidParameter(
                f"{missing} of the new secrets have no coordinates in PRIOR: also list those that wait, with count 0"
            )
        return ml.Near([places[label] for label in labels], metric=metric, stability=costs.stability)

    return lay
