"""export: a plan as a table that programs in any language can draw from."""

from __future__ import annotations

from typing import Any

from pyarrow.csv import write_csv

import minleak as ml
from minleak.cli._inputs import open_plan, rows_of
from minleak.cli._options import CloakFile, argument, option
from minleak.cli._output import Outcome, working
from minleak.cli._tables import check_ending
from minleak.core._file.replacing import replace_file
from minleak.core._plan.drawing_table import ExportedTable, refuse_formulas
from minleak.core._plan.plan import Plan
from minleak.errors import InvalidParameter
from minleak.lookups._selector import Selector


def export(
    cloak: CloakFile,
    names: str | None = argument(
        "NAMES", "With a selector: all names of the service, a table with a column secret or a .log file.", default=None
    ),
    *,
    output: str = option(
        "Write the table to this .json, .sqlite, .csv or .parquet file; of a selector, to this new folder.",
        "-o",
        "--output",
        default=...,
    ),
    padded: bool = option("With a selector: end all files of buckets with blanks up to one length.", default=False),
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
    """Export a plan as a table from which programs in other languages draw the same sets as `minleak draw`; or a
    selector as the buckets that a service serves: names.csv with the bucket of each name, and a file for each bucket.

    The runtimes for Python, JavaScript and Go open .json; the one for Python also opens .sqlite without loading it. In
    .csv and .parquet there is one row per secret and set: secret, set_number, first, last. See runtimes/spec.md for how
    to draw. Give programs the printed digest, and they refuse any other table.

    Example: minleak export queries.cloak -o queries.sqlite
    """
    plan = open_plan(cloak)
    if isinstance(plan, Selector):
        return _export_buckets(plan, names, output, padded=padded, raw_labels=raw_labels)
    if names is not None or padded:
        raise InvalidParameter("NAMES and --padded are for a selector; got a plan. Leave them out.")
    check_ending(output, "a table", ["csv", "parquet", "json", "sqlite"])
    key = None if hashed is None else ml.Key.load(hashed)
    if partitions:
        return _export_partitions(plan, output, key, raw_labels=raw_labels)
    with working(f"writing {output}"):
        return Outcome(ml.export(plan, output, hashed=key, raw_labels=raw_labels), (output,))


def _export_buckets(
    selector: Selector, names: str | None, output: str, *, padded: bool, raw_labels: bool
) -> Outcome[Any]:
    if names is None:
        raise InvalidParameter("NAMES must list the names of the service; got none. Name a file behind the selector.")
    with working(f"writing {output}"):
        counted = ml.read_prior(**rows_of(names), weight=None)
        selector.export(output, counted.labels, padded=padded, raw_labels=raw_labels)
    return Outcome(None, (output,))


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
