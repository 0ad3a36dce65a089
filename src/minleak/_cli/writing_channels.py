"""Writing a channel: tidy rows, which `minleak measure` and `minleak.read_channel` read, or a .cloak to draw from."""

from __future__ import annotations

import csv
import io

import numpy as np

from minleak._data.channel import Channel
from minleak._data.prior import Prior
from minleak._design.rows.rounding import rounded
from minleak._report.saving import write_whole
from minleak.errors import InvalidParameter

ENDINGS = ("csv", "tsv", "parquet", "cloak")


def check_ending(path: str) -> str:
    """The format that a path's ending stands for."""
    ending = path.rpartition(".")[2].lower()
    if ending not in ENDINGS:
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
    if ending == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        sink = pa.BufferOutputStream()
        parquet.write_table(pa.table(dict(zip(header, zip(*rows, strict=True), strict=True))), sink)
        write_whole(path, sink.getvalue().to_pybytes())
        return
    text = io.StringIO()
    writer = csv.writer(text, delimiter="," if ending == "csv" else "\t", lineterminator="\n")
    writer.writerows([header, *rows])
    write_whole(path, text.getvalue())
