"""Gains made of others, of two attackers, of what is observed, of one guess about something else; losses as risks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak import Channel, Prior
from minleak.core._arrays import Array
from minleak.core._channel import as_channel
from minleak.core._entropy.gain import gain_matrix
from minleak.core._joint import Joint, as_joint
from minleak.core._labels import Labels
from minleak.core._leakage import posterior_vulnerability, vulnerability
from minleak.core._matrices import DENSE, too_large
from minleak.core._prior import as_prior
from minleak.core._result import Result
from minleak.errors import InvalidParameter
from minleak.lab._hyper import reduced
from minleak.lab._measures.capacities import number_values

# The most guesses or strategies that a matrix of gains is made with.
_GUESSES = 1_000_000


def gain_sum(first: Any, second: Any) -> Array:
    """Gains whose vulnerability is the sum of two: a guess for each pair of guesses, the second's in turn.

    >>> gain_sum([[1, 0], [0, 1]], [[2, 0], [0, 3]])
    array([[3., 0.],
           [1., 3.],
           [2., 1.],
           [0., 4.]])
    """
    one, other = as_matrix(first), as_matrix(second)
    if one.shape[1] != other.shape[1]:
        raise InvalidParameter(f"gains for {one.shape[1]} and for {other.shape[1]} secrets cannot be added")
    size = too_large(one.shape[0] * other.size, each=DENSE)
    if size is not None:
        raise InvalidParameter(f"a guess for each pair of guesses has {size}")
    return np.asarray((one[:, None, :] + other[None]).reshape(-1, one.shape[1]))


def posterior_gain(gain: Any, channel: Channel | Any) -> Array:
    """Gains whose prior vulnerability is the posterior one of `gain` after the channel, whatever the prior:

        V_h[p] = V_g[p, C],  h(s, x) = sum over y of C[x,y] g(s(y), x)

    with a guess for each strategy s, one of the old guesses for each observable; equal strategies are one.

    >>> halves = [[0.75, 0.25], [0.25, 0.75]]
    >>> posterior_gain([[1, 0], [0, 1]], halves)
    array([[0.  , 1.  ],
           [0.25, 0.25],
           [0.75, 0.75],
           [1.  , 0.  ]])
    """
    channel = as_channel(channel)
    matrix = as_matrix(gain, channel.inputs)
    n = channel.shape[0]
    if matrix.shape[1] != n:
        raise InvalidParameter(f"the gains are for {matrix.shape[1]} secrets, and the channel has {n}")
    found = np.zeros((1, n))
    for column in reduced(channel).toarray().T:
        if len(found) * len(matrix) > _GUESSES:
            raise InvalidParameter(
                f"{len(matrix)} guesses after {channel.shape[1]} observables make over {_GUESSES:,} strategies: "
                "use posterior_vulnerability, which needs none of them"
            )
        found = np.unique(gain_sum(found, matrix * column), axis=0)
    return found


def predicate_gain(values: Iterable[Any]) -> Array:
    """Gains of one for guessing the value that a secret has: a row for each value, in order of appearance.

    >>> predicate_gain(["old", "young", "old"])
    array([[1., 0., 1.],
           [0., 1., 0.]])
    """
    row = number_values(values)
    if not len(row):
        raise InvalidParameter("a predicate is a value for each secret, and there are none")
    gain = np.zeros((int(row.max()) + 1, len(row)))
    gain[row, np.arange(len(row))] = 1
    return gain


@dataclass(frozen=True)
class GuessingForm(Result):
    """Gains as one guess: V_g[p, C] = scale V[prior, channel @ C] + offset, whatever C, for the p they were made with.
    `scale` and `offset` are numbers.

    `prior` is on the guesses, and `channel` from guesses to secrets.
    """

    prior: Prior
    channel: Channel
    scale: float
    offset: float


def gain_to_bayes(prior: Prior | Iterable[Any], gain: Any) -> GuessingForm:
    """Any gains as those of one guess, about which guess was right: of a prior on the guesses, through a channel.

    prior(w) channel(w, x) is proportional to p_x g(w, x); a column with gains below zero is first raised to zero, which
    is the offset. An attacker who asks for g then is one who guesses w, seeing what C makes of x.

    >>> form = gain_to_bayes([1, 1], [[2, 0], [0, 1], [1, 1]])
    >>> form.prior.p.round(6), form.scale, form.channel.toarray()[0]
    (array([0.4, 0.2, 0.4]), 2.5, array([1., 0.]))
    """
    prior = as_prior(prior)
    matrix = as_matrix(gain, prior.labels)
    p = prior.p
    if matrix.shape[1] != len(p):
        raise InvalidParameter(f"the gains are for {matrix.shape[1]} secrets, and the prior has {len(p)}")
    least = np.minimum(matrix.min(axis=0), 0.0)
    joint = p * (matrix - least)
    weights = joint.sum(axis=1)
    scale = float(weights.sum())
    if not 0 < scale < np.inf:
        raise InvalidParameter("no guess earns more than another: gains that are all the same stand for no guessing")
    rows = np.where(weights[:, None] > 0, joint, p)  # a guess that never earns tells nothing
    channel = Channel(rows / rows.sum(axis=1, keepdims=True), outputs=prior.labels)
    return GuessingForm(Prior(weights), channel, scale, float(p @ least))


def as_matrix(gain: Any, secrets: Labels | None = None) -> Array:
    """Gains as a dense matrix with guesses as rows; a vector is what naming each secret earns."""
    matrix = gain_matrix(gain, secrets)
    dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return np.diag(dense) if dense.ndim == 1 else np.asarray(dense)


def risk(prior: Prior | Iterable[Any], *, loss: Any = None) -> float:
    """The attacker's least expected loss, min over w of sum over x of L[w,x] p(x); of a wrong guess, without `loss`.

    >>> risk([2, 1, 1]), risk([2, 1, 1], loss=[[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    (0.5, 0.75)
    """
    prior = as_prior(prior)
    return 1 - vulnerability(prior) if loss is None else -vulnerability(prior, gain=-_loss(loss))


def posterior_risk(prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None, *, loss: Any = None) -> float:
    """The same after observing the channel's output.

    >>> posterior_risk([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    0.25
    """
    if loss is None:
        return 1 - posterior_vulnerability(prior, channel)
    return -posterior_vulnerability(prior, channel, gain=-_loss(loss))


def risk_leakage(prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None, *, loss: Any = None) -> float:
    """The factor by which observing lowers the risk; infinite where none is left.

    >>> risk_leakage([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    2.0
    """
    joint = as_joint(prior, channel)
    before, after = risk(joint.prior, loss=loss), posterior_risk(joint, loss=loss)
    if before < 0 or after < 0:
        raise InvalidParameter("a factor makes no sense on losses below zero: add a constant to all of them")
    return before / after if after > 0 else (1.0 if before == 0 else math.inf)


def _loss(loss: Any) -> Array:
    matrix = gain_matrix(loss)
    if not isinstance(loss, list | tuple | np.ndarray) or np.ndim(loss) != 2:
        raise InvalidParameter("losses are a matrix with guesses as rows")
    return np.diag(matrix) if matrix.ndim == 1 else matrix
