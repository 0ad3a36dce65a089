"""export: a plan as a table that any language draws from."""

from __future__ import annotations

from typing import Any

from pyarrow.csv import write_csv

import minleak as ml
from minleak._cli.inputs import open_plan
from minleak._cli.options import CloakFile, option
from minleak._cli.output import Outcome, working
from minleak._cli.tables import check_ending
from minleak._file.replacing import replace_file
from minleak._plan.drawing_table import ExportedTable, refuse_formulas
from minleak.errors import InvalidParameter


def export(
    cloak: CloakFile,
    output: str = option("The table to write: .json, .sqlite, .csv or .parquet.", "-o", "--output", default=...),
    hashed: str | None = option("A key file: write keyed hashes in place of the labels."),
    partitions: bool = option(
        "Of blocks: write a .csv of value (or, with --hashed, value_hash) and partition, for a blind index.",
        default=False,
    ),
    raw_labels: bool = option(
        "Write labels to .csv that begin with =, +, -, @, a tab or a line break: spreadsheets run them as formulas.",
        default=False,
    ),
) -> Outcome[ExportedTable | None]:
    """Write a plan as a table that programs in other languages draw from: the same sets as `minleak draw` shows.

    The runtimes for Python, JavaScript and Go open .json, that for Python also .sqlite, without reading all of it. In
    .csv and .parquet there is a row for each secret and set: secret, set_number, first, last. runtimes/spec.md says how
    to draw. Tell programs the digest that is printed, and they refuse every other table.

    Example: minleak export queries.cloak -o queries.sqlite
    """
    check_ending(output, "a table", ["csv", "parquet", "json", "sqlite"])
    key = None if hashed is None else ml.Key.load(hashed)
    plan = open_plan(cloak)
    if partitions:
        return _export_partitions(plan, output, key, raw_labels=raw_labels)
    with working(f"writing {output}"):
        return Outcome(plan.export(output, hashed=key, raw_labels=raw_labels), (output,))


def _export_partitions(plan: Any, output: str, key: ml.Key | None, *, raw_labels: bool) -> Outcome[Any]:
    if not isinstance(plan, ml.results.BlockPlan):
        raise InvalidParameter("--partitions is for blocks, made by minleak design --layout blocks")
    check_ending(output, "a table of partitions", ["csv"])
    table = plan.partitions(hashed=key)
    if key is None and not raw_labels:
        refuse_formulas(table, "say --raw-labels if programs alone read it, or --hashed")
    with replace_file(output) as file:
        write_csv(table, file)
    return Outcome(None, (output,))
