"""rounded: from probabilities to whole numbers, as near as can be, nothing possible made impossible."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minleak.core._channel import Channel, as_channel
from minleak.core._joint import Joint
from minleak.core._matrices import as_csr
from minleak.core._plan.rings import LIMIT
from minleak.core._plan.rows import Rows
from minleak.core._prior import Prior
from minleak.errors import InvalidParameter

# Rows of floats sum to this, so that a probability is off by at most its inverse.
TOTAL = 1 << 60


def rounded(channel: Channel | Any, prior: Prior | Iterable[Any] | None = None) -> Rows:
    """A channel in whole numbers, to be drawn from exactly, saved and certified.

    Rows of floats are rounded to multiples of 2^-60, by largest remainders, and a positive entry stays positive: what
    differs is at most m 2^-60 in total variation for m observables, and `Rows.distance` says how much it is. Rows of
    Fractions stay as they are where their common denominator is below 2^62. The prior is kept with them, for
    certificates; all secrets are taken to be equally likely if it is not given.

    >>> channel = [[0.5, 0.5], [0.25, 0.75]]
    >>> rows = rounded(channel)
    >>> rows.distance(channel), (rows.weights / rows.totals[0]).tolist()
    (0.0, [0.5, 0.5, 0.25, 0.75])
    """
    channel = as_channel(channel)
    n = channel.shape[0]
    known = Prior(np.ones(n, dtype=np.int64), labels=channel.inputs) if prior is None else prior
    known = Joint(known, channel).prior
    starts, columns, weights = [0], [], []
    sparse = as_csr(channel.matrix)
    sparse.sort_indices()
    for x in range(n):
        shown = sparse.indices[sparse.indptr[x] : sparse.indptr[x + 1]]
        exact = None if channel.exact is None else _whole(channel.exact[x][shown])
        numbers = _nearest(sparse.data[sparse.indptr[x] : sparse.indptr[x + 1]]) if exact is None else exact
        columns.append(shown.astype(np.int64))
        weights.append(numbers)
        starts.append(starts[-1] + len(shown))
    return Rows(
        known,
        channel.outputs,
        np.array(starts, dtype=np.int64),
        np.concatenate(columns),
        np.concatenate(weights),
    )


def _whole(entries: Any) -> Any:
    """Fractions that sum to one over their common denominator, or None where that is too large."""
    common = math.lcm(*(entry.denominator for entry in entries))
    if common > LIMIT or sum(entries) != 1:
        return None
    return np.array([entry.numerator * (common // entry.denominator) for entry in entries], dtype=np.int64)


def _nearest(p: Any) -> Any:
    """Whole numbers that sum to TOTAL, as near to p as can be.

    p times a power of two is exact, and so are its whole and its broken part.
    """
    scaled = p * float(TOTAL)
    below = np.floor(scaled)
    broken = scaled - below
    numbers = np.maximum(below.astype(np.int64), 1)
    added = (numbers - below.astype(np.int64)).astype(np.float64)
    left = TOTAL - int(numbers.sum())
    most = len(p) + int(float(TOTAL) * 1e-6)
    if abs(left) > most:
        raise InvalidParameter("a row does not sum to one: a channel that tolerates so much cannot be drawn from")
    change = np.zeros(len(p), dtype=np.int64)
    if left >= 0:
        each, rest = divmod(left, len(p))
        change += each
        change[np.argsort(-(broken - added), kind="stable")[:rest]] += 1
    else:  # taken from the largest, which has the most to give
        change[int(np.argmax(numbers))] = left
    return numbers + change
