"""The paper's formulas for every entropy, literally, in as many digits as it takes; logarithms are natural.

Nothing here knows how the library computes. An argument Y is a list of pairs (p(y), positive entries of p(x given y)),
made by `observed`; a prior is the Y of a single observable.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import mpmath
from mpmath import mp, mpf

Posteriors = list[tuple[mpf, list[mpf]]]


def observed(weights: Sequence[float], channel: Sequence[Sequence[float]]) -> Posteriors:
    """The probability of each observable and its posterior, from floats taken as the exact numbers they are."""
    joint = [[mpf(w) * mpf(c) for c in row] for w, row in zip(weights, channel, strict=True)]
    total = mpmath.fsum(v for row in joint for v in row)
    columns = [[v for v in column if v > 0] for column in zip(*joint, strict=True)]
    sums = [mpmath.fsum(column) for column in columns]
    return [(s / total, [v / s for v in column]) for s, column in zip(sums, columns, strict=True) if s > 0]


def mean(values) -> mpf:
    return mpmath.fsum(p * value for p, value in values)


def powers(q: list[mpf], a: float) -> mpf:
    """The norm |q|_a to the power a."""
    return mpmath.fsum(x ** mpf(a) for x in q)


def renyi(q: list[mpf], a: float) -> mpf:
    if a == 1:
        return -mpmath.fsum(x * mp.log(x) for x in q)
    if a == math.inf:
        return -mp.log(max(q))
    return mp.log(powers(q, a)) / (1 - mpf(a))


def shannon(Y: Posteriors) -> mpf:
    return mean((p, renyi(q, 1)) for p, q in Y)


def min_entropy(Y: Posteriors) -> mpf:
    return -mp.log(mean((p, max(q)) for p, q in Y))


def guess_error(Y: Posteriors, l: int) -> mpf:
    return mean((p, mpmath.fsum(sorted(q, reverse=True)[l:])) for p, q in Y)


def guesswork(Y: Posteriors) -> mpf:
    return mean((p, mpmath.fsum(i * x for i, x in enumerate(sorted(q, reverse=True), start=1))) for p, q in Y)


def arimoto(Y: Posteriors, a: float) -> mpf:
    if a == 0:
        return mp.log(max(len(q) for _, q in Y))
    if a == 1:
        return shannon(Y)
    if a == math.inf:
        return min_entropy(Y)
    return mpf(a) / (1 - mpf(a)) * mp.log(mean((p, powers(q, a) ** (1 / mpf(a))) for p, q in Y))


def hayashi(Y: Posteriors, a: float) -> mpf:
    if a == 1:
        return shannon(Y)
    if a == math.inf:
        return -mp.log(max(max(q) for _, q in Y))
    return mp.log(mean((p, powers(q, a)) for p, q in Y)) / (1 - mpf(a))


def fehr_berens(Y: Posteriors, a: float) -> mpf:
    if a == 1:
        return -mp.log(mean((p, mp.exp(-renyi(q, 1))) for p, q in Y))
    if a == math.inf:
        return min_entropy(Y)
    return -mp.log(mean((p, powers(q, a) ** (1 / (mpf(a) - 1))) for p, q in Y))


def sharma_mittal(Y: Posteriors, a: float, b: float) -> mpf:
    """Where a or b is 1 or a infinite, the limit: (exp((1-b) R) - 1)/(1-b) with R the Hayashi form."""
    if b == 1:
        return hayashi(Y, a)
    if a in (1, math.inf):
        return (1 - mp.exp((1 - mpf(b)) * hayashi(Y, a))) / (mpf(b) - 1)
    z = mean((p, powers(q, a)) for p, q in Y)
    return (1 - z ** ((1 - mpf(b)) / (1 - mpf(a)))) / (mpf(b) - 1)


def tsallis(Y: Posteriors, q: float) -> mpf:
    if q == 1:
        return shannon(Y)
    return (1 - mean((p, powers(posterior, q)) for p, posterior in Y)) / (mpf(q) - 1)


def cachin(Y: Posteriors, a: float) -> mpf:
    return mean((p, renyi(q, a)) for p, q in Y)


def jizba_arimitsu(Y: Posteriors, a: float) -> mpf:
    return renyi([p * x for p, q in Y for x in q], a) - renyi([p for p, _ in Y], a)


def renner_wolf(Y: Posteriors, a: float) -> mpf:
    """1/(1-a) times a maximum; at a = 1 the larger of the two one-sided limits."""
    entropies = [renyi(q, a) for _, q in Y]
    return max(entropies) if a <= 1 else min(entropies)
