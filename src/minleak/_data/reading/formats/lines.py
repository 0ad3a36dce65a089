"""lines: a log of events, one secret a line."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from minleak._data.reading.formats.base import CountsFile
from minleak._data.reading.formats.uniq import separated


class Lines(CountsFile):
    """A secret counts as often as it is a line; an empty line is no event."""

    endings = (".log",)

    def counts(self) -> tuple[Any, Any]:
        import pyarrow.compute as pc

        text, separator = separated(self.data, self.name)
        whole = pa.array([text], pa.large_binary()).cast(pa.large_string())
        lines = pc.split_pattern(whole, separator).values
        if separator == "\n" and b"\r" in text:
            lines = pc.replace_substring_regex(lines, r"\r$", "")
        labels, times = pc.value_counts(lines).flatten()
        empty = pc.equal(labels, "")
        self.blank = pc.sum(times.filter(empty)).as_py() or 0
        there = pc.invert(empty)
        return labels.filter(there), times.filter(there)

    def where(self, i: int) -> str:
        return f"distinct line {i + 1} of {self.name}"
