"""Leakage where it is small beside the entropy: as a divergence of posteriors from the prior, not as a difference.

With p the prior, q_y the observables' probabilities and d[x,y] = C[x,y]/q_y - 1 it is a sum of terms of second order in
d (of first order for guesses), none negative, so that as many digits are left however little leaks. What is linear in d
adds up to nothing over all y and is left out, not computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._data.columns import BLOCK
from minleak._data.joint import Joint
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.deformed import deform, restore
from minleak._entropy.forms import AllGuesses, BestGuesses, RenyiMean, arimoto_exponent
from minleak._entropy.renyi import Hayashi

# A difference of entropies that is at least this share of the first has enough digits.
SMALL = 1e-3
# Below this (times the order) the terms are summed as a power series; above, what cancels leaves 14 digits.
_NEAR, _TERMS = 0.1, 17
# At orders closer to 1 than this, other than 1, the exponent of Fehr and Berens' form leaves too few digits.
_CLOSE = 0.1


def small_leakage(H: ConditionalEntropy, joint: Joint) -> float | None:
    """H(X) - H(X|Y) with a relative error of some 1e-13 (1e-11 at high orders); None where there is no such form here.

    There is for guess error, guesswork and means of Renyi entropies (Shannon, min-entropy, Arimoto, Hayashi, Fehr and
    Berens, Sharma and Mittal, Tsallis) of an order a > 0 that is finite, or infinite with one guess.
    """
    match H.form:
        case BestGuesses(l):
            return rise(joint, l)
        case AllGuesses():
            return _fewer_guesses(joint)
        case RenyiMean() as mean:
            nats = _small_nats(mean.order, mean.exponent, joint)
            if nats is None or mean.degree == 0:
                return None if nats is None else nats / mean.unit
            # (exp(d R) - 1)/d at R and at R - nats
            before = mean.degree * Hayashi(mean.order, base=math.e)(joint.prior)
            return None if before > 700 else -math.exp(before) * float(deform(-nats, mean.degree)) / mean.unit
    return None


def _small_nats(a: float, c: float, joint: Joint) -> float | None:
    """By how much the mean of Renyi entropies falls, in nats."""
    if a == math.inf and c == -1:
        return math.log1p(rise(joint, 1) / float(joint.p.max()))
    if not 0 < a < math.inf or (c == -1 and 0 < abs(a - 1) < _CLOSE):
        return None
    return max(float(restore(_mean_divergence(joint, a, c), -c)), 0.0)


def _mean_divergence(joint: Joint, a: float, c: float) -> float:
    """M with H(X) - H(X|Y) = -log(1 - c M)/c in nats, (a, c) as in `RenyiMean`.

    M = sum over y of q_y (sum over x of r_x f_a(d) - w f_k(e)), f_a(d) = ((1+d)^a - 1 - a d)/(a-1), r = p^a/sum p^a,
    e = sum over x of r_x ((1+d)^a - 1), k = c/(1-a) and w = (c-1+a)/(c (1-a)), which is 1 for Arimoto and 0 for
    Hayashi. At a = 1 with c = -1 what varies is H itself, and its exponential is taken.
    """

    def of(p: Array, C: Array) -> float:
        q, d = _relative(p, C)
        if a == 1:
            r = p
        else:
            logs = a * np.log(p)
            r = np.exp(logs - logs.max())
        r = r / r.sum()
        rises = r @ beyond_linear(d, a)
        if a == 1 and c != 0:
            change = (p * np.log(p)) @ d + rises  # H(X) - H(X given y)
            return float(q @ (_exponential(-c * change) / -c + rises))
        if a == 1 or c == 1 - a:
            return float(q @ rises)
        k, w = (1 / a, 1.0) if c == arimoto_exponent(a) else (c / (1 - a), (c - 1 + a) / (c * (1 - a)))
        return float(q @ (rises - w * beyond_linear(a * (r @ d) + (a - 1) * rises, k)))

    return _total(joint, of)


def rise(joint: Joint, l: int) -> float:
    """By how much the chance that one of l guesses is right rises: what the best exchanges of the prior's l likeliest
    secrets for others gain, the likeliest others for the least likely of them, observable by observable.
    """

    def of(p: Array, C: Array) -> float:
        if l >= len(p):
            return 0.0
        order = np.argsort(-p, kind="stable")
        kept, others = order[:l], order[l:]
        J = p[:, None] * C
        pairs = min(l, len(others))
        out, into = _least(J, kept, pairs), _least(-J, others, pairs)
        columns = np.arange(C.shape[1])
        c = C[out, columns]
        gained = (p[into] - p[out]) * c + p[into] * (C[into, columns] - c)
        return float(np.maximum(gained, 0.0).sum())

    return _total(joint, of)


def _least(key: Array, rows: Indices, count: int) -> Indices:
    """For each column so many of these rows, the least key first."""
    part = key[rows]
    at = part.argmin(axis=0)[None] if count == 1 else np.argsort(part, axis=0, kind="stable")[:count]
    return np.asarray(rows[at])


def _fewer_guesses(joint: Joint) -> float:
    """The mean of (rank before - rank after); p is summed by its distinct values, whose ranks add up to the same."""

    def of(p: Array, C: Array) -> float:
        order = np.argsort(-p, kind="stable")
        p, C = p[order], C[order]
        q = p @ C
        after = np.empty(C.shape, dtype=np.int64)
        ranks = np.arange(len(p))[:, None]
        np.put_along_axis(after, np.argsort(-(p[:, None] * C), axis=0, kind="stable"), ranks, axis=0)
        earlier = ranks - after
        distinct = np.flatnonzero(np.diff(p, prepend=math.inf))
        levels = p[distinct] @ np.add.reduceat(earlier, distinct, axis=0)
        return float(q @ levels + (p[:, None] * (C - q) * earlier).sum())

    return _total(joint, of)


# -- sums over blocks of columns --------------------------------------------------------------------------------------


def _total(joint: Joint, of: Callable[[Array, Array], float]) -> float:
    return math.fsum(of(p, block) for p, block in dense_blocks(joint))


def dense_blocks(joint: Joint) -> Iterator[tuple[Array, Array]]:
    """The prior of the possible secrets, with their rows of the channel, some columns at a time."""
    possible = np.flatnonzero(joint.p > 0)
    for block in _blocks(joint.channel.matrix, possible, len(joint.p)):
        yield joint.p[possible], block


def _blocks(matrix: Any, rows: Indices, n: int) -> Iterator[Array]:
    """Dense blocks of the columns, without secrets that cannot occur and columns that cannot either."""
    width = max(1, BLOCK // n)
    for start in range(0, matrix.shape[1], width):
        part = matrix[:, start : start + width]
        part = part if isinstance(part, np.ndarray) else part.toarray()
        part = part if len(rows) == n else part[rows]
        seen = part.any(axis=0) if part.min() == 0 else None
        if seen is None or seen.any():
            yield part if seen is None or seen.all() else part[:, seen]


def _relative(p: Array, C: Array) -> tuple[Array, Array]:
    """q and d = C/q - 1, by how rows differ from the likeliest secret's: of rows that are close that is not rounded."""
    first = C[int(p.argmax())]
    d = C - first
    mean = (p @ d) / p.sum()
    q = first + mean
    return q, (d - mean) / q


def beyond_linear(d: Array, a: float) -> Array:
    """((1+d)^a - 1 - a d)/(a - 1), and (1+d) log(1+d) - d at a = 1; not negative, for a > 0."""
    near = _NEAR / max(1.0, abs(a))
    small = np.abs(d) < near
    z = np.where(small, d, 0.0)
    series = _sum_series(z, lambda i: (a - i + 1) / i) * (a / 2)
    if small.all():
        return series
    far = np.where(small, 0.0, d)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        direct = np.where(far > -1, (1 + far) * deform(np.log1p(far), a - 1) - far, 1.0)
    return np.where(small, series, direct)


def _exponential(z: Array) -> Array:
    """exp(z) - 1 - z, with its digits at 0."""
    small = np.abs(z) < _NEAR
    return np.where(small, _sum_series(np.where(small, z, 0.0), lambda i: 1 / i) / 2, np.expm1(z) - z)


def _sum_series(z: Array, ratio: Callable[[int], float]) -> Array:
    """z^2 (1 + ratio(3) z (1 + ratio(4) z (1 + ...)))."""
    series = np.ones_like(z)
    for i in range(_TERMS, 2, -1):
        series *= z
        series *= ratio(i)
        series += 1
    series *= z
    series *= z
    return series
