"""Entropies of a few numbers in Python's own floats: numpy takes longer to be called than to add up so few.

The formulas are those of `means`, digit for digit where digits would be lost; a test compares the two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul

from minleak.core._columns import FewColumns
from minleak.core._entropy.forms import RenyiMean

_NEAR_ONE, _LINEAR, _LEAST, _OVERFLOW = 1.25, 1e-17, 1e-308, 700.0

# Conditional entropies from here on, of columns of sum one in all, have their digits whatever way they are added up.
_CANCELS = 0.1


def renyi_mean(form: RenyiMean, columns: FewColumns) -> float:
    """H(X|Y) of the form, from the columns of a joint."""
    a, c = form.order, form.exponent
    if a == 1 and c == 0:
        return form.outer(shannon(columns))
    if a == math.inf and c == -1:
        return form.outer(min_entropy(columns))
    masses = [sum(v) for v in columns]
    nats = [_renyi(v, s, a) for v, s in zip(columns, masses, strict=True) if s > 0]
    return form.outer(_exponential_mean([s for s in masses if s > 0], nats, c))


def shannon(columns: FewColumns) -> float:
    """The sum of v_i log(s/v_i) over all columns of sums s, in nats."""
    entries, shares = columns.shares
    nats = -sum(map(mul, entries, map(math.log, shares)))
    return nats if nats >= _CANCELS else sum([_shannon(v, sum(v)) for v in columns], 0.0)


def min_entropy(columns: FewColumns) -> float:
    """-log of the sum of the columns' largest entries, in nats: exactly equal where guesses are equally good."""
    tops = math.fsum(map(max, columns))
    nats = math.log(columns.mass / tops)
    return nats if nats >= _CANCELS else math.log1p(sum(map(rest, columns)) / tops)


def guess_error(l: int, columns: FewColumns) -> float:
    """What the l largest entries of each column leave."""
    if l == 1:
        return sum(map(rest, columns), 0.0)
    return sum([sum(sorted(v)[: max(len(v) - l, 0)]) for v in columns], 0.0)


def guesswork(columns: FewColumns) -> float:
    """The sum of i v_[i] over all columns: what is left before each guess, added up."""
    total = 0.0
    for v in columns:
        left = 0.0
        for x in sorted(v):
            left += x
            total += left
    return total


def rest(v: Sequence[float]) -> float:
    """The sum without the largest entry; nothing cancels."""
    ascending = sorted(v)
    ascending.pop()
    return sum(ascending, 0.0)


def _shannon(v: Sequence[float], s: float) -> float:
    """sum of v_i log(s/v_i), to all digits also where one entry is most of the column."""
    log, total, half = math.log, 0.0, 0.5 * s
    for x in v:
        if x > half:
            total += x * math.log1p(rest(v) / x)
        elif x > 0:
            total -= x * log(x / s or _LEAST)
    return total


def _renyi(v: Sequence[float], s: float, a: float) -> float:
    """The Renyi entropy of v/s of order a, in nats."""
    if a == 1:
        return _shannon(v, s) / s
    if a == 0:
        return math.log(sum(x > 0 for x in v))
    if a <= _NEAR_ONE:
        half, excess = 0.5 * s, 0.0
        for x in v:
            if x > 0:
                log = -math.log1p(rest(v) / x) if x > half else math.log(max(x / s, _LEAST))
                excess -= x * _deform(log, a - 1)
        return _restore(excess / s, 1 - a)
    ascending = sorted(v)
    top = ascending.pop()
    odds = math.log1p(sum(ascending) / top)
    if a == math.inf:
        return odds
    return (a * odds - math.log1p(sum([(x / top) ** a for x in ascending]))) / (a - 1)


def _exponential_mean(masses: Sequence[float], nats: Sequence[float], c: float) -> float:
    """(1/c) log of the mean of exp(c h); see `means.exponential_mean`."""
    if math.isinf(c):
        return max(nats) if c > 0 else min(nats)
    total = sum(masses)
    if c == 0:
        return sum([s * h for s, h in zip(masses, nats, strict=True)]) / total
    largest = max([c * h for h in nats])
    if largest < _OVERFLOW:
        excess = sum([s * _deform(h, c) for s, h in zip(masses, nats, strict=True)]) / total
        if c * excess > -0.5:
            return _restore(excess, c)
    mean = sum([s * math.exp(c * h - largest) for s, h in zip(masses, nats, strict=True)]) / total
    return (largest + math.log(mean)) / c


def _deform(x: float, c: float) -> float:
    z = c * x
    return x if abs(z) < _LINEAR else math.expm1(z) / c


def _restore(y: float, c: float) -> float:
    z = c * y
    return y if abs(z) < _LINEAR else math.log1p(z) / c
