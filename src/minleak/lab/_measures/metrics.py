"""Metrics: how far apart secrets are, from a matrix or a callable, checked where it comes in."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._labels import Labels
from minleak.core._matching import columns_by_label, values_by_label
from minleak.core._matrices import is_sparse, too_large
from minleak.core._parameters import is_number
from minleak.errors import InvalidParameter, quote


def distances_between(metric: Any, secrets: Labels | int, others: Labels | int | None = None) -> Array:
    """The distances of secrets: a matrix of them, or a callable of two labels; infinite ones say that nothing is asked.

    A label is what the secret is called, and where nobody named it its position. With `others` distances are from
    secrets to these, and need not be symmetric.

    >>> distances_between(lambda x, y: abs(x - y), 3)[0]
    array([0., 1., 2.])
    >>> distances_between(lambda x, y: abs(x - y), Labels.of([10, 40], 2))[0]
    array([ 0., 30.])
    """
    rows = Labels.of(None, secrets) if isinstance(secrets, int) else secrets
    columns = rows if others is None else Labels.of(None, others) if isinstance(others, int) else others
    shape = (len(rows), len(columns))
    size = too_large(math.prod(shape), each=16)
    if size is not None:
        raise InvalidParameter(f"a metric on so many secrets has {size}")
    if not callable(metric):
        metric = columns_by_label(values_by_label(metric, rows, "the metric"), columns, "the metric")
    matrix = _call(metric, list(rows), list(columns)) if callable(metric) else _as_matrix(metric)
    if matrix.shape != shape:
        what = "square" if others is None else "a matrix"
        raise InvalidParameter(f"the metric has shape {matrix.shape}: it is {what}, {shape[0]} x {shape[1]}")
    if not matrix.min() >= 0:  # NaN fails
        x, y = np.argwhere(~(matrix >= 0))[0]
        raise InvalidParameter(f"the distance from {x} to {y} is {matrix[x, y]}: distances are from 0 on")
    if others is None:
        _check_symmetric(matrix)
    return matrix


def _call(metric: Callable[[Any, Any], Any], rows: list[Any], columns: list[Any]) -> Array:
    """Messages name positions: labels may be secrets."""
    matrix = np.empty((len(rows), len(columns)))
    for x, first in enumerate(rows):
        for y, second in enumerate(columns):
            try:
                distance = metric(first, second)
            except (LookupError, TypeError, ValueError) as error:
                raise InvalidParameter(
                    f"the metric raised {type(error).__name__} for the labels at {x} and {y}: it takes two labels, or "
                    "positions where nothing is labelled"
                ) from None
            if not (is_number(distance) or isinstance(distance, np.generic)):
                raise InvalidParameter(f"the metric of {x} and {y} is {quote(distance)}: a number is expected")
            matrix[x, y] = float(distance)
    return matrix


def _as_matrix(metric: Any) -> Array:
    try:
        matrix = np.array(metric.toarray() if is_sparse(metric) else metric, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        matrix = np.zeros(0)
    if matrix.ndim != 2:
        raise InvalidParameter(
            f"a metric is a matrix of distances or a callable of two labels, not {type(metric).__name__}"
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
    """The distances along the shortest ways: what follows from d by the triangle inequality.

    >>> shortest_paths(np.array([[0.0, 0.0, 5.0], [0.0, 0.0, 1.0], [5.0, 1.0, 0.0]]))[0]
    array([0., 0., 1.])
    """
    from scipy.sparse.csgraph import csgraph_from_dense, shortest_path

    # Only what is infinite is no edge: of a dense matrix the library would leave out zeros, and what is nearly zero.
    return np.asarray(shortest_path(csgraph_from_dense(distances, null_value=np.inf), method="FW"))
