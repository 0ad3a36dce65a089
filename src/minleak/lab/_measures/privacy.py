"""d-privacy: how much likelier an observable is under one secret than under another, by the distance of the two."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel, as_channel
from minleak.core._columns import Source
from minleak.core._joint import as_source
from minleak.core._matrices import DENSE, too_large
from minleak.core._prior import Prior, as_prior
from minleak.errors import InvalidParameter
from minleak.lab._measures.metrics import distances_between
from minleak.lab._together import Together


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
