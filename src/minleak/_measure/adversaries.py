"""Adversaries: how often an attacker who knows all, knows nothing, or believes wrongly names the secret."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._data.channel import Channel, as_channel
from minleak._data.columns import Columns
from minleak._data.prior import Prior, as_prior
from minleak._entropy.gain import gain_matrix, under_gain
from minleak._entropy.guessing import GuessError


class Adversary(ABC):
    """An attacker who sees the observable and names a secret."""

    @abstractmethod
    def success(self, prior: Prior | Iterable[Any], channel: Channel | Any) -> float:
        """The probability that he is right, secrets drawn from the prior."""


class OptimalAdversary(Adversary):
    """Knows the prior and the channel, and names the most likely secrets, `tries` of them.

    >>> OptimalAdversary().success([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    0.75
    """

    def __init__(self, *, tries: int = 1) -> None:
        self._error = GuessError(tries)

    def success(self, prior: Prior | Iterable[Any], channel: Channel | Any) -> float:
        return 1.0 - self._error.conditional(prior, channel)


class UniformAdversary(Adversary):
    """Knows neither, and guesses uniformly among the secrets that can cause what he sees: the mean of 1/|pre-image|.

    >>> UniformAdversary().success([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    0.75
    """

    def success(self, prior: Prior | Iterable[Any], channel: Channel | Any) -> float:
        channel = as_channel(channel)
        p_y, sizes = channel.output(prior), channel.preimage_sizes
        seen = sizes > 0
        return float((p_y[seen] / sizes[seen]).sum())


class MismatchedAdversary(Adversary):
    """Knows the channel but believes the prior q: guesses the x that maximises q(x) C[x,y], is paid under the truth.

    Secrets that look equally likely to him, within 1e-12 relative, are chosen among uniformly. Where he thinks an
    observable impossible, he guesses among all its pre-image.

    >>> MismatchedAdversary([1, 1, 1]).success([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    0.75
    """

    def __init__(self, belief: Prior | Iterable[Any]) -> None:
        self.belief = as_prior(belief)

    def success(self, prior: Prior | Iterable[Any], channel: Channel | Any) -> float:
        channel = as_channel(channel)
        believed, true, possible = channel.columns(self.belief), channel.columns(prior), Columns(channel.matrix)
        paid = 0.0
        for expected, actual, given in zip(believed.blocks(), true.blocks(), possible.blocks(), strict=True):
            e, a = expected(), actual()
            chosen = (e >= e.max(axis=0) * (1 - 1e-12)) & (given() > 0)
            paid += float(((chosen * a).sum(axis=0) / np.maximum(chosen.sum(axis=0), 1)).sum())
        return paid


def best_guesses(prior: Prior | Iterable[Any], channel: Channel | Any, *, gain: Any = None) -> Indices:
    """For each observable the position of the optimal guess: the most likely secret, or the row w of G that gains
    most. Ties go to the first; an observable that cannot occur gets -1.

    >>> best_guesses([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    array([0, 1])
    """
    channel = as_channel(channel)
    columns = channel.columns(prior)
    if gain is not None:
        columns = under_gain(gain_matrix(gain), columns)
    if isinstance(columns.matrix, np.ndarray):
        best, worth = np.concatenate(columns.map(_first_largest), axis=1)
    else:
        best, worth = _sparse_argmax(columns)
    # Without gains, what can occur is worth something.
    best[(worth if gain is None else channel.output(prior)) == 0] = -1
    return np.asarray(best, dtype=np.int64)


def _first_largest(v: Array) -> Array:
    """The first row of each column's largest entry, and the entry. (numpy's own argmax takes four times as long.)"""
    top = v.max(axis=0)
    rows, columns = np.divmod(np.flatnonzero(v == top), v.shape[1])
    best = np.zeros(v.shape[1])
    best[columns[::-1]] = rows[::-1]
    return np.array([best, top])


def _sparse_argmax(columns: Columns) -> tuple[Indices, Array]:
    """The same where missing entries are zeros. (scipy's own loops over columns.)"""
    matrix: Any = columns.matrix
    n, m = matrix.shape
    data = matrix.data if columns.scale is None else matrix.data * columns.scale[matrix.indices]
    sizes = np.diff(matrix.indptr)
    column = np.repeat(np.arange(m), sizes)
    top = np.where(sizes < n, 0.0, -np.inf)
    np.maximum.at(top, column, data)
    best = np.full(m, n, dtype=np.int64)
    largest = data == top[column]
    np.minimum.at(best, column[largest], matrix.indices[largest])
    # Where zero is the best, a missing row may come first: the one after the rows 0, 1, ... that are stored.
    rank = np.arange(len(data)) - np.repeat(matrix.indptr[:-1], sizes)
    missing = sizes.astype(np.int64)
    gap = matrix.indices != rank
    np.minimum.at(missing, column[gap], rank[gap])
    return np.where(top == 0, np.minimum(best, missing), best), top
