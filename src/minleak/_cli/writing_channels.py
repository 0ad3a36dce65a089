"""Writing a channel as tidy rows, which `minleak measure` and `minleak.read_channel` read."""

from __future__ import annotations

import csv
import io

import numpy as np

from minleak._data.channel import Channel
from minleak._report.saving import write_whole
from minleak.errors import InvalidParameter

ENDINGS = ("csv", "tsv", "parquet")


def check_ending(path: str) -> str:
    """The format that a path's ending stands for."""
    ending = path.rpartition(".")[2].lower()
    if ending not in ENDINGS:
        raise InvalidParameter(f"a channel is written as .csv, .tsv or .parquet, not {path!r}")
    return ending


def write_channel(channel: Channel, path: str) -> None:
    """Rows of secret, observable, probability for every probability that is not zero; whole or not at all."""
    ending = check_ending(path)
    matrix = channel.toarray()
    at = np.argwhere(matrix > 0)
    secrets = [channel.inputs[int(x)] for x, _ in at]
    observables = [channel.outputs[int(y)] for _, y in at]
    chances = matrix[at[:, 0], at[:, 1]].tolist()
    header = ("secret", "observable", "probability")
    if ending == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        sink = pa.BufferOutputStream()
        parquet.write_table(pa.table(dict(zip(header, (secrets, observables, chances), strict=True))), sink)
        write_whole(path, sink.getvalue().to_pybytes())
        return
    text = io.StringIO()
    writer = csv.writer(text, delimiter="," if ending == "csv" else "\t", lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(secrets, observables, map(repr, chances), strict=True))
    write_whole(path, text.getvalue())
