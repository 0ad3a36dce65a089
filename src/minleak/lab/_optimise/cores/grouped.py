"""Sums, extremes and sorting within the columns of a matrix whose entries are stored column by column."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices


class Grouped:
    """The column of each entry; entries of one column are consecutive, and no column is empty.

    >>> by = Grouped(np.array([0, 0, 2]))
    >>> by.sum(np.array([1.0, 2.0, 4.0])), by.of.tolist()
    (array([3., 4.]), [0, 0, 1])
    """

    def __init__(self, columns: Indices) -> None:
        begins = np.flatnonzero(np.diff(columns, prepend=-1))
        self.starts: Indices = begins.astype(np.int64)
        self.sizes: Indices = np.diff(begins, append=len(columns)).astype(np.int64)
        self.of: Indices = np.repeat(np.arange(len(begins)), self.sizes)

    def __len__(self) -> int:
        """The number of columns."""
        return len(self.starts)

    @property
    def n_entries(self) -> int:
        """The number of entries."""
        return len(self.of)

    def sum(self, values: Array) -> Array:
        """The sum of each column."""
        return np.asarray(np.add.reduceat(values, self.starts))

    def max(self, values: Array) -> Array:
        """The largest entry of each column."""
        return np.asarray(np.maximum.reduceat(values, self.starts))

    def min(self, values: Array) -> Array:
        """The least entry of each column."""
        return np.asarray(np.minimum.reduceat(values, self.starts))

    def ascending(self, values: Array) -> tuple[Array, Indices]:
        """The entries sorted within each column, and the place 1, 2, ... of each."""
        order = np.lexsort((values, self.of))
        return values[order], self.places

    @cached_property
    def places(self) -> Indices:
        """1, 2, ... within each column."""
        return np.arange(self.n_entries) - np.repeat(self.starts, self.sizes) + 1

    def running_sum(self, values: Array) -> Array:
        """Sums of the first 1, 2, ... entries of each column."""
        total = np.cumsum(values)
        before = total[self.starts] - values[self.starts]
        return np.asarray(total - before[self.of])

    @cached_property
    def selection(self) -> Any:
        """The sparse matrix E of shape (entries, columns) with E s = s[of]; E^T v are the columns' sums."""
        import scipy.sparse as sp

        return sp.csr_array((np.ones(self.n_entries), self.of, np.arange(self.n_entries + 1)))
