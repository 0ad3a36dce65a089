"""Additive capacity: by how much a channel can raise a vulnerability at most, over all gains of spread one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from minleak.core._arrays import Array
from minleak.core._capacity import Capacity, uniform_prior
from minleak.core._channel import Channel, as_channel
from minleak.core._matrices import DENSE, too_large
from minleak.core._prior import Prior, as_prior, match_prior
from minleak.errors import InvalidParameter, quote
from minleak.lab._measures.row_distances import cityblock

_STEPS = 2000
_GAP = 1e-9


def additive_capacity(
    channel: Channel | Any,
    *,
    prior: Prior | Iterable[Any] | None = None,
    spanning: Literal["gains", "vulnerabilities"] = "gains",
) -> Capacity:
    """The largest additive leakage V_g(X|Y) - V_g(X) over all gains g of spread one, and all priors if none is given.

    spanning="vulnerabilities": over the g with 0 <= V_g <= 1. It is 1 - sum over y of min over x of C[x,y], x over
    the secrets that are possible, whatever else the prior: attained by V(p) = max over x of 1 - p_x/prior_x. Exact.

    spanning="gains": over the g whose gains of one guess differ by at most one. It is the mean over y of the total
    variation between posterior and prior, sum over x of p(x) TV(C[x,.], p C); exact for a prior. Over all priors it
    lies below the maximum of sum over x, x' of p(x) p(x') TV(C[x,.], C[x',.]), which is concave: that bounds it from
    above and a search from there bounds it from below. They meet for two secrets and for deterministic channels, and
    the status is "bounds" where they do not.

    >>> noisy = [[0.75, 0.25], [0.25, 0.75]]
    >>> additive_capacity(noisy).value, additive_capacity(noisy, spanning="vulnerabilities").value
    (0.25, 0.5)
    """
    channel = as_channel(channel)
    given = None if prior is None else match_prior(prior, channel.inputs)
    if not isinstance(spanning, str) or spanning not in ("gains", "vulnerabilities"):
        raise InvalidParameter(f"spanning is 'gains' or 'vulnerabilities', not {quote(spanning)}")
    if spanning == "vulnerabilities":
        return _of_vulnerabilities(channel, given)
    if given is None:
        return _over_priors(channel)
    return Capacity.exact(_mean_variation(channel.matrix, given.p), given)


def _of_vulnerabilities(channel: Channel, prior: Prior | None) -> Capacity:
    matrix = channel.matrix
    if prior is not None and not prior.p.all():
        matrix = matrix[np.flatnonzero(prior.p > 0)]
    total = float(matrix.min(axis=0).sum())
    return Capacity.exact(max(0.0, 1 - total), uniform_prior(channel) if prior is None else prior)


def _mean_variation(matrix: Any, p: Array) -> float:
    """Half the sum over x, y of p(x) |C[x,y] - p(y)|."""
    p_y = np.asarray(matrix.T @ p)
    if isinstance(matrix, np.ndarray):
        return 0.5 * float(p @ cityblock(matrix, p_y[None, :])[:, 0])
    columns = np.repeat(np.arange(len(p_y)), np.diff(matrix.indptr))
    q = p_y[columns]  # an entry that is zero differs by p(y), which adds up to one but for the others
    return 0.5 * (1 + float(p[matrix.indices] @ (np.abs(matrix.data - q) - q)))


def _over_priors(channel: Channel) -> Capacity:
    size = too_large(channel.shape[0] ** 2, each=DENSE)
    if size is not None:
        raise InvalidParameter(f"the distances of so many rows have {size}")
    T = 0.5 * cityblock(channel.toarray(), channel.toarray())
    p, upper, steps = _most_spread(T)
    n = len(T)
    pair = np.zeros(n)
    pair[list(np.unravel_index(int(T.argmax()), T.shape))] = 0.5
    if n == 1:
        pair = np.ones(1)
    C = channel.toarray()
    best = max((_climb(C, start) for start in (p, pair, np.full(n, 1 / n))), key=lambda r: _mean_variation(C, r))
    lower = min(_mean_variation(C, best), upper)
    status = "certified" if upper - lower <= _GAP else "bounds"
    return Capacity(lower, lower, upper, Prior(best, labels=channel.inputs), status, steps)


def _most_spread(T: Array) -> tuple[Array, float, int]:
    """p with the largest p T p, and a bound that none passes: towards the farthest point, or away from the nearest.

    T is a distance of L1 type, for which p T p is concave on distributions, so that max over x of 2 (T p)_x - p T p
    is such a bound at every p.
    """
    n = len(T)
    p = np.full(n, 1 / n)
    upper, steps = 1.0, 0
    while steps < _STEPS:
        steps += 1
        g = T @ p
        value = float(p @ g)
        upper = min(upper, 2 * float(g.max()) - value)
        if upper - value <= 0.1 * _GAP:
            break
        to, off = int(g.argmax()), int(np.where(p > 0, g, np.inf).argmin())
        curve = 2 * T[to, off]  # moving t from one to the other adds 2 t (g_to - g_off) - t^2 curve
        step = min(p[off], (g[to] - g[off]) / curve if curve > 0 else p[off])
        p[to] += step
        p[off] -= step
    return p, upper, steps


def _climb(C: Array, p: Array) -> Array:
    """A prior that is no worse, by steps towards the secret along which the mean variation grows most."""
    value = _mean_variation(C, p)
    for _ in range(100):
        sign = np.sign(C - p @ C)
        slope = 0.5 * ((sign * (C - p @ C)).sum(axis=1) - C @ (p @ sign))
        to = np.zeros(len(p))
        to[int(slope.argmax())] = 1
        trials = [(1 - t) * p + t * to for t in (0.5, 0.2, 0.1, 0.03, 0.01, 0.003, 0.001)]
        values = [_mean_variation(C, trial) for trial in trials]
        if max(values) <= value + 1e-15:
            break
        value, p = max(values), trials[int(np.argmax(values))]
    return as_prior(p).p
