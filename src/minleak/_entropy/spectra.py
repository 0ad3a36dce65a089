"""H(X) from a spectrum: the distinct probabilities, largest first, and how many secrets have each.

Counts repeat, so that the spectrum of millions of secrets is often some thousand values long. Each function here is the
sum over secrets that the entropy's own module takes over columns, with equal terms taken together.
"""

from __future__ import annotations

import math

import numpy as np

from minleak._data.arrays import Array
from minleak._entropy.deformed import deformed, restored

# Up to this order sum q^a is formed as 1 + sum q expm1((a-1) log q), which is exact at a = 1; above it relative
# to the largest entry, which cannot underflow.
NEAR_ONE = 1.25


def beyond(values: Array, times: Array, l: int) -> float:
    """The sum of all probabilities but the l largest, without subtracting them from one."""
    left = np.clip(np.cumsum(times) - l, 0.0, times)  # of each value, how many come after the l-th place
    return float(left @ values)


def renyi_of_spectrum(values: Array, times: Array, alpha: float) -> float:
    """The Renyi entropy of order alpha in [0, inf], in nats."""
    if alpha == 0:
        return math.log(times[values > 0].sum())
    top, rest = float(values[0]), beyond(values, times, 1)
    odds = math.log1p(rest / top)  # -log of the largest probability
    if alpha == math.inf:
        return odds
    if alpha <= NEAR_ONE:
        values, times = values[values > 0], times[values > 0]
        logs = np.log(values)
        logs[0] = -odds
        return float(restored(0.0 - (times * values) @ deformed(logs, alpha - 1), 1 - alpha))
    others = times.copy()
    others[0] -= 1
    with np.errstate(under="ignore"):
        powers = float(others @ (values / top) ** alpha)
    return alpha / (alpha - 1) * odds - math.log1p(powers) / (alpha - 1)


def guesswork_of_spectrum(values: Array, times: Array) -> float:
    """The expected number of guesses: c secrets of equal probability after b others stand on average at b + (c+1)/2."""
    before = np.cumsum(times) - times
    return float((times * values) @ (before + (times + 1) / 2))
