"""alpha-leakages: what an attacker gains who is judged by a loss of order alpha, at a prior and at the worst of all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._capacity import Capacity, capacity
from minleak.core._channel import Channel, as_channel
from minleak.core._entropy.base import log_base, order
from minleak.core._entropy.families import Arimoto
from minleak.core._joint import Joint
from minleak.core._leakage import leakage
from minleak.core._parameters import real
from minleak.core._prior import Prior
from minleak.core._threads import one_thread
from minleak.errors import InvalidParameter
from minleak.lab._measures.divergences import renyi_nats

# Multiplicative steps towards the worst prior, and how close to it they are to come, in nats.
_STEPS, _GAP = 20_000, 1e-10


def alpha_leakage(
    prior: Joint | Prior | Iterable[Any], channel: Channel | Any, alpha: float, *, base: float = 2
) -> float:
    """What an attacker gains by observing who is judged by the alpha-loss of the secret itself; alpha from 1 on.

    It is Arimoto's information of order alpha (Liao, Kosut, Sankar, Calmon, Theorem 1), H(X) - H(X|Y) in
    `Arimoto(alpha)`: mutual information at 1, min-entropy leakage at infinity. In bits unless `base` says otherwise.

    >>> round(alpha_leakage([2, 1, 1], [[1, 0], [0, 1], [0, 1]], math.inf), 9)
    0.584962501
    """
    return leakage(prior, channel, Arimoto(_from_one(alpha, "alpha"), base=base))


def maximal_alpha_leakage(channel: Channel | Any, alpha: float, *, base: float = 2) -> Capacity:
    """The most that an attacker gains of order alpha about *any* function of the secret, over all priors; alpha > 1.

    It is the capacity in `Arimoto(alpha)`, that is the largest Sibson information of order alpha (same paper, Theorem
    2), and `maximal_leakage` at infinity. At alpha = 1 that paper's measure is the mutual information at the prior:
    `sibson(prior, channel, 1)`.

    >>> round(maximal_alpha_leakage([[0.9, 0.1], [0.1, 0.9]], 2).value, 9)
    0.713695815
    """
    a = _from_one(alpha, "alpha")
    if a == 1:
        raise InvalidParameter("maximal alpha-leakage of order 1 is mutual information: sibson(prior, channel, 1)")
    return capacity(channel, Arimoto(a, base=base))


@one_thread()
def maximal_alpha_beta_leakage(channel: Channel | Any, alpha: float, beta: float, *, base: float = 2) -> float:
    """Maximal (alpha, beta)-leakage of Gilani, Kurri, Kosut and Sankar; alpha > 1, beta >= 1, infinity included:

        max over x' and r of  a/((a-1) b) log sum over y of C[x',y]^(1-b) (sum over x of r_x C[x,y]^a)^(b/a).

    It joins what is known by other names: beta = 1 is maximal alpha-leakage, and with alpha = inf maximal leakage;
    alpha = beta is local Renyi privacy, both infinite local differential privacy. From beta = alpha on the worst r is
    one secret, so that it is a Renyi divergence of two rows. Below, the sum is concave in r, and multiplicative steps
    come within 1e-10 nats of the largest, by a bound that holds at each of them.

    >>> C = [[0.75, 0.25], [0.25, 0.75]]
    >>> round(maximal_alpha_beta_leakage(C, math.inf, math.inf, base=math.e), 9)
    1.098612289
    """
    a, b = _from_one(alpha, "alpha"), _from_one(beta, "beta")
    if a == 1:
        raise InvalidParameter("alpha is above 1 (beta is from 1 on)")
    unit, C = log_base(base), as_channel(channel).toarray()
    if b == 1:
        return capacity(channel, Arimoto(a, base=base), gap=_GAP / unit).value
    if b >= a:
        factor = (b - 1) / b * a / (a - 1) if b < math.inf else (a / (a - 1) if a < math.inf else 1.0)
        return factor * _farthest(C, b) / unit
    return max(_worst_prior(C, x, a, b) for x in range(len(C))) / unit


def local_renyi_epsilon(channel: Channel | Any, alpha: float) -> float:
    """Local Renyi privacy: the largest D_a(C[x,.] || C[x',.]) of two secrets, in nats as privacy counts. At infinity it
    is `local_dp_epsilon`. O(n^2 m).

    >>> round(local_renyi_epsilon([[0.75, 0.25], [0.25, 0.75]], 2), 9)
    0.84729786
    """
    return _farthest(as_channel(channel).toarray(), order(alpha, "the order alpha"))


def _from_one(value: float, what: str) -> float:
    return real(value, f"{what} is a number from 1 on, inf included", least=1)


def _farthest(C: Array, a: float) -> float:
    return max(float(renyi_nats(C, np.broadcast_to(row, C.shape), a).max()) for row in C)


def _worst_prior(C: Array, x: int, a: float, b: float) -> float:
    """The largest of the sum for one x', 1 < b < a, in nats."""
    if (C[:, C[x] == 0] > 0).any():
        return math.inf  # an observable that x' never causes
    C = C[:, C[x] > 0]
    top = C.max(axis=0)
    logs = (1 - b) * np.log(C[x]) + b * np.log(top)
    peak = float(logs.max())
    powers, weights = (C / top) ** a, np.exp(logs - peak)
    if a == math.inf:
        return (peak + math.log(float(weights.sum()))) / b
    low = high = 0.0
    for low, high in _bounds(powers, weights, b / a):
        if high - low <= _GAP * (a - 1) * b / a:
            break
    return a / ((a - 1) * b) * (peak + low)


def _bounds(powers: Array, weights: Array, s: float) -> Iterator[tuple[float, float]]:
    """Bounds of log max over r of F(r) = sum over y of c_y (r A)_y^s, 0 < s < 1: F is concave and its gradient g has
    r g = s F, so that it is nowhere above F + max g - s F.
    """
    r = np.full(len(powers), 1 / len(powers))
    for _ in range(_STEPS):
        t = r @ powers
        value = float(weights @ t**s)
        ratio = powers @ (weights * t ** (s - 1)) / value
        yield math.log(value), math.log(value) + math.log1p(s * (float(ratio.max()) - 1))
        r = r * ratio
        r /= r.sum()
