"""d-privacy: how much likelier an observable is under one secret than under another, by the distance of the two.

Metrics come as a matrix or a callable, and are checked where they come in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from minleak import Channel, Prior
from minleak.core._arrays import Array
from minleak.core._channel import as_channel
from minleak.core._columns import Source
from minleak.core._joint import as_source
from minleak.core._labels import Labels
from minleak.core._matching import columns_by_label, values_by_label
from minleak.core._matrices import DENSE, is_sparse, too_large
from minleak.core._parameters import is_number
from minleak.core._prior import as_prior
from minleak.errors import InvalidParameter, quote
from minleak.lab._together import Together


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


def d_privacy(channel: Channel | Any, metric: Any) -> float:
    """The least epsilon with C[x,y] <= exp(epsilon d(x,x')) C[x',y] for all x, x', y; in nats.

    Parameters
    ----------
    channel
        A channel, or several `Together`, whose epsilons for a pair of secrets add up.
    metric
        d as a matrix, or as a callable of two secrets: their labels, which are positions where nobody named them.
        Distances of infinity ask for nothing; a distance of zero asks for equal rows.

    With d = 1 between all secrets it is `local_dp_epsilon`; with the distance of places, geo-indistinguishability.
    O(n^2 m).

    >>> round(d_privacy([[0.75, 0.25], [0.25, 0.75]], lambda x, y: 2 * abs(x - y)), 6)
    0.549306
    """
    channel = as_source(channel)
    distances = distances_between(metric, channel.inputs, channel.inputs)  # need not be symmetric
    return _most(_log_ratios(channel), distances)


def prior_epsilon(prior: Prior | Iterable[Any], metric: Any) -> float:
    """The least epsilon with p_x <= exp(epsilon d(x,x')) p_x' for all x, x': how far a prior is from telling nothing.

    After an observable of a channel that is epsilon'-private in d, the posterior has at most epsilon + epsilon'.

    >>> round(prior_epsilon([4, 2, 1], lambda x, y: abs(x - y)), 6)
    0.693147
    """
    prior = as_prior(prior)
    distances = distances_between(metric, prior.labels, prior.labels)
    with np.errstate(divide="ignore"):
        return _most(_one_way(np.log(prior.p)[:, None]), distances)


def induced_metric(channel: Channel | Any) -> Array:
    """How far the channel lets two secrets be told apart: D[x,x'] = max over y of |log C[x,y]/C[x',y]|, in nats.

    The channel is d-private for a metric d exactly where D <= d. B is then never worse than A, whatever the metric
    (privacy-based refinement), if `d_privacy(B, induced_metric(A))` is at most 1. O(n^2 m).

    >>> induced_metric([[0.5, 0.5], [0.25, 0.75]]).round(6)
    array([[0.      , 0.693147],
           [0.693147, 0.      ]])
    """
    one_way = _log_ratios(as_source(channel))
    return np.maximum(one_way, one_way.T)


def _log_ratios(channel: Source) -> Array:
    """max over y of log C[x,y]/C[x',y]; of channels together, the sum."""
    if isinstance(channel, Together):
        return np.asarray(sum(_log_ratios(part) for part in channel.parts))
    matrix = as_channel(channel)
    n = matrix.shape[0]
    size = too_large(n * n, each=DENSE)
    if size is not None:
        raise InvalidParameter(f"the distances of so many secrets have {size}")
    with np.errstate(divide="ignore"):
        return _one_way(np.log(matrix.toarray()))


def _one_way(logs: Array) -> Array:
    """max over y of logs[x,y] - logs[x',y], from 0 on."""
    n = len(logs)
    found = np.zeros((n, n))
    whole = bool(np.isfinite(logs).all())
    with np.errstate(invalid="ignore"):
        for x in range(n):
            ratio = logs[x] - logs
            if not whole:  # where neither secret can cause it, an observable says nothing
                ratio[np.isnan(ratio)] = -math.inf
            ratio.max(axis=1, out=found[x])
    return np.maximum(found, 0.0, out=found)


def _most(needed: Array, distances: Array) -> float:
    """The largest of these for a unit of distance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(needed <= 0, 0.0, needed / distances)
    return float(ratios.max(initial=0.0, where=distances < math.inf))
