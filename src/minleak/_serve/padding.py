"""A table of paddings, as `minleak pad -o buckets.csv` writes it."""

from __future__ import annotations

import csv
from bisect import bisect_left
from itertools import pairwise

from minleak._data.parameters import is_number
from minleak.errors import InvalidParameter, UnreadableFile


class PaddingTable:
    """The sizes that are shown, increasing."""

    def __init__(self, sizes: list[int | float]) -> None:
        if not sizes or any(a >= b for a, b in pairwise(sizes)) or not 0 <= sizes[0] <= sizes[-1] < float("inf"):
            raise UnreadableFile("the padded sizes of a table are numbers from 0 on, increasing")
        self._sizes = sizes

    @classmethod
    def load(cls, path: str) -> PaddingTable:
        """The column `padded` of a csv file."""
        try:
            with open(path, encoding="utf-8", newline="") as file:
                sizes = [_number(row["padded"]) for row in csv.DictReader(file)]
        except (OSError, KeyError, TypeError, ValueError, csv.Error):
            sizes = None
        if sizes is None:
            raise UnreadableFile(
                f"cannot read {path} as a table of paddings: it is a csv with the column padded, as minleak pad -o "
                "buckets.csv writes it"
            )
        return cls(sizes)

    def pad(self, size: float) -> int | float:
        """The least size that is not smaller."""
        if not is_number(size) or not 0 <= size <= self._sizes[-1]:
            raise InvalidParameter(f"the size is not between 0 and {self._sizes[-1]}, the largest designed for")
        return self._sizes[bisect_left(self._sizes, size)]


def _number(text: str) -> int | float:
    return float(text) if set(text) & set(".eE") else int(text)
