"""Transport: what it costs at least to move one distribution to another, and hypers compared by it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak import Channel, Prior
from minleak.core._arrays import Array
from minleak.core._channel import as_channel
from minleak.core._joint import Joint
from minleak.core._prior import as_prior
from minleak.core._result import Result
from minleak.errors import InvalidParameter, SolverFailed, quote
from minleak.lab._algebra import sharing
from minleak.lab._hyper import hyper
from minleak.lab._measures.capacities import cityblock
from minleak.lab._measures.distances import match_distributions, separations
from minleak.lab._measures.privacy import distances_between, shortest_paths
from minleak.lab._packages import package

# The most pairs that a programme has as unknowns, or as rows.
_MOST = 1_000_000
# The most steps of the network simplex method.
_STEPS = 10_000_000
# What the two sides of a certificate may be apart, of the value.
_CLOSE = 1e-8
# The finest that HiGHS offers.
_FINELY = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True)
class Transport(Result):
    """The cheapest way from one distribution to another: `plan[x,y]` goes from x to y, at a cost of `value`.

    `prices` are numbers u and v with u_x + v_y <= d(x,y), so that no plan costs less than p u + q v, the `bound`.
    """

    value: float
    bound: float
    plan: Array
    prices: tuple[Array, Array]

    def __repr__(self) -> str:
        n, m = self.plan.shape
        return f"Transport({n} to {m} outcomes, {self.value:.9g}, no less than {self.bound:.9g})"


def kantorovich(first: Prior | Iterable[Any], second: Prior | Iterable[Any], metric: Any) -> Transport:
    """The Kantorovich distance: the least mean distance d(x,y) over all joint distributions with these two margins.

    `metric` is a matrix of finite distances, or a callable of two labels (positions where there are none); it need
    not be a metric for the plan to be cheapest. By the network simplex method of POT over n m pairs, of which neither
    side is trusted: the plan is made to have the margins, and the prices to keep to the distances. Needs the extra
    `lab`.

    >>> moved = kantorovich([2, 1, 1], [1, 1, 2], lambda x, y: abs(x - y))
    >>> round(moved.value, 9), moved.value - moved.bound < 1e-9
    (0.5, True)
    """
    one, other = as_prior(first), as_prior(second)
    return find_transport(one.p, other.p, distances_between(metric, one.labels, other.labels))


def hyper_distance(
    prior: Prior | Iterable[Any],
    first: Channel | Any,
    second: Channel | Any,
    metric: str | Callable[[Array, Array], float] = "total variation",
) -> Transport:
    """The Kantorovich distance of the hyper-distributions that two channels make of a prior.

    Inners are moved to inners, at a cost of their "total variation" or their "convex separation" (one way, from A, the
    first, to B), or a function of two. By total variation, no gains of spread one (in each guess) tell the two channels
    apart by more than the value: |V_g[prior, A] - V_g[prior, B]| is at most that. By convex separation, no gains with
    vulnerabilities between 0 and 1 make B better than A by more, which bounds `refinement_distance`.

    >>> same = hyper_distance([1, 1], [[0.75, 0.25], [0.25, 0.75]], [[0.25, 0.75], [0.75, 0.25]])
    >>> round(same.value, 9)
    0.0
    """
    A = as_channel(first)
    B = sharing(A, second, "that are compared")
    known = Joint(prior, A).prior
    hypers = [hyper(known, channel) for channel in (A, B)]
    outers = [np.asarray(each.outers, dtype=np.float64) for each in hypers]
    inners = [_rows(each.inners) for each in hypers]
    if isinstance(metric, str) and metric == "total variation":
        costs = 0.5 * cityblock(*inners)
    elif isinstance(metric, str) and metric == "convex separation":
        costs = separations(*inners)
    elif callable(metric):
        costs = distances_between(lambda x, y: metric(inners[0][x], inners[1][y]), *map(len, inners))
    else:
        raise InvalidParameter(
            f"the metric on posteriors is 'total variation', 'convex separation' or a function, not {quote(metric)}"
        )
    return find_transport(outers[0] / outers[0].sum(), outers[1] / outers[1].sum(), costs)


def _rows(inners: Any) -> Array:
    dense = inners if isinstance(inners, np.ndarray) else inners.toarray()
    return np.ascontiguousarray(dense.T, dtype=np.float64)


def find_transport(p: Array, q: Array, costs: Array) -> Transport:
    """The cheapest plan from p to q, on the outcomes that are possible; prices for all of them."""
    if not np.isfinite(costs).all():
        x, y = np.argwhere(~np.isfinite(costs))[0]
        raise InvalidParameter(f"the distance from {x} to {y} is {costs[x, y]}: what is to be moved has finite ones")
    rows, columns = np.flatnonzero(p > 0), np.flatnonzero(q > 0)
    n, m = len(rows), len(columns)
    if n * m > _MOST:
        raise InvalidParameter(f"{n:,} and {m:,} outcomes make more than {_MOST:,} pairs: too many for a programme")
    part = costs[np.ix_(rows, columns)]
    scale = float(part.max()) or 1.0
    found, told = package("ot").emd(p[rows], q[columns], part / scale, numItermax=_STEPS, log=True)
    plan = np.zeros(costs.shape)
    plan[np.ix_(rows, columns)] = _with_margins(found, p[rows], q[columns])
    u_part = (part - scale * told["v"]).min(axis=1)
    v = (costs[rows] - u_part[:, None]).min(axis=0)
    u = (costs - v).min(axis=1)
    value, bound = float((plan * costs).sum()), float(p @ u + q @ v)
    if not value - bound <= _CLOSE * max(scale, value):
        raise SolverFailed(
            f"a plan costs {value:.9g} and only {bound:.9g} is proven to be the least: {told['warning'] or 'rounding'}"
        )
    return Transport(value, min(bound, value), plan, (u, v))


def _with_margins(plan: Array, p: Array, q: Array) -> Array:
    """Entries from 0 on with these margins, near the plan: lowered to them, and what is missing put in evenly."""
    plan = np.maximum(plan, 0.0)
    plan = plan * np.minimum(1.0, p / np.maximum(plan.sum(axis=1), 1e-300))[:, None]
    plan = plan * np.minimum(1.0, q / np.maximum(plan.sum(axis=0), 1e-300))
    above, below = np.maximum(p - plan.sum(axis=1), 0.0), np.maximum(q - plan.sum(axis=0), 0.0)
    total = below.sum()
    return plan + np.outer(above, below / total) if total > 0 else plan


def multiplicative_kantorovich(first: Prior | Iterable[Any], second: Prior | Iterable[Any], metric: Any) -> float:
    """The largest |log E_p f / E_q f| over positive functions f with |log f(x)/f(x')| <= d(x,x'), in nats.

    The metric of d-privacy lifted to distributions (Chatzikokolakis, Gebler, Palamidessi, Xu 2014): a d-private channel
    takes two of them to outputs that are no farther apart by `multiplicative_distance`. Infinite distances bind nothing
    together. By two linear programmes of n unknowns and n^2 rows, each between a function and prices that prove it.

    >>> round(multiplicative_kantorovich([2, 1, 1], [1, 1, 2], lambda x, y: abs(x - y)), 6)
    0.423764
    """
    one, other = match_distributions(first, second)
    p, q = one.p, other.p
    distances = distances_between(metric, other.labels if one.labels.is_default else one.labels)
    if len(p) ** 2 > _MOST:
        raise InvalidParameter(f"{len(p):,} outcomes make more than {_MOST:,} pairs: too many for a programme")
    d = shortest_paths(distances)
    return max(_log_ratio(p, q, d), _log_ratio(q, p, d))


def _log_ratio(p: Array, q: Array, d: Array) -> float:
    """The largest log E_p f / E_q f: max p f with q f <= 1 and exp(-d) f_x <= f_x'.

    The programme is in g = f exp(reached), from 0 to 1 with coefficients from 0 to 1, however far the distances go.
    """
    import scipy.sparse as sp
    from scipy.optimize import linprog

    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(p), np.log(q)
    reached = (log_q - d).max(axis=1)  # what of q is bound to x
    bounded = np.isfinite(reached)
    if (p[~bounded] > 0).any():
        return math.inf
    log_p, log_q, d, reached = log_p[bounded], log_q[bounded], d[np.ix_(bounded, bounded)], reached[bounded]
    most = float((log_p - reached).max())
    worth, weight = np.exp(log_p - reached - most), np.exp(log_q - reached)
    least = np.exp(reached - d - reached[:, None])
    n = len(reached)
    first, second = np.nonzero((least > 0) & ~np.eye(n, dtype=bool))
    count, shape = np.arange(len(first)), (len(first), n)
    bound = sp.csr_array((least[first, second], (count, first)), shape=shape) - sp.csr_array(
        (np.ones(len(first)), (count, second)), shape=shape
    )
    found = linprog(
        -worth,
        A_ub=sp.vstack([sp.csr_array(weight[None]), bound]),
        b_ub=np.append(1.0, np.zeros(len(first))),
        method="highs",
        options=_FINELY,
    )
    if found.status != 0:
        raise SolverFailed(f"HiGHS found no function for the multiplicative distance: {found.message}")
    g = (least * np.maximum(found.x, 0.0)[:, None]).max(axis=0)  # raised to where it keeps to the distances
    low = float(worth @ g) / float(weight @ g)
    nu = np.maximum(-found.ineqlin.marginals[1:], 0.0)
    # What the prices leave above `low` is moved to the outcome that x is bound to, where `weight` and `least` are one.
    left = np.maximum(worth - bound.T @ nu - low * weight, 0.0)
    high = low + float(np.bincount(np.argmax(least * weight, axis=1), weights=left).max())
    if not high - low <= _CLOSE * low:
        raise SolverFailed(f"a function attains the factor {low:.9g} and only {high:.9g} is proven to be the largest")
    return max(most + math.log(low), 0.0)
