"""Capacity: the worst leakage of a channel over all priors, between bounds that certify it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core import _sibson as sibson
from minleak.core._arrays import Array
from minleak.core._channel import Channel, as_channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.families import Arimoto
from minleak.core._entropy.forms import RenyiMean, arimoto_exponent
from minleak.core._entropy.names import as_entropy
from minleak.core._leakage import leakage, maximal_leakage
from minleak.core._order_leakages import CLOSE, log_moment
from minleak.core._parameters import real, whole
from minleak.core._prior import Prior
from minleak.core._result import Result
from minleak.core._sibson import OrderBounds
from minleak.errors import InvalidParameter, SolverFailed

# Sets of secrets that are tried at order 0: those of the largest weights, cut at so many of these.
_LEVELS = 50
# Capacities below this, in nats, are computed with their own digits.
_LITTLE = 1e-3
_EPSILON = 2.0**-52
# Steps close the gap to this share of what is asked for; rounding has the rest.
_CLOSED = 0.9
# Channels with more entries are not looked at set by set: 256 MB.
_DENSE = 1 << 25


@dataclass(frozen=True)
class Capacity(Result):
    """The largest leakage over all priors, `value`, found in some `iterations`: `lower` is attained by `prior`, `upper`
    is never exceeded.

    `status` is "exact" (closed form), "certified" (the gap asked for was reached), "not converged" (the bounds hold,
    but are further apart) or "bounds" (all that is known).
    """

    value: float
    lower: float
    upper: float
    prior: Prior
    status: str
    iterations: int

    reported = ("gap",)
    zero_below = 0.0

    @classmethod
    def exact(cls, value: float, prior: Prior) -> Capacity:
        """A capacity in closed form."""
        return cls(value, value, value, prior, "exact", 0)

    @property
    def gap(self) -> float:
        """upper - lower."""
        return self.upper - self.lower


def capacity(
    channel: Channel | Any,
    entropy: ConditionalEntropy | str = "shannon",
    *,
    gap: float = 1e-9,
    iterations: int | None = None,
) -> Capacity:
    """C = max over priors p of H(X) - H(X|Y), in the unit of H, the entropy.

    Min-entropy: the logarithm of sum over y of max over x of C[x,y], attained by the uniform prior; exact.

    Shannon and Arimoto of order a > 0: with r proportional to p^a the leakage is Sibson's
    I_a(r) = a/(a-1) log sum over y of (sum over x of r_x C[x,y]^a)^(1/a), and
    max over r of I_a(r) = min over q of max over x of D_a(C[x,.] || q), D_a the Renyi divergence. Any r bounds the
    capacity from below and, with the q it induces, from above; interior-point Newton steps close the `gap`, in the
    unit of H, or stop after `iterations` and say so. Both bounds have room for rounding. Of many secrets the steps are
    taken among those that attain the capacity, no more than there are observables; where these are more than 4000,
    multiplicative steps have to do.

    Order 0 (Hartley): the largest |S| / max over y of |S and y's secrets| over sets S of secrets. Weights on secrets of
    which no observable has more than one in all bound it from above, by a linear programme; some sets S from below.

    Other entropies are refused: no such duality is known. Guess errors have `lab.guessing_capacity`.

    >>> bsc = capacity([[0.9, 0.1], [0.1, 0.9]])
    >>> round(bsc.value, 9), bsc.status
    (0.531004406, 'certified')
    """
    channel, H = as_channel(channel), as_entropy(entropy)
    gap = real(gap, "the gap is a positive number", above=0)
    iterations = None if iterations is None else whole(iterations, "iterations", 1)
    match H.form:
        case RenyiMean(math.inf, -1.0, 0.0, unit):
            return Capacity.exact(maximal_leakage(channel, base=math.e) / unit, uniform_prior(channel))
        case RenyiMean(0.0, math.inf, 0.0, unit):
            return _of_supports(channel, unit)
        case RenyiMean(a, c, 0.0, unit) if c == arimoto_exponent(a):
            return _sibson(channel, a, unit, gap, iterations)
    raise InvalidParameter(
        f"no method is known that bounds the capacity in {H.name}: ask for shannon, min-entropy, hartley or arimoto of "
        "another order; lab.guessing_capacity takes guess errors"
    )


def uniform_prior(channel: Channel, secrets: Sequence[int] | None = None) -> Prior:
    """The channel's secrets, or only those at these places, all equally likely."""
    n = channel.shape[0]
    if secrets is None:
        weights, total = np.ones(n, dtype=np.int64), n
    else:
        weights, total = np.zeros(n, dtype=np.int64), len(set(secrets))
        for x in secrets:
            weights[x] = 1
    weights.flags.writeable = False
    return Prior.trusted(weights, channel.inputs, total)


