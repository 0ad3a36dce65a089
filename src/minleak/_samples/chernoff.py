"""Chernoff information: how fast mistakes between two rows of a channel die out as looks go on."""

from __future__ import annotations

import math

import numpy as np

from minleak._data.arrays import Array

# Entries of a table of pairs of rows that is handled at a time.
_CHUNK = 4_000_000
# The exponent is looked for in [0,1] to this precision of its place.
_STEPS = 40


def chernoff(rows: Array) -> float:
    """The least Chernoff information of two rows, in nats; infinite where there is only one, or where all are disjoint.

    At s = 1/2 it is Bhattacharyya's distance B, and the maximum over s is between B and 2 B, since the function is
    concave: only pairs whose B is at most twice the least can have the least.
    """
    n = len(rows)
    if n < 2:
        return math.inf
    roots = np.sqrt(rows)
    with np.errstate(divide="ignore"):
        distance = -np.log(np.minimum(1.0, roots @ roots.T))
    i, j = np.triu_indices(n, 1)
    half = distance[i, j]
    least = float(half.min())
    if math.isinf(least):
        return math.inf
    near = np.flatnonzero(half <= 2 * least)
    order = near[np.argsort(half[near], kind="stable")]
    best = math.inf
    width = max(1, _CHUNK // rows.shape[1])
    for begin in range(0, len(order), width):
        some = order[begin : begin + width]
        if half[some[0]] >= best:
            break
        best = min(best, float(_information(rows[i[some]], rows[j[some]]).min()))
    return best


def _information(a: Array, b: Array) -> Array:
    """max over s in [0,1] of -ln sum a^s b^(1-s), row by row, by golden section: the function is concave."""
    with np.errstate(divide="ignore"):
        log_a, log_b = np.log(a), np.log(b)
    both = (a > 0) & (b > 0)
    log_a, log_b = np.where(both, log_a, 0.0), np.where(both, log_b, 0.0)

    def value(s: Array) -> Array:
        mixed = np.where(both, np.exp(s[:, None] * log_a + (1 - s[:, None]) * log_b), 0.0)
        return np.asarray(-np.log(mixed.sum(axis=1)))

    golden = (math.sqrt(5) - 1) / 2
    low, high = np.zeros(len(a)), np.ones(len(a))
    for _ in range(_STEPS):
        left, right = high - golden * (high - low), low + golden * (high - low)
        better = value(left) >= value(right)
        low, high = np.where(better, low, left), np.where(better, right, high)
    return value((low + high) / 2)
