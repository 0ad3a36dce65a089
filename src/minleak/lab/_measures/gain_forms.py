"""Gains by name and gains made of others: of two attackers, of what is observed, of one guess about something else."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel, as_channel
from minleak.core._entropy.gain import gain_matrix
from minleak.core._joint import as_joint
from minleak.core._labels import Labels
from minleak.core._matrices import DENSE, too_large
from minleak.core._parameters import whole
from minleak.core._prior import Prior, as_prior
from minleak.core._result import Result
from minleak.core._simulating import TRIALS
from minleak.errors import InvalidParameter
from minleak.lab._hyper import reduced
from minleak.lab._measures.row_distances import number_values

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


def tries_gain(n: int, tries: int) -> Array:
    """Gains of one for having the secret among `tries` guesses: a row for each set of them, C(n, tries) in all.

    `GuessError(tries)` computes the same without the matrix.

    >>> tries_gain(3, 2)
    array([[1., 1., 0.],
           [1., 0., 1.],
           [0., 1., 1.]])
    """
    n, tries = whole(n, "n", 1), whole(tries, "tries", 1, TRIALS)
    if tries > n or math.comb(n, tries) > _GUESSES:
        raise InvalidParameter(f"{tries} guesses among {n} secrets make no matrix of at most {_GUESSES:,} rows")
    gain = np.zeros((math.comb(n, tries), n))
    for row, chosen in enumerate(combinations(range(n), tries)):
        gain[row, list(chosen)] = 1
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


def property_channel(
    prior: Prior | Iterable[Any], channel: Channel | Any, values: Iterable[Any]
) -> tuple[Prior, Channel]:
    """What the channel tells about a property of the secret: the prior on its values and the channel from these.

    `values` has the value of each secret, in their order or by label; `Joint.of` gives the same as a joint. Its
    one-guess vulnerability is V_g of `predicate_gain(values)`.

    >>> ages, told = property_channel([2, 1, 1], [[1, 0], [0, 1], [0.5, 0.5]], ["old", "young", "old"])
    >>> ages.p, told.toarray().round(6)[0]
    (array([0.75, 0.25]), array([0.833333, 0.166667]))
    """
    told = as_joint(prior, channel).of(values)
    return told.prior, told.channel


def as_matrix(gain: Any, secrets: Labels | None = None) -> Array:
    """Gains as a dense matrix with guesses as rows; a vector is what naming each secret earns."""
    matrix = gain_matrix(gain, secrets)
    dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return np.diag(dense) if dense.ndim == 1 else np.asarray(dense)
