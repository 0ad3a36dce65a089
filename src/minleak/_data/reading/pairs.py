"""read_pairs: which observables each secret may show, and at what cost, from a file of tidy rows."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Array
from minleak._data.labels import Labels
from minleak._data.matrices import too_large
from minleak._data.reading.table import Table, finite
from minleak.errors import UnreadableFile


@dataclass(frozen=True)
class Pairs:
    """allowed[x,y], cost[x,y] (None if the file has no costs) and the observables' labels in order of appearance."""

    allowed: npt.NDArray[np.bool_]
    cost: Array | None
    outputs: Labels


def read_pairs(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    inputs: Iterable[Hashable],
    secret: str = "secret",
    observable: str = "observable",
    cost: str = "cost",
    format: str | None = None,
) -> Pairs:
    """The pairs in a csv(.gz), tsv or parquet file with a row for every observable that a secret may show.

    What is not listed is not allowed. The column `cost` may be missing; `inputs` are the secrets in order, for
    instance `prior.labels`. Raises UnreadableFile, naming the line.

    >>> import io
    >>> rows = b"secret,observable,cost\\nflu,hot,0\\nflu,mild,1\\ngout,mild,0.5\\n"
    >>> pairs = read_pairs(io.BytesIO(rows), inputs=["flu", "gout"], format="csv")
    >>> pairs.allowed.tolist(), pairs.cost.tolist()
    ([[True, True], [False, True]], [[0.0, 1.0], [0.0, 0.5]])
    """
    table = Table(source, format=format, what="pairs are")
    numbers = {"cost": cost} if table.has(cost) else {}
    columns = table.read({"secret": secret, "observable": observable}, numbers)
    cells = table.cells(columns, inputs)
    size = too_large(math.prod(cells.shape), each=9)
    if size is not None:
        raise UnreadableFile(f"all pairs of the secrets and observables of {table.name} are {size}")
    allowed = np.zeros(cells.shape, dtype=bool)
    allowed[cells.x, cells.y] = True
    costs = np.zeros(cells.shape) if numbers else None
    if costs is not None:
        costs[cells.x, cells.y] = finite(columns["cost"], "cost", table.where)
    return Pairs(allowed, costs, Labels.of(cells.outputs, 0))
