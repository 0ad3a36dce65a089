"""export: a plan as a table that any language reads."""

from __future__ import annotations

from dataclasses import dataclass

from minleak._cli.inputs import open_plan
from minleak._cli.options import CloakFile, option
from minleak._cli.output import Outcome, working
from minleak._cli.tables import check_ending, write_table
from minleak._face.result import Result


@dataclass(frozen=True)
class ExportedTable(Result):
    """A table that was written."""

    rows: int
    """How many rows it has."""
    columns: tuple[str, ...]
    """The names of its columns."""


def export(
    cloak: CloakFile,
    output: str = option("The table to write: .csv, .parquet, .json or .sqlite.", "-o", "--output", default=...),
    raw_labels: bool = option(
        "Write labels to .csv that begin with =, +, -, @, a tab or a line break: spreadsheets run them as formulas.",
        default=False,
    ),
) -> Outcome[ExportedTable]:
    """Write a plan as a table for other languages: which secrets are shown together, and how often.

    Blocks have a row for each secret: secret, set_number, weight. What is shown for a secret is all secrets with its
    set_number. Plans that draw their sets have rows of secret, set_number, first, last: draw a whole number from 0 to
    the largest last of the secret's rows, each as likely as the others, and show the set in whose row it lies. In
    .json all integers are text in digits, since many languages round numbers above 2^53: read them as BigInt.

    Example: minleak export queries.cloak -o queries.sqlite
    """
    check_ending(output, "a table", ["csv", "parquet", "json", "sqlite"])
    plan = open_plan(cloak)
    with working(f"writing {output}"):
        rows = plan.table()
        remedy = "write .parquet, .json or .sqlite, or say --raw-labels if programs alone read it"
        write_table(rows, output, raw_labels=raw_labels, remedy=remedy)
    return Outcome(ExportedTable(len(rows), tuple(rows.column_names)), (output,))
