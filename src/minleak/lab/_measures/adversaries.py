"""Adversaries: how often an attacker who sees the observable and names a secret is right: who knows all, knows nothing,
or believes wrongly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from minleak import Channel, GuessError, Prior
from minleak.core._arrays import Indices
from minleak.core._columns import Block
from minleak.core._entropy.gain import gain_matrix, under_gain
from minleak.core._frames import axes
from minleak.core._joint import Joint, as_joint
from minleak.core._prior import as_prior, match_prior


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
        p = joint.p

        def paid(block: Block) -> float:
            possible = np.maximum((block.entries > 0).sum(axis=0), 1)
            return float(((p[block.rows] * block.entries).sum(axis=0) / possible).sum())

        return sum(joint.source.columns(None).map_placed(paid))


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
        q, p = match_prior(self._given, joint.source.inputs).p, joint.p

        def paid(block: Block) -> float:
            expected = q[block.rows] * block.entries
            chosen = (expected >= expected.max(axis=0, initial=0.0) * (1 - 1e-12)) & (block.entries > 0)
            earned = (chosen * p[block.rows] * block.entries).sum(axis=0)
            return float((earned / np.maximum(chosen.sum(axis=0), 1)).sum())

        return sum(joint.source.columns(None).map_placed(paid))


def best_guesses(prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None, *, gain: Any = None) -> Indices:
    """For each observable the position of the optimal guess: the most likely secret, or the row w of G that gains
    most. Ties go to the first; an observable that cannot occur gets -1.

    >>> best_guesses([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    array([0, 1])
    """
    joint = as_joint(prior, channel)
    columns = joint.columns()
    best, worth = (columns if gain is None else under_gain(gain_matrix(gain, joint.secrets), columns)).largest()
    # Without gains, what can occur is worth something.
    best[(worth if gain is None else joint.output()) == 0] = -1
    return best
