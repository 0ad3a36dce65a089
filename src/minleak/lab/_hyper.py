"""Posteriors of a joint distribution, the hyper-distribution on them, printed as in the QIF book, and reduced channels:
proportional columns merged into one, and columns of zeros dropped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._channel import Channel, as_channel
from minleak.core._columns import sums_of
from minleak.core._joint import Joint, as_joint
from minleak.core._labels import Labels
from minleak.core._prior import Prior
from minleak.core._result import Result
from minleak.core._text_tables import Table

Groups = npt.NDArray[np.int64]

# Columns are proportional if their normalised entries differ by no more than this, relative to the larger.
_SAME = 1e-12
# Rows and columns printed at most.
_ROWS, _COLUMNS = 20, 8


@dataclass(frozen=True)
class Posteriors(Result):
    """Column j of `matrix` is the posterior p(x given y) for y = outputs[j]; `outputs` are the observables that can
    occur, and `probabilities` is p(y) for each.

    Observables of probability zero have no posterior and are left out; `dropped` lists their labels.
    """

    matrix: Any
    probabilities: Array
    outputs: Labels
    dropped: tuple[Any, ...]


@dataclass(frozen=True)
class Hyper(Result):
    """A distribution on posteriors: `inners[:, j]` is a posterior on the `secrets`, and `outers[j]` is its probability.

    Observables with the same posterior are merged, and those that cannot occur are left out. Fractions where both the
    prior and the channel are exact.
    """

    outers: Any
    inners: Any
    secrets: Labels

    def __len__(self) -> int:
        return len(self.outers)

    def to_parts(self) -> list[str | Table]:
        wide, high = min(len(self.outers), _COLUMNS), min(len(self.secrets), _ROWS)
        part = self.inners[:high, :wide]
        part = part if isinstance(part, np.ndarray) else part.toarray()
        more = ["..."] if wide < len(self.outers) else []
        rows = [[self.secrets[x], *map(_print, part[x]), *more] for x in range(high)]
        if high < len(self.secrets):
            rows.append(["..."] * len(rows[0]))
        return [Table("", ["", *map(_print, self.outers[:wide]), *more], rows)]


def posteriors(prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None) -> Posteriors:
    """p(x given y) for every observable of positive probability; the others are dropped and listed.

    >>> posteriors([1, 1], [[1, 0], [0.5, 0.5]]).matrix
    array([[0.66666667, 0.        ],
           [0.33333333, 1.        ]])
    """
    joint = as_joint(prior, channel)
    matrix, outputs = joint.matrix(), joint.channel.outputs
    p_y = sums_of(matrix)
    if p_y.min() > 0:
        return Posteriors(divide_columns(matrix, p_y), p_y, outputs, ())
    seen = p_y > 0
    kept = Labels.of(outputs.at(np.flatnonzero(seen)), 0)
    dropped = tuple(outputs.at(np.flatnonzero(~seen)))
    return Posteriors(divide_columns(matrix[:, seen], p_y[seen]), p_y[seen], kept, dropped)


def hyper(prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None) -> Hyper:
    """The distinct posteriors (inners) and their probabilities (outers); Fractions if the prior and the channel are
    exact.

    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> print(hyper([1, 1], Channel([[1, 0, 0], [half, half / 2, half / 2]])))
       3/4  1/4
    0  2/3  0
    1  1/3  1
    """
    joint = as_joint(prior, channel)
    matrix, exact = joint.matrix(), joint.channel.exact
    if exact is not None and joint.prior.exact:
        p = np.array([Fraction(w, joint.prior.total) for w in joint.prior.weights.tolist()], dtype=object)
        matrix = p[:, None] * exact
    merged = merge_columns(matrix, group_columns(matrix))
    outers = np.asarray(merged.sum(axis=0))
    return Hyper(outers, divide_columns(merged, outers), joint.secrets)


def reduced(channel: Channel | Any) -> Channel:
    """The equivalent channel without redundant columns: proportional columns are merged under the label of the first,
    and columns of zeros are dropped. It leaks the same for every prior and gain.

    >>> reduced([[0.5, 0.25, 0.25, 0], [0, 0.5, 0.5, 0]]).toarray()
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    given = as_channel(channel)
    matrix = given.matrix if given.exact is None else given.exact
    of = group_columns(matrix)
    first = np.unique(of, return_index=True)[1]
    outputs = given.outputs.at(first[of[first] >= 0])
    return Channel(merge_columns(matrix, of), inputs=given.inputs, outputs=outputs, tolerance=given.tolerance)


def group_columns(matrix: Any) -> Groups:
    """The group of each column, numbered by first appearance; -1 for a column of zeros.

    Columns of Fractions are compared exactly, floats within 1e-12 relative. The matrix is dense or csc. Only columns
    that are neighbours along a random projection are compared: O(nm + m log m).
    """
    if matrix.dtype == object:
        return _group_exactly(matrix)
    n, m = matrix.shape
    projected = _direction(n) @ matrix
    totals = sums_of(matrix)
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
    """The dense or sparse matrix with each column divided by its total."""
    if isinstance(matrix, np.ndarray):
        return matrix / totals
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


def _print(value: Any) -> str:
    return str(value) if isinstance(value, Fraction) else f"{value:.4g}"
