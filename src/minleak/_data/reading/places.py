"""read_places: the coordinates of the secrets, from columns of the file that their prior is read from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import BinaryIO

import numpy as np

from minleak._data.arrays import Array
from minleak._data.reading.table import Table, column_names, finite
from minleak.errors import UnreadableFile


def read_places(
    source: str | os.PathLike[str] | BinaryIO, *, columns: Sequence[str], format: str | None = None
) -> Array:
    """The numbers in the named columns of a csv, tsv or parquet file, a row for each row of the file.

    The file is one that `read_prior` reads, so that row i has the place of secret i. Raises UnreadableFile for columns
    that are not there and entries that are no numbers, naming the line.

    >>> import io
    >>> text = b"secret,count,lat,lon\\nLima,10,-12.05,-77.04\\n"
    >>> read_places(io.BytesIO(text), columns=["lat", "lon"], format="csv")
    array([[-12.05, -77.04]])
    """
    what = "columns are the names of one or more columns, each once, such as ['lat', 'lon']"
    names = column_names(columns, what, UnreadableFile)
    roles = {f"entry in {name!a}": name for name in names}
    table = Table(source, format=format, what="places are")
    found = table.read({}, roles, choose="columns=")
    return np.stack([finite(numbers, role, table.where) for role, numbers in found.items()], axis=1)
