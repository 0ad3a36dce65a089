"""The rows of privacy in HiGHS: the nearest pairs first, and others where they are broken.

A solution that breaks none of them solves the whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._optimise.problem import Problem

# A row of privacy, or the delta of a pair, that is passed by more than this is broken.
_BROKEN = 1e-10
# Rows of privacy that are there at first, for each unknown.
_FIRST = 8


class PrivacyRows:
    """The rows A z <= 0 of a model in HiGHS; with a delta A z <= slacks, of which each pair has so much in all."""

    def __init__(self, highs: Any, problem: Problem) -> None:
        self.highs, self.problem = highs, problem
        self.there = np.zeros(problem.ratios.shape[0], dtype=bool)
        self.at = np.zeros(len(self.there), dtype=np.int64)  # the place of a row in the model
        first = np.arange(min(_FIRST * len(problem.rows), len(self.there)))
        self._add(first if not problem.delta else problem.ratio_pairs[first])

    def add_broken(self, z: Array) -> int:
        """Ask for those that z breaks and that are not there; how many rows these are."""
        excess = self.problem.ratios @ z
        if not self.problem.delta:
            return self._add(np.flatnonzero((excess > _BROKEN) & ~self.there))
        pairs = self.problem.ratio_pairs
        needed = np.bincount(pairs, weights=np.maximum(excess, 0.0))
        return self._add(pairs[(needed[pairs] > self.problem.delta + _BROKEN) & ~self.there])

    def prices(self, dual: Array) -> tuple[Array, float]:
        """What the multipliers of all rows of the model make of those of privacy: see `Problem.price_privacy`."""
        return self.problem.price_privacy(np.where(self.there, dual[self.at], 0.0))

    def _add(self, which: Any) -> int:
        """Add rows of A by their places, or with a delta all rows of some pairs."""
        delta, pairs = self.problem.delta, self.problem.ratio_pairs
        rows = np.flatnonzero(np.isin(pairs, which)) if delta else which
        if not len(rows):
            return 0
        self.there[rows] = True
        self.at[rows] = self.highs.getNumRow() + np.arange(len(rows))
        asked = self.problem.ratios[rows]
        slacks = self.highs.getNumCol() + np.arange(len(rows))
        if delta:
            self._add_columns(len(rows))
            asked = _with_slacks(asked, slacks)
        self._add_rows(asked, 0.0)
        if delta:
            _, place = np.unique(pairs[rows], return_inverse=True)
            self._add_rows(_indicators(place, slacks), delta)
        return len(rows)

    def _add_columns(self, count: int) -> None:
        none, empty = np.zeros(count), np.zeros(count, dtype=np.int32)
        self.highs.addCols(count, none, none, np.full(count, np.inf), 0, empty, empty[:0], none[:0])

    def _add_rows(self, matrix: Any, most: float) -> None:
        count = matrix.shape[0]
        starts, places = matrix.indptr[:-1].astype(np.int32), matrix.indices.astype(np.int32)
        upper = np.full(count, most)
        self.highs.addRows(count, np.full(count, -np.inf), upper, len(places), starts, places, matrix.data)


def _with_slacks(matrix: Any, slacks: Any) -> Any:
    """The rows of a matrix, each less a slack of its own at that column."""
    import scipy.sparse as sp

    less = sp.csr_array((-np.ones(len(slacks)), (np.arange(len(slacks)), slacks)))
    matrix = sp.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=less.shape)
    return (matrix + less).tocsr()


def _indicators(rows: Any, columns: Any) -> Any:
    """Ones at these places."""
    import scipy.sparse as sp

    return sp.csr_array((np.ones(len(rows)), (rows, columns)))
