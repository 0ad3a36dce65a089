"""Informations: what an observable tells about a secret, by Sibson's, Csiszar's and other measures.

Alpha-leakages are what an attacker gains who is judged by a loss of order alpha, at a prior and at the worst of all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from minleak import Arimoto, Channel, Prior, capacity, leakage
from minleak.core._arrays import Array
from minleak.core._capacity import Capacity
from minleak.core._channel import as_channel
from minleak.core._entropy.base import log_base, order
from minleak.core._entropy.forms import arimoto_exponent, deform, restore
from minleak.core._joint import Joint, as_joint
from minleak.core._order_leakages import Tilt, order_leakage
from minleak.core._parameters import real
from minleak.core._prior import as_prior
from minleak.core._small_leakages import dense_blocks
from minleak.core._threads import one_thread
from minleak.errors import InvalidParameter, SolverFailed
from minleak.lab._measures.distances import renyi_nats

# Steps towards the output distribution of Csiszar's information, and how close to the least it must come, in nats.
_STEPS, _GAP = 100_000, 1e-11
# Multiplicative steps towards the worst prior, and how close to it they are to come, in nats.
_RISES, _NEAR = 20_000, 1e-10


def sibson(prior: Joint | Prior | Iterable[Any], channel: Channel | Any, alpha: float, *, base: float = 2) -> float:
    """Sibson's I_a(X;Y) = min over q of D_a(p C || p q) = a/(a-1) log sum over y of (sum over x of p_x C[x,y]^a)^(1/a).

    a = `alpha` from 0 on: mutual information at 1, `maximal_leakage` of the possible secrets at infinity, and
    -log max over y of P(C[X,y] > 0) at 0. It is the leakage in `Arimoto(a)` of the prior in proportion to p^(1/a), with
    as many digits as that (see `leakage`). In bits unless `base` says otherwise.

    >>> round(sibson([1, 1], [[0.9, 0.1], [0.1, 0.9]], 2), 9)
    0.713695815
    """
    joint = as_joint(prior, channel)
    return _sibson_nats(joint, order(alpha, "the order alpha")) / log_base(base)


def conditional_sibson(
    weights: Prior | Iterable[Any], joints: Sequence[Joint], alpha: float, *, base: float = 2
) -> float:
    """I_a(X;Y|Z) = min over q(y|z) of D_a(p(x,y,z) || p(x|z) q(y|z) p(z)), with side information Z that the attacker
    has: 1/(a-1) log sum over z of p(z) exp((a-1) I_a(X;Y|Z=z)).

    `weights` are those of the values of Z, and `joints` holds for each of them the prior and channel given it. The mean
    of the mutual informations at alpha = 1; at infinity the conditional maximal leakage of Issa, Wagner and Kamath, max
    over z of `maximal_leakage`.

    >>> told, silent = Joint([1, 1], [[1, 0], [0, 1]]), Joint([1, 1], [[1], [1]])
    >>> conditional_sibson([1, 1], [told, silent], 1), conditional_sibson([1, 1], [told, silent], math.inf)
    (0.5, 1.0)
    """
    p, a = as_prior(weights), order(alpha, "the order alpha")
    if len(p) != len(joints):
        raise InvalidParameter(f"{len(p)} weights for {len(joints)} joints: give one for each value of Z")
    possible = np.flatnonzero(p.p > 0)
    nats = np.array([_sibson_nats(as_joint(joints[z]), a) for z in possible.tolist()])
    if a == math.inf:
        return float(nats.max()) / log_base(base)
    share, top = p.p[possible], float(nats.max())
    if not math.isfinite(top):
        return math.inf
    mean = float(share @ deform(nats - top, a - 1))  # relative to the largest, so that no exponential is too large
    return (top + float(restore(mean, a - 1))) / log_base(base)


@one_thread()
def csiszar(prior: Joint | Prior | Iterable[Any], channel: Channel | Any, alpha: float, *, base: float = 2) -> float:
    """Csiszar's (and Augustin's) information, min over q of sum over x of p_x D_a(C[x,.] || q), a = `alpha` above 0.

    Convex in q. At any q it is at most max over y of T(y)/q(y) - 1 above the least, T being the mean of the rows tilted
    towards q: steps q (T/q)^min(1, 1/a) are made until that is 1e-11. Where they do not come so far it is refused.

    >>> round(csiszar([1, 1], [[0.9, 0.1], [0.1, 0.9]], 2), 9)
    0.713695815
    """
    joint, a = as_joint(prior, channel), order(alpha, "the order alpha", infinite=False)
    if a == 0:
        raise InvalidParameter("Csiszar's information is for orders above 0")
    if a == 1:
        return _sibson_nats(joint, a) / log_base(base)
    possible = joint.p > 0
    p, C = joint.p[possible], joint.channel.toarray()[possible]
    C = C[:, C.any(axis=0)]
    with np.errstate(divide="ignore"):
        logs = np.where(C > 0, a * np.log(C), -math.inf)
    q = p @ C
    for _ in range(_STEPS):
        tilted = logs + (1 - a) * np.log(q)
        tilted = np.exp(tilted - tilted.max(axis=1, keepdims=True))
        ratio = (p @ (tilted / tilted.sum(axis=1, keepdims=True))) / q
        if ratio.max() - 1 <= _GAP:
            return float(p @ renyi_nats(C, np.broadcast_to(q, C.shape), a)) / log_base(base)
        q = q * ratio ** min(1.0, 1 / a)
        q = np.maximum(q / q.sum(), 1e-300)
    raise SolverFailed(f"Csiszar's information of order {a:g} did not come within {_GAP} in {_STEPS:,} steps")


def maximal_correlation(prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None) -> float:
    """The largest correlation of a function of the secret with a function of the observable (Hirschfeld, Gebelein,
    Renyi), from 0 to 1: the second singular value of J[x,y]/sqrt(p(x) p(y)).

    Its square bounds chi-square informations, and no estimate of a function of X explains more of its variance.

    >>> round(maximal_correlation([1, 1], [[0.9, 0.1], [0.1, 0.9]]), 12)
    0.8
    """
    joint = as_joint(prior, channel)
    J: Array = joint.p[:, None] * joint.channel.toarray()
    J = J[joint.p > 0][:, J.any(axis=0)]
    p, q = np.sqrt(J.sum(axis=1)), np.sqrt(J.sum(axis=0))
    centred = J / p[:, None] / q - np.outer(p, q)  # without the first singular pair, which is (p, q) and 1
    return min(float(np.linalg.norm(centred, 2)), 1.0) if min(J.shape) > 1 else 0.0


def _sibson_nats(joint: Joint, a: float) -> float:
    if a == 0:
        impossible = min(float((p @ (block == 0)).min()) for p, block in dense_blocks(joint))
        return -math.log1p(-min(impossible, 1.0)) + 0.0
    if a == math.inf:
        return math.log(math.fsum(float(block.max(axis=0).sum()) for _, block in dense_blocks(joint)))
    return order_leakage(Tilt.given(joint.p[joint.p > 0], a), lambda: dense_blocks(joint), arimoto_exponent(a))


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
        return capacity(channel, Arimoto(a, base=base), gap=_NEAR / unit).value
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
        if high - low <= _NEAR * (a - 1) * b / a:
            break
    return a / ((a - 1) * b) * (peak + low)


def _bounds(powers: Array, weights: Array, s: float) -> Iterator[tuple[float, float]]:
    """Bounds of log max over r of F(r) = sum over y of c_y (r A)_y^s, 0 < s < 1: F is concave and its gradient g has
    r g = s F, so that it is nowhere above F + max g - s F.
    """
    r = np.full(len(powers), 1 / len(powers))
    for _ in range(_RISES):
        t = r @ powers
        value = float(weights @ t**s)
        ratio = powers @ (weights * t ** (s - 1)) / value
        yield math.log(value), math.log(value) + math.log1p(s * (float(ratio.max()) - 1))
        r = r * ratio
        r /= r.sum()
