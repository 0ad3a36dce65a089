"""The worst observable instead of the mean: max-case leakage, and maximal leakage observable by observable."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak import Channel, Prior
from minleak.core._arrays import Array
from minleak.core._columns import tops_of
from minleak.core._entropy.base import log_base
from minleak.core._entropy.gain import gain_matrix, under_gain
from minleak.core._joint import Joint, as_joint
from minleak.core._labels import Labels
from minleak.core._leakage import as_factor, local_dp_epsilon, vulnerability
from minleak.core._parameters import real
from minleak.core._result import Result


def max_case_vulnerability(
    prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None, *, gain: Any = None
) -> float:
    """The attacker's expected gain after the observable that is best for them: max over y of V_g(p(. given y)).

    >>> max_case_vulnerability([1, 1], [[0.9, 0.1], [0.5, 0.5]])
    0.8333333333333334
    """
    joint = as_joint(prior, channel)
    gained = joint.blocks() if gain is None else under_gain(gain_matrix(gain, joint.secrets), joint.blocks())
    p_y, best = joint.output(), np.concatenate([tops_of(block) for block in gained])
    return float((best[p_y > 0] / p_y[p_y > 0]).max())


def max_case_leakage(
    prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None, *, gain: Any = None, base: float = 2
) -> float:
    """The logarithm of the factor by which the best observable raises the (g-)vulnerability, in bits.

    >>> max_case_leakage([1, 1], [[1, 0], [0.5, 0.5]])
    1.0
    """
    joint = as_joint(prior, channel)
    before, after = vulnerability(joint.prior, gain=gain), max_case_vulnerability(joint, gain=gain)
    factor = as_factor(before, after)
    return math.log(factor) / log_base(base) if factor > 0 else -math.inf


def max_case_capacity(channel: Channel | Any, *, prior: Prior | Iterable[Any] | None = None, base: float = 2) -> float:
    """The largest max-case leakage over all gains that are not negative, and over all priors if none is given.

    For a prior it is the largest pointwise maximal leakage, log max over x, y of C[x,y]/p(y). Over all priors p(y)
    comes as close to the least C[x,y] as one likes: it is the epsilon of local differential privacy, in another unit.

    >>> round(max_case_capacity([[0.75, 0.25], [0.25, 0.75]]), 6)
    1.584963
    """
    if prior is None:
        return local_dp_epsilon(channel) / log_base(base)
    return pointwise_maximal_leakage(prior, channel, base=base).largest


@dataclass(frozen=True)
class PointwiseLeakage(Result):
    """What each of the `outputs` that can occur leaks at most, `values`, and how likely it is, `probabilities`.

    `maximal` is log of the mean of their exponentials, the channel's maximal leakage under the prior's support.
    """

    values: Array
    probabilities: Array
    outputs: Labels
    maximal: float

    reported = ("largest", "mean")

    @property
    def largest(self) -> float:
        """The largest of all: the max-case capacity at this prior."""
        return float(self.values.max())

    @property
    def mean(self) -> float:
        """The mean over what is observed."""
        return float(self.probabilities @ self.values)

    def quantile(self, share: float) -> float:
        """The least value that is not passed with probability `share`: quantile(0.95) is passed 5% of the time.

        >>> pointwise_maximal_leakage([1, 1], [[1, 0], [0.5, 0.5]]).quantile(1)
        1.0
        """
        share = real(share, "the share of a quantile is a number from 0 to 1", least=0, most=1)
        order = np.argsort(self.values, kind="stable")
        reached = np.cumsum(self.probabilities[order])
        at = int(np.searchsorted(reached, share * (1 - 1e-12)))
        return float(self.values[order][min(at, len(order) - 1)])


def pointwise_maximal_leakage(
    prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None, *, base: float = 2
) -> PointwiseLeakage:
    """For each observable y that can occur, log of max over possible x of C[x,y]/p(y) = p(x given y)/p(x).

    It is the largest factor by which seeing y raises any vulnerability with gains that are not negative (Saeidian,
    Cervia, Oechtering, Skoglund 2023), in bits.

    >>> pointwise_maximal_leakage([1, 1], [[1, 0], [0.5, 0.5]]).values.round(6)
    array([0.415037, 1.      ])
    """
    joint = as_joint(prior, channel)
    channel, p, p_y = joint.channel, joint.p, joint.output()
    possible = channel.matrix[np.flatnonzero(p > 0)]
    top = possible.max(axis=0)
    top = np.asarray(top if isinstance(top, np.ndarray) else top.toarray()).ravel()
    seen = np.flatnonzero(p_y > 0)
    outputs = channel.outputs if len(seen) == len(p_y) else Labels.of(channel.outputs.at(seen), 0)
    values = np.maximum(np.log(top[seen]) - np.log(p_y[seen]), 0) / log_base(base)
    return PointwiseLeakage(values, p_y[seen], outputs, max(0.0, math.log(float(top[seen].sum()))) / log_base(base))
