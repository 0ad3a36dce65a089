"""Metrics: how far apart secrets are, from a matrix or a callable, checked where it comes in."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.matrices import is_number, is_sparse, too_large
from minleak.errors import InvalidParameter, shown

Array = npt.NDArray[np.float64]
Metric = Callable[[int, int], float]


def distances_between(metric: Any, n: int, m: int | None = None) -> Array:
    """The n x n distances: a matrix of them, or a callable of two positions; infinite ones say that nothing is asked.

    With `m` they are from n secrets to m observables, and need not be symmetric.

    >>> distances_between(lambda x, y: abs(x - y), 3)[0]
    array([0., 1., 2.])
    """
    shape = (n, n if m is None else m)
    size = too_large(math.prod(shape), each=16)
    if size is not None:
        raise InvalidParameter(f"a metric on so many secrets has {size}")
    matrix = _called(metric, shape) if callable(metric) else _given(metric)
    if matrix.shape != shape:
        what = "square" if m is None else "a matrix"
        raise InvalidParameter(f"the metric has shape {matrix.shape}: it is {what}, {shape[0]} x {shape[1]}")
    if not matrix.min() >= 0:  # NaN fails
        x, y = np.argwhere(~(matrix >= 0))[0]
        raise InvalidParameter(f"the distance from {x} to {y} is {matrix[x, y]}: distances are from 0 on")
    if m is None:
        _check_symmetric(matrix)
    return matrix


def _called(metric: Metric, shape: tuple[int, int]) -> Array:
    rows = []
    for x in range(shape[0]):
        row = []
        for y in range(shape[1]):
            try:
                distance = metric(x, y)
                value = float(distance) if is_number(distance) or isinstance(distance, np.generic) else None
            except Exception as error:
                raise InvalidParameter(
                    f"the metric raised {type(error).__name__} for the positions {x} and {y}: it takes two of them"
                ) from None
            if value is None:
                raise InvalidParameter(f"the metric of {x} and {y} is {shown(distance)}: a number is expected")
            row.append(value)
        rows.append(row)
    return np.array(rows, dtype=np.float64).reshape(shape)


def _given(metric: Any) -> Array:
    try:
        matrix = np.array(metric.toarray() if is_sparse(metric) else metric, dtype=np.float64)
    except Exception:
        matrix = np.zeros(0)
    if matrix.ndim != 2:
        raise InvalidParameter(
            f"a metric is a matrix of distances or a callable of two positions, not {type(metric).__name__}"
        )
    return matrix


def _check_symmetric(matrix: Array) -> None:
    if matrix.diagonal().any():
        x = int(np.argmax(matrix.diagonal() != 0))
        raise InvalidParameter(f"the distance from {x} to itself is {matrix[x, x]}: in a metric it is 0")
    unequal = matrix != matrix.T
    if unequal.any():
        with np.errstate(invalid="ignore"):
            unequal = ~(np.abs(matrix - matrix.T) <= 1e-12 * matrix) & unequal
    if unequal.any():
        x, y = np.argwhere(unequal)[0]
        raise InvalidParameter(
            f"the distance from {x} to {y} is {matrix[x, y]:g}, and back it is {matrix[y, x]:g}: a metric is symmetric"
        )


def shortest_paths(distances: Array) -> Array:
    """The distances along the shortest ways: what follows from d by the triangle inequality."""
    from scipy.sparse.csgraph import shortest_path

    best: Array = shortest_path(np.where(distances > 0, distances, 1e-300), method="FW")
    # The library takes zeros for pairs that are not connected, so these stand as the least number there is.
    return np.asarray(np.where(best < 1e-290, 0.0, best))
