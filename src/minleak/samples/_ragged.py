"""Sequences of different lengths as vectors of features, for attacks on vectors.

Features: the length; for each column sum, mean, spread, extremes, quantiles, first and last values, counts of values or
ranges of values, and counts of consecutive pairs of ranges. Columns that never fall, such as times, are replaced by
their steps. Ranges are those of all sequences together; no feature looks at secrets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices
from minleak.errors import InvalidParameter

# Ranges of values, ranges of values in pairs, first values, and quantiles.
_RANGES, _PAIRED, _FIRST, _QUANTILES = 24, 8, 8, (0.1, 0.25, 0.5, 0.75, 0.9)
# The most numbers in all sequences.
_MOST = 100_000_000


@dataclass(frozen=True, eq=False)
class Sequences:
    """Sequence s is the rows from starts[s] to starts[s+1] of `values`."""

    starts: Indices
    values: Array

    def distinct(self) -> tuple[Indices, int]:
        """The code of each sequence, and the number of distinct ones."""
        codes: dict[bytes, int] = {}
        ends = zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)
        found = [codes.setdefault(self.values[begin:end].tobytes(), len(codes)) for begin, end in ends]
        return np.array(found, dtype=np.int64), len(codes)

    def features(self) -> Array:
        """One row of features for each sequence."""
        length = np.diff(self.starts)
        columns = [_features_of_column(self.starts, column) for column in self.values.T]
        return np.concatenate([length[:, None].astype(np.float64), *columns], axis=1)


def as_sequences(observables: Any) -> Sequences | None:
    """Sequences of different lengths, each of numbers or of rows of numbers; None if the input is not that."""
    is_list = isinstance(observables, list | tuple) or (
        isinstance(observables, np.ndarray) and observables.dtype == object
    )
    if (
        not is_list
        or not len(observables)
        or not all(isinstance(one, list | tuple | np.ndarray) for one in observables)
    ):
        return None
    deep = isinstance(observables[0], np.ndarray) and observables[0].ndim == 2
    if not deep and len({len(one) for one in observables}) < 2:
        return None
    rows = [_as_rows(one, i) for i, one in enumerate(observables)]
    widths = {row.shape[1] for row in rows if len(row)}
    if len(widths) != 1:
        raise InvalidParameter("observables are sequences of numbers, or of rows of equally many numbers in each")
    width = widths.pop()
    starts = np.append(0, np.cumsum([len(row) for row in rows])).astype(np.int64)
    if starts[-1] * width > _MOST:
        raise InvalidParameter(f"the sequences have more than {_MOST:,} numbers: take a sample of them")
    return Sequences(starts, np.concatenate([row for row in rows if len(row)]))


def _as_rows(sequence: Any, i: int) -> Array:
    try:
        array = np.asarray(sequence, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(f"the sequence of event {i} is not of numbers, or of rows of equally many") from None
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or not (np.abs(array) < 1e150).all():  # NaN fails
        raise InvalidParameter(f"the sequence of event {i} is not of finite numbers, or of rows of them")
    return array


def _features_of_column(starts: Indices, values: Array) -> Array:
    length = np.diff(starts)
    of = np.repeat(np.arange(len(length)), length)
    first = np.zeros(len(values), dtype=bool)
    first[starts[:-1][length > 0]] = True
    steps = np.where(first, values, np.diff(values, prepend=0.0))
    if bool((steps >= 0).all()) and bool((steps[~first] != values[~first]).any()):
        values = steps  # a column that never falls: use its steps
    n, some = len(length), np.maximum(length, 1)
    total = np.bincount(of, weights=values, minlength=n)
    mean = total / some
    spread = np.sqrt(np.bincount(of, weights=(values - mean[of]) ** 2, minlength=n) / some)
    ordered = values[np.lexsort((values, of))]
    at = [np.minimum(starts[:-1] + (q * (some - 1)).astype(np.int64), len(values) - 1) for q in (0.0, *_QUANTILES, 1.0)]
    quantiles = [np.where(length > 0, ordered[place], 0.0) for place in at]
    ends = [
        np.where(length > abs(k), values[np.clip(base + k, 0, len(values) - 1)], 0.0)
        for base, k in [*((starts[:-1], k) for k in range(_FIRST)), (starts[1:], -1)]
    ]
    counts = _histogram(of, _ranges(values, _RANGES), n, _RANGES)
    coarse = _ranges(values, _PAIRED)
    after = ~first[1:]
    pairs = _histogram(of[1:][after], coarse[:-1][after] * _PAIRED + coarse[1:][after], n, _PAIRED**2)
    plain = np.stack([total, mean, spread, *quantiles, *ends], axis=1)
    return np.concatenate([plain, counts, counts / some[:, None], pairs / some[:, None]], axis=1)


def _ranges(values: Array, most: int) -> Indices:
    """The range of each value: the value itself if there are few, else a quantile range."""
    distinct = np.unique(values)
    if len(distinct) > most:
        distinct = np.unique(np.quantile(values, np.arange(most) / most, method="lower"))
    return np.searchsorted(distinct, values, side="right").astype(np.int64) - 1


def _histogram(of: Indices, code: Indices, n: int, most: int) -> Array:
    table: npt.NDArray[np.int64] = np.bincount(of * most + code, minlength=n * most)
    return table.reshape(n, most).astype(np.float64)
