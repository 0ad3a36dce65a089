"""Reducing a matrix: proportional columns are merged into one, and columns of zeros are dropped."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array

Groups = npt.NDArray[np.int64]

# Columns are proportional if their normalised entries differ by no more than this, relative to the larger.
_SAME = 1e-12


def group_columns(matrix: Any, totals: Array | None = None) -> Groups:
    """The group of each column, numbered by first appearance; -1 for a column of zeros. `totals` are the column sums,
    if known.

    Columns of Fractions are compared exactly, floats within 1e-12 relative. The matrix is dense or csc. Only columns
    that are neighbours along a random projection are compared: O(nm + m log m).
    """
    if matrix.dtype == object:
        return _group_exactly(matrix)
    n, m = matrix.shape
    projected = _direction(n) @ matrix
    totals = matrix.sum(axis=0) if totals is None else totals
    kept = np.arange(m)
    if totals.item(totals.argmin()) > 0:
        projected = projected / totals
    else:
        kept = np.flatnonzero(totals > 0)
        projected = projected[kept] / totals[kept]
    ordered = np.sort(projected)
    apart = ordered[1:] - ordered[:-1]
    alone = not len(apart) or apart.item(apart.argmin()) > 2 * n * _SAME
    if alone and len(kept) == m:
        return kept
    of = np.full(m, -1, dtype=np.int64)
    if alone:
        of[kept] = np.arange(len(kept))
        return of
    ascending = np.argsort(projected, kind="stable")
    close = np.flatnonzero(np.diff(projected[ascending]) <= 2 * n * _SAME)
    order = kept[ascending]
    begins = np.ones(len(kept), dtype=np.int64)
    pairs = (order[close], order[close + 1])
    begins[close + 1] = ~_equal(*(divide_columns(matrix[:, columns], totals[columns]) for columns in pairs))
    of[order] = np.cumsum(begins) - 1
    return _by_appearance(of)


@lru_cache(maxsize=1)
def _direction(n: int) -> Array:
    return np.random.default_rng(0).random(n)


def merge_columns(matrix: Any, of: Groups) -> Any:
    """The matrix whose columns are the sums of the groups."""
    if len(of) == of[-1] + 1:  # numbered by first appearance, so each group is a single column
        return matrix
    if matrix.dtype == object:
        found = np.full((matrix.shape[0], int(of.max()) + 1), Fraction(0), dtype=object)
        for y, group in enumerate(of.tolist()):
            if group >= 0:
                found[:, group] += matrix[:, y]
        return found
    import scipy.sparse as sp

    kept = np.flatnonzero(of >= 0)
    return matrix @ sp.csc_array((np.ones(len(kept)), (kept, of[kept])), shape=(len(of), int(of.max()) + 1))


def divide_columns(matrix: Any, totals: Any) -> Any:
    """The dense or sparse matrix with each column divided by its total, in place unless it is read-only."""
    if isinstance(matrix, np.ndarray):
        return np.divide(matrix, totals, out=matrix if matrix.flags.writeable else None)
    matrix = matrix.tocsc()
    matrix.data /= np.repeat(totals, np.diff(matrix.indptr))
    matrix.sort_indices()
    return matrix


def group_shares(matrix: Any, of: Groups) -> Any:
    """The share of each column in the sum of its group; zero for a column of zeros."""
    totals = matrix.sum(axis=0)
    whole = np.full(int(of.max()) + 1, Fraction(0) if matrix.dtype == object else 0.0)
    np.add.at(whole, of[of >= 0], totals[of >= 0])
    return np.where(of >= 0, totals / whole[np.maximum(of, 0)], totals)


def _group_exactly(matrix: npt.NDArray[Any]) -> Groups:
    number: dict[tuple[Any, ...], int] = {}
    of = []
    for column in matrix.T.tolist():
        total = sum(column)
        share = tuple(value / total for value in column) if total else None
        of.append(-1 if share is None else number.setdefault(share, len(number)))
    return np.array(of, dtype=np.int64)


def _equal(a: Any, b: Any) -> npt.NDArray[np.bool_]:
    """Which columns of a equal those of b, up to rounding, with the same zeros."""
    if isinstance(a, np.ndarray):
        return np.asarray((np.abs(a - b) <= _SAME * np.maximum(a, b)).all(axis=0))
    off = abs(a - b) - _SAME * a.maximum(b)
    off.eliminate_zeros()
    return np.asarray(off.max(axis=0).toarray().ravel() <= 0)


def _by_appearance(of: Groups) -> Groups:
    found: dict[int, int] = {}
    return np.array([-1 if group < 0 else found.setdefault(group, len(found)) for group in of.tolist()], dtype=np.int64)
