"""read_channel: a channel from a file of tidy rows (secret, observable, probability), or of a function's."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from typing import BinaryIO

import numpy as np

from minleak._data.cells import MatrixCells
from minleak._data.channel import Channel
from minleak._data.reading.table import Table, finite
from minleak.errors import InvalidChannel, UnreadableFile


def read_channel(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    secret: str = "secret",
    observable: str = "observable",
    probability: str | None = None,
    inputs: Iterable[Hashable] | None = None,
    format: str | None = None,
) -> Channel:
    """The channel in a csv(.gz), tsv or parquet file with a row for every p(observable given secret) that is not zero.

    Without a column of probabilities (`probability` is the name of one, "probability" if not said), it is a mapping: a
    row for every secret, which always shows the observable beside it.

    `inputs` fixes the order of the secrets, for instance to `prior.labels`. Raises UnreadableFile or InvalidChannel,
    naming the line.

    >>> import io
    >>> rows = b"secret,observable,probability\\nflu,hot,0.9\\nflu,cold,0.1\\ngout,cold,1\\n"
    >>> read_channel(io.BytesIO(rows), format="csv")
    Channel(2 secrets, 2 observables, sparse with 3 non-zeros)
    """
    import scipy.sparse as sp

    table = Table(source, format=format, what="a channel is")
    mapping = probability is None and not table.has("probability")
    numbers = {} if mapping else {"probability": "probability" if probability is None else probability}
    columns = table.read({"secret": secret, "observable": observable}, numbers)
    cells = table.cells(columns, inputs)
    if mapping:
        _check_once(cells, table)
        entries = np.ones(len(cells.x))
    else:
        entries = finite(columns["probability"], "probability", table.where)
    if not entries.min() >= 0:
        raise InvalidChannel(f"the probability at {table.where(int(entries.argmin()))} is negative")
    first = {x: i for i, x in reversed(list(enumerate(cells.x.tolist())))}
    missing = next((x for x in range(cells.shape[0]) if x not in first), None)
    if missing is not None:
        raise InvalidChannel(f"{table.name} has no rows for secret {missing} of the inputs")
    return Channel(
        sp.coo_array((entries, (cells.x, cells.y)), shape=cells.shape),
        inputs=cells.inputs,
        outputs=cells.outputs,
        _where=lambda x: f"the secret at {table.where(first[x])}",
    )


def _check_once(cells: MatrixCells, table: Table) -> None:
    """Refuse a secret with two observables and no word on how likely each is."""
    order = np.argsort(cells.x, kind="stable")
    again = order[1:][np.diff(cells.x[order]) == 0]
    if len(again):
        raise UnreadableFile(
            f"{table.where(int(again.min()))} shows a second observable for a secret, and {table.name} has no column "
            "'probability': say how likely each is, or which column tells (probability=)"
        )
