"""Writing channels as rows: .csv, .tsv or .parquet, whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minleak.core._file.replacing import replace_file
from minleak.errors import InvalidParameter, MinleakError

if TYPE_CHECKING:
    from minleak import Channel, Prior


def check_ending(path: str, what: str, endings: Sequence[str]) -> None:
    """Refuse a path that has none of these endings."""
    if path.rpartition(".")[2].lower() not in endings:
        raise InvalidParameter(f"{what} is written as .{', .'.join(endings)}, not {path!r}")


def write_channel(channel: Channel, path: str, prior: Prior | None = None) -> None:
    """Write a row of secret, observable and probability for every probability above zero, as `minleak measure` reads
    it; or, to a .cloak, whole numbers to draw from. Text holds no labels that a spreadsheet would run as formulas.
    """
    ending = path.rpartition(".")[2].lower()
    if ending == "cloak":
        from minleak.lab import mechanisms

        mechanisms.rounded(channel, prior).save(path)
        return
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv, parquet

    from minleak.core._plan.drawing_table import refuse_formulas

    matrix = channel.toarray()
    x, y = np.nonzero(matrix > 0)
    rows = pa.table(
        {
            "secret": pa.array([channel.inputs[i] for i in x.tolist()]),
            "observable": pa.array([channel.outputs[j] for j in y.tolist()]),
            "probability": pa.array(matrix[x, y].tolist()),
        }
    )
    if ending != "parquet":
        refuse_formulas(rows, "write .parquet or .cloak")
    try:
        with replace_file(path) as file:
            if ending == "parquet":
                parquet.write_table(rows, file)
            else:
                csv.write_csv(rows, file, csv.WriteOptions(delimiter="\t" if ending == "tsv" else ","))
    except OSError as error:
        raise MinleakError(f"cannot write {path}: {error.strerror or 'the file system refused'}") from None
