"""export: a plan as a table that programs in any language can draw from."""

from __future__ import annotations

from typing import Any

from pyarrow.csv import write_csv

import minleak as ml
from minleak.cli._inputs import open_plan
from minleak.cli._options import CloakFile, option
from minleak.cli._output import Outcome, working
from minleak.cli._tables import check_ending
from minleak.core._file.replacing import replace_file
from minleak.core._plan.drawing_table import ExportedTable, refuse_formulas
from minleak.core._plan.plan import Plan
from minleak.errors import InvalidParameter


def export(
    cloak: CloakFile,
    output: str = option(
        "Write the table to this .json, .sqlite, .csv or .parquet file.", "-o", "--output", default=...
    ),
    hashed: str | None = option("Key file: write keyed hashes instead of labels."),
    partitions: bool = option(
        "Blocks only: write a .csv with value (value_hash with --hashed) and partition, the number to index in place "
        "of the value.",
        default=False,
    ),
    raw_labels: bool = option(
        "Allow labels in .csv that start with =, +, -, @, a tab or a line break, which spreadsheets run as formulas.",
        default=False,
    ),
) -> Outcome[ExportedTable | None]:
    """Export a plan as a table from which programs in other languages draw the same sets as `minleak draw`.

    The runtimes for Python, JavaScript and Go open .json; the one for Python also opens .sqlite without loading it. In
    .csv and .parquet there is one row per secret and set: secret, set_number, first, last. See runtimes/spec.md for how
    to draw. Give programs the printed digest, and they refuse any other table.

    Example: minleak export queries.cloak -o queries.sqlite
    """
    check_ending(output, "a table", ["csv", "parquet", "json", "sqlite"])
    key = None if hashed is None else ml.Key.load(hashed)
    plan = open_plan(cloak)
    if partitions:
        return _export_partitions(plan, output, key, raw_labels=raw_labels)
    with working(f"writing {output}"):
        return Outcome(ml.export(plan, output, hashed=key, raw_labels=raw_labels), (output,))


def _export_partitions(plan: Any, output: str, key: ml.Key | None, *, raw_labels: bool) -> Outcome[Any]:
    if not isinstance(plan, Plan) or plan.randomised:
        raise InvalidParameter("--partitions needs a plan of blocks, made by minleak design --layout blocks")
    check_ending(output, "a table of partitions", ["csv"])
    table = plan.partitions(hashed=key)
    if key is None and not raw_labels:
        refuse_formulas(table, "add --raw-labels if only programs read the file, or use --hashed")
    with replace_file(output) as file:
        write_csv(table, file)
    return Outcome(None, (output,))
