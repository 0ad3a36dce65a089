"""lines: a log of events, one secret a line."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa

from minleak._data.reading.formats.base import Counts
from minleak._data.reading.formats.uniq import text_lines


class Lines(Counts):
    """A secret counts as often as it is a line; an empty line is no event."""

    endings = (".log",)

    def counts(self) -> tuple[list[str], Any]:
        times = Counter(line for line in text_lines(self.data, self.name) if line)
        return list(times), pa.chunked_array([pa.array(times.values(), pa.int64())])

    def where(self, i: int) -> str:
        return f"distinct line {i + 1} of {self.name}"