def _of_supports(channel: Channel, unit: float) -> Capacity:
    """Only the support of a prior counts: H(X) is log |S|, and H(X|Y) that of the most secrets that one y leaves."""
    import scipy.sparse as sp
    from scipy.optimize import linprog

    causes = sp.csr_array(sp.csr_array(channel.matrix) != 0).astype(np.float64)
    n, m = channel.shape
    found = linprog(-np.ones(n), A_ub=causes.T, b_ub=np.ones(m), method="highs")
    if found.status != 0:
        raise SolverFailed(f"HiGHS found no bound on the capacity: {found.message}")
    prices = np.maximum(-found.ineqlin.marginals, 0.0)
    upper = float(prices.sum() / (causes @ prices).min())  # prices that cover every secret, so a bound
    order = np.argsort(-found.x, kind="stable")
    alone: list[int] = []
    load = np.zeros(m)
    for x in order.tolist():  # secrets that never show the same
        row = causes[[x]].indices
        if not load[row].any():
            load[row] = 1.0
            alone.append(x)
    sets = [alone, *(np.flatnonzero(found.x >= least).tolist() for least in np.unique(found.x)[-_LEVELS:])]
    best, S = max((len(S) / float(causes[S].sum(axis=0).max()), S) for S in sets)
    lower, high = math.log(best) / unit, max(math.log(upper), math.log(best)) / unit
    status = "exact" if high - lower <= 1e-12 * max(1.0, high) else "bounds"
    return Capacity(lower, lower, high, uniform_prior(channel, S), status, 0)


def _sibson(channel: Channel, order: float, unit: float, gap: float, iterations: int | None) -> Capacity:
    found = sibson.bound_information(channel.matrix, order, gap=_CLOSED * gap * unit, iterations=iterations)
    logs = np.log(np.maximum(found.r, 1e-300)) / order
    return _certified(channel, order, unit, gap, Prior(np.exp(logs - logs.max())), found.r, found)


def _certified(
    channel: Channel, order: float, unit: float, gap: float, prior: Prior, r: Array, found: OrderBounds
) -> Capacity:
    """The bounds with room for the rounding in them, so that they hold; little leakage is bounded by its own digits."""
    lower, upper = max(0.0, min(found.lower, found.upper)), max(found.lower, found.upper, 0.0)
    if upper < _LITTLE and math.prod(channel.shape) <= _DENSE // 8:
        lower = leakage(prior, channel, Arimoto(order, base=math.e))
        upper = max(lower, _farthest(channel.toarray(), r, order))
        steep = max(order, 1.0)
        digits = max(2e-11, 2e-14 * order)
        from_input = 8 * _EPSILON * steep * math.sqrt(2 * upper / min(order, 1.0))  # Pinsker: |p - q| is at most that
        below, above = digits * lower + from_input, digits * upper + from_input
    else:
        rounding = 16 * _EPSILON * (1 + math.log(max(channel.shape)) + upper)
        below, above = rounding, rounding / min(order, 1.0)
    lower, upper = max(0.0, lower - below), upper + above
    status = "certified" if upper - lower <= gap * unit else "not converged"
    return Capacity(lower / unit, lower / unit, upper / unit, prior, status, found.steps)


def _farthest(C: Array, r: Array, order: float) -> float:
    """max over x of D_a(C[x,.] || q), in nats and with its digits, at the q that r induces."""
    C = C[:, C.any(axis=0)]
    with np.errstate(divide="ignore"):
        logs = np.log(C)
        top = logs.max(axis=0)
        log_q = top + np.log(r @ np.exp(order * (logs - top))) / order
    q = np.exp(log_q - log_q.max())
    q = (q / q.sum())[:, None]
    d = (C.T - q) / q

    def log_ratios() -> Array:
        return np.asarray(np.where(np.abs(d) < CLOSE, np.log1p(d), logs.T - np.log(q)))

    return float(log_moment(q, d, order, log_ratios, lambda: np.log(q) + order * log_ratios()).max())
