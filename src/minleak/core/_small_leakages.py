"""Leakage where it is small beside the entropy: as a divergence of posteriors from the prior, not as a difference.

It is a sum of terms none of which is negative, so that as many digits are left however little leaks: of second order in
how much the rows differ for means of Renyi entropies (`order_leakages`), of first order for guesses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._columns import BLOCK
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.families import Hayashi
from minleak.core._entropy.forms import AllGuesses, BestGuesses, RenyiMean, arimoto_exponent, exponential_mean
from minleak.core._joint import Joint
from minleak.core._order_leakages import Tilt, order_leakage, relative

# A difference of entropies that is at least this share of the first has enough digits.
SMALL = 1e-3
# exp of more than this is no float.
_OVERFLOW = 709.0


def small_leakage(H: ConditionalEntropy, joint: Joint) -> float | None:
    """H(X) - H(X|Y) with the digits that `leakage` states; None where there is no such form here.

    There is for guess error, guesswork and means of Renyi entropies of every order that never grow by observing
    (Shannon, min-entropy, Arimoto, Hayashi, Fehr and Berens, Sharma and Mittal, Tsallis).
    """
    match H.form:
        case BestGuesses(l):
            return rise(joint, l)
        case AllGuesses():
            return _fewer_guesses(joint)
        case RenyiMean() as mean:
            nats = _small_nats(mean, joint)
            return None if nats is None else _in_unit(mean, nats, joint)
    return None


def _in_unit(mean: RenyiMean, nats: float, joint: Joint) -> float:
    """What the outer function, (exp(d R) - 1)/d in units, falls by when R falls by so many nats from H(X)."""
    d = mean.degree
    if d == 0 or nats == 0:
        return nats / mean.unit
    before = Hayashi(mean.order, base=math.e)(joint.prior)
    fallen = min(nats, before)
    # The difference of exp(d before) and exp(d (before - fallen)), by the larger of them.
    log = max(d * before, d * (before - fallen)) + math.log(-math.expm1(-abs(d) * fallen) / abs(d))
    return math.exp(log) / mean.unit if log < _OVERFLOW else math.inf


def _small_nats(mean: RenyiMean, joint: Joint) -> float | None:
    """By how much the mean of Renyi entropies falls, in nats."""
    a, c = mean.order, mean.exponent
    if a == math.inf and c == -1:
        return math.log1p(rise(joint, 1) / float(joint.p.max()))
    if a == math.inf:
        return _surest(joint) if c == -math.inf else None
    if not c <= arimoto_exponent(a):  # such a mean may grow by observing
        return None
    if a == 0:
        return _fewer_possible(joint, c)
    return order_leakage(Tilt.of(joint.p[joint.p > 0], a), lambda: dense_blocks(joint), c)


def _surest(joint: Joint) -> float:
    """log of max over x, y of p(x given y) / max p."""

    def of(p: Array, C: Array) -> float:
        _, d = relative(p, C)
        return float((p[:, None] - p.max() + p[:, None] * d).max())

    return math.log1p(max(0.0, *(of(p, C) for p, C in dense_blocks(joint))) / float(joint.p.max()))


def _fewer_possible(joint: Joint, c: float) -> float:
    """The mean of order 0: by the share of secrets that an observable rules out."""
    parts = [(p @ C, (C == 0).mean(axis=0)) for p, C in dense_blocks(joint)]
    q, missing = (np.concatenate(part) for part in zip(*parts, strict=True))
    return exponential_mean(q, -np.log1p(-missing), -c)


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
