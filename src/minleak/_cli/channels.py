"""Channels: how their files are named, and writing one: tidy rows, which `minleak measure` reads, or a .cloak."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer

from minleak._cli.formulas import refuse_formulas
from minleak._cli.options import option
from minleak._data.channel import Channel
from minleak._data.prior import Prior
from minleak._plans.rounding import rounded
from minleak._report.saving import write_whole
from minleak.errors import InvalidParameter

ChannelFile = Annotated[
    str,
    typer.Argument(
        metavar="CHANNEL", help="Rows of secret, observable, probability: csv(.gz), tsv, parquet; - is stdin."
    ),
]
Observable = Annotated[str, typer.Option("--observable", help="The column that names the observables.")]


@dataclass(frozen=True)
class Columns:
    """The columns of CHANNEL beside that of the secrets."""

    observable: Observable = "observable"
    probability: str | None = option(
        "The column of p(observable given secret), probability if not given; without it a secret always shows "
        "the observable of its row."
    )


def check_ending(path: str) -> str:
    """The format that a path's ending stands for."""
    ending = path.rpartition(".")[2].lower()
    if ending not in ("csv", "tsv", "parquet", "cloak"):
        raise InvalidParameter(f"a channel is written as .csv, .tsv, .parquet or .cloak, not {path!r}")
    return ending


def write_channel(channel: Channel, path: str, prior: Prior | None = None) -> None:
    """Rows of secret, observable, probability for every probability that is not zero, or whole numbers to draw from;
    whole or not at all.
    """
    ending = check_ending(path)
    if ending == "cloak":
        rounded(channel, prior).save(path)
        return
    matrix = channel.toarray()
    at = np.argwhere(matrix > 0).tolist()
    rows = [(channel.inputs[x], channel.outputs[y], float(matrix[x, y])) for x, y in at]
    header = ("secret", "observable", "probability")
    import pyarrow as pa

    if ending == "parquet":
        from pyarrow import parquet

        sink = pa.BufferOutputStream()
        parquet.write_table(pa.table(dict(zip(header, zip(*rows, strict=True), strict=True))), sink)
        write_whole(path, sink.getvalue().to_pybytes())
        return
    texts = [label for label in (*channel.inputs, *channel.outputs) if isinstance(label, str)]
    refuse_formulas(pa.array(texts, pa.string()), "write .parquet or .cloak")
    text = io.StringIO()
    writer = csv.writer(text, delimiter="," if ending == "csv" else "\t", lineterminator="\n")
    writer.writerows([header, *rows])
    write_whole(path, text.getvalue())
