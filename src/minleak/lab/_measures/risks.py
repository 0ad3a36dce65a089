"""Risk: what an attacker loses, where vulnerability is what they gain."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel
from minleak.core._entropy.gain import gain_matrix
from minleak.core._joint import Joint, as_joint
from minleak.core._leakage import posterior_vulnerability, vulnerability
from minleak.core._prior import Prior, as_prior
from minleak.errors import InvalidParameter


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


def loss_gain(loss: Any) -> Array:
    """The gains that are the largest loss less each loss.

    >>> loss_gain([[0, 1], [3, 0]])
    array([[3., 2.],
           [0., 3.]])
    """
    matrix = _loss(loss)
    return np.asarray(matrix.max() - matrix)


def _loss(loss: Any) -> Array:
    matrix = gain_matrix(loss)
    if not isinstance(loss, list | tuple | np.ndarray) or np.ndim(loss) != 2:
        raise InvalidParameter("losses are a matrix with guesses as rows")
    return np.diag(matrix) if matrix.ndim == 1 else matrix
