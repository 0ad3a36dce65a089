"""Writing what commands make as rows: .csv, .tsv or .parquet, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, BinaryIO

from minleak._file.replacing import replace_file
from minleak.errors import InvalidParameter, MinleakError

if TYPE_CHECKING:
    import pyarrow as pa

    from minleak import Channel, Prior


def check_ending(path: str, what: str, endings: Sequence[str]) -> str:
    """The ending of a path, if it is one of those."""
    ending = path.rpartition(".")[2].lower()
    if ending not in endings:
        raise InvalidParameter(f"{what} is written as .{', .'.join(endings)}, not {path!r}")
    return ending


def write_table(rows: pa.Table, path: str, *, remedy: str = "write .parquet") -> None:
    """Write a table in the format that the path ends with. In text, labels that a spreadsheet would run as formulas
    are refused.
    """
    ending = path.rpartition(".")[2].lower()
    if ending in ("csv", "tsv"):
        from minleak._plan.drawing_table import refuse_formulas

        refuse_formulas(rows, remedy)
    try:
        with replace_file(path) as file:
            WRITERS[ending](rows, file)
    except OSError as error:
        raise MinleakError(f"cannot write {path}: {error.strerror or 'the file system refused'}") from None


def write_channel(channel: Channel, path: str, prior: Prior | None = None) -> None:
    """Rows of secret, observable, probability for every probability that is not zero, which `minleak measure` reads;
    or, as a .cloak, whole numbers to draw from.
    """
    if path.lower().endswith(".cloak"):
        from minleak import mechanisms

        mechanisms.rounded(channel, prior).save(path)
        return
    import numpy as np
    import pyarrow as pa

    matrix = channel.toarray()
    at = np.argwhere(matrix > 0)
    columns = {
        "secret": pa.array([channel.inputs[x] for x in at[:, 0].tolist()]),
        "observable": pa.array([channel.outputs[y] for y in at[:, 1].tolist()]),
        "probability": pa.array(matrix[at[:, 0], at[:, 1]].tolist()),
    }
    write_table(pa.table(columns), path, remedy="write .parquet or .cloak")


def _csv(rows: pa.Table, file: BinaryIO, delimiter: str = ",") -> None:
    from pyarrow import csv

    csv.write_csv(rows, file, csv.WriteOptions(delimiter=delimiter))


def _tsv(rows: pa.Table, file: BinaryIO) -> None:
    _csv(rows, file, "\t")


def _parquet(rows: pa.Table, file: BinaryIO) -> None:
    from pyarrow import parquet

    parquet.write_table(rows, file)


WRITERS: dict[str, Callable[[pa.Table, BinaryIO], None]] = {"csv": _csv, "tsv": _tsv, "parquet": _parquet}
