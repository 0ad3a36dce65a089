"""Adversaries: how often an attacker who sees the observable and names a secret is right: who knows all, knows nothing,
or believes wrongly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak import Channel, GuessError, Prior
from minleak.core._arrays import Array, Indices
from minleak.core._columns import Block, sums_of, tops_of
from minleak.core._entropy.gain import gain_matrix, under_gain
from minleak.core._frames import axes
from minleak.core._joint import Joint, as_joint
from minleak.core._prior import as_prior, match_prior

if TYPE_CHECKING:
    import scipy.sparse as sp


class OptimalAdversary:
    """Knows the prior and the channel, and names the most likely secrets, `tries` of them.

    >>> OptimalAdversary().success([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    0.75
    """

    def __init__(self, *, tries: int = 1) -> None:
        self._error = GuessError(tries)

    def success(self, prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None) -> float:
        """Return the probability that they are right, secrets drawn from the prior."""
        return 1.0 - self._error.conditional(prior, channel)


class UniformAdversary:
    """Knows neither, and guesses uniformly among the secrets that can cause what they see: the mean of 1/|pre-image|.

    >>> UniformAdversary().success([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    0.75
    """

    def success(self, prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None) -> float:
        """Return the probability that they are right, secrets drawn from the prior."""
        joint = as_joint(prior, channel)
        return sum(
            float((joint.p @ block / np.maximum(sums_of(block > 0), 1)).sum()) for block in joint.source.blocks()
        )


class MismatchedAdversary:
    """Knows the channel but believes the prior q: guesses the x that maximises q(x) C[x,y], is paid under the truth.

    Secrets that look equally likely to them, within 1e-12 relative, are chosen among uniformly. Where they think an
    observable impossible, they guess among all its pre-image.

    >>> MismatchedAdversary([1, 1, 1]).success([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    0.75
    """

    def __init__(self, belief: Prior | Iterable[Any]) -> None:
        self.belief = as_prior(belief)
        named = isinstance(belief, Mapping) or axes(belief)[0] is not None
        self._given: Any = belief if named else self.belief  # matched by label, where a Prior must be in order

    def success(self, prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None) -> float:
        """Return the probability that they are right, secrets drawn from the prior."""
        joint = as_joint(prior, channel)
        import scipy.sparse as sp

        q, p = match_prior(self._given, joint.source.inputs).p, joint.p

        return sum(_earned(sp.csc_array(block), p, q) for block in joint.source.blocks())


def _earned(block: sp.csc_array, p: Array, q: Array) -> float:
    """What guesses by the belief q are paid under p, in these columns of the channel."""
    rows, columns, m = block.indices, np.repeat(np.arange(block.shape[1]), np.diff(block.indptr)), block.shape[1]
    expected, most = q[rows] * block.data, np.zeros(m)
    np.maximum.at(most, columns, expected)
    chosen = expected >= most[columns] * (1 - 1e-12)
    earned = np.bincount(columns, chosen * p[rows] * block.data, m)
    return float((earned / np.maximum(np.bincount(columns, chosen, m), 1)).sum())


def best_guesses(prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None, *, gain: Any = None) -> Indices:
    """For each observable the position of the optimal guess: the most likely secret, or the row w of G that gains
    most. Ties go to the first; an observable that cannot occur gets -1.

    >>> best_guesses([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    array([0, 1])
    """
    joint = as_joint(prior, channel)
    gained = joint.blocks() if gain is None else under_gain(gain_matrix(gain, joint.secrets), joint.blocks())
    best, worth = (np.concatenate(parts) for parts in zip(*map(_largest, gained), strict=True))
    # Without gains, what can occur is worth something.
    best[(worth if gain is None else joint.output()) == 0] = -1
    return best


def _largest(block: Block) -> tuple[Indices, Array]:
    """The row of each column's largest entry, the first of several, and the entry; missing entries are zeros."""
    tops = tops_of(block)
    if isinstance(block, np.ndarray):
        return block.argmax(axis=0), tops
    n, m = block.shape
    sizes = np.diff(block.indptr)
    columns, rows = np.repeat(np.arange(m), sizes), block.indices
    best = np.full(m, n)
    found = block.data == tops[columns]
    np.minimum.at(best, columns[found], rows[found])
    missing = sizes.copy()  # the first row without an entry, where the rows before it all have one
    places = np.arange(len(rows)) - block.indptr[columns]
    gaps = rows != places
    np.minimum.at(missing, columns[gaps], places[gaps])
    return np.where((tops == 0) & (missing < n), np.minimum(best, missing), best), tops
