"""Parquet: columns of their own types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from minleak.io._tables import InputTable


class Parquet(InputTable):
    """A Parquet file; its schema names the columns."""

    endings = (".parquet", ".pq")
    has_sure_header = True

    def __init__(self, data: bytes, name: str) -> None:
        from pyarrow import parquet

        super().__init__(data, name)
        try:
            self._file = parquet.ParquetFile(pa.BufferReader(data))
            self.header = list(self._file.schema_arrow.names)
        except (pa.ArrowException, OSError) as error:
            raise self.unparsable(error) from None

    def load(self, labels: Sequence[str], numbers: Sequence[str]) -> list[Any]:
        try:
            table = self._file.read(columns=[*labels, *numbers])
        except (pa.ArrowException, OSError) as error:
            raise self.unparsable(error) from None
        return [table[name] for name in (*labels, *numbers)]
