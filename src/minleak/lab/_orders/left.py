"""The stochastic L with L A = B: whether every row of B is a mean of rows of A, and with which weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel, as_channel
from minleak.core._labels import match
from minleak.core._matrices import check_tolerance
from minleak.errors import InvalidChannel
from minleak.lab._orders.find import factorise


def left_factor(first: Channel | Any, second: Channel | Any, *, tolerance: float = 1e-8) -> Channel | None:
    """The channel L with L A = B, A the first and B the second, or None where there is none: whether B's secrets act as
    mixtures of A's. None too where the two have different numbers of observables.

    Exact where both channels are, else every entry is met within the tolerance. One small programme for each row: rows
    of A and B have sum one, and so have then rows of L >= 0 by themselves.

    >>> left_factor([[1, 0], [0.5, 0.5]], [[0.75, 0.25]]).toarray()
    array([[0.5, 0.5]])
    """
    A, B, limit = as_channel(first), as_channel(second), check_tolerance(tolerance)
    if A.shape[1] != B.shape[1]:
        return None
    rule = "a left factor is between channels with the same observables: "
    match(A.outputs, B.outputs, ("the first", "column"), ("the second", "column"), InvalidChannel, rule=rule)
    if A.exact is not None and B.exact is not None:
        rows = [_exact_weights(A.exact, b, limit) for b in B.exact]
    else:
        rows = [_weights(A.toarray(), b, limit) for b in B.toarray()]
    if any(row is None for row in rows):
        return None
    return Channel(np.array(rows), inputs=B.inputs, outputs=A.inputs)


def _weights(A: Array, b: Array, tolerance: float) -> Array | None:
    """The weights of the mean that is nearest to b, if it is within the tolerance."""
    from scipy.optimize import nnls

    found = nnls(A.T, b, maxiter=100 * len(A))[0]
    total = found.sum()
    if not total > 0:
        return None
    weights = found / total
    return np.asarray(weights) if np.abs(weights @ A - b).max() <= tolerance else None


def _exact_weights(A: Any, b: Any, tolerance: float) -> Any:
    """The weights as the first column of a stochastic R with A' R = [b, rest], the rest being what all rows leave."""
    rest = A.sum(axis=0) - b
    if min(rest) < 0:
        return None
    found = factorise(A.T, np.stack([b, rest], axis=1), tolerance=tolerance).R
    return None if found is None else found[:, 0]
