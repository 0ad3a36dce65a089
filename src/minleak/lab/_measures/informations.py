"""Informations: what an observable tells about a secret at a given prior, by Sibson's, Csiszar's and other measures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel
from minleak.core._entropy.base import log_base, order
from minleak.core._entropy.forms import arimoto_exponent, deform, restore
from minleak.core._joint import Joint, as_joint
from minleak.core._order_leakages import Tilt, order_leakage
from minleak.core._prior import Prior, as_prior
from minleak.core._small_leakages import dense_blocks
from minleak.core._threads import one_thread
from minleak.errors import InvalidParameter, SolverFailed
from minleak.lab._measures.divergences import renyi_nats

# Steps towards the output distribution of Csiszar's information, and how close to the least it must come, in nats.
_STEPS, _GAP = 100_000, 1e-11


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
    of the mutual informations at alpha = 1; at infinity the conditional maximal leakage, max over z of
    `maximal_leakage`.

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


def conditional_maximal_leakage(weights: Prior | Iterable[Any], joints: Sequence[Joint], *, base: float = 2) -> float:
    """Maximal leakage from X to Y given side information Z that the attacker has (Issa, Wagner and Kamath): the largest
    over values z of Z of log sum over y of max over x with p(x,z) > 0 of p(y | x, z).

    `weights` and `joints` are those of `conditional_sibson`, of which it is the order infinity. How likely a value of Z
    is does not matter, as long as it is possible.

    >>> told, silent = Joint([1, 1], [[1, 0], [0, 1]]), Joint([1, 1], [[1], [1]])
    >>> conditional_maximal_leakage([1, 9], [told, silent]), conditional_maximal_leakage([0, 1], [told, silent])
    (1.0, 0.0)
    """
    return conditional_sibson(weights, joints, math.inf, base=base)


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
