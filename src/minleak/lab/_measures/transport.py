"""Transport: what it costs at least to move one distribution to another, and hypers compared by it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from operator import mul, sub
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel, as_channel
from minleak.core._joint import Joint
from minleak.core._prior import Prior, as_prior
from minleak.core._result import Result
from minleak.errors import InvalidParameter, SolverFailed, quote
from minleak.lab._algebra import sharing
from minleak.lab._hyper import hyper
from minleak.lab._measures.distribution_distances import match_distributions, separations
from minleak.lab._measures.metrics import distances_between, shortest_paths
from minleak.lab._measures.row_distances import cityblock

# The most pairs that a programme has as unknowns, or as rows.
_MOST = 1_000_000
# Up to so many distances are looked at one by one in Python.
_FEW = 100
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
    not be a metric for the plan to be cheapest. By a linear programme over n m pairs, of which neither side is trusted:
    the plan is made to have the margins, and the prices to keep to the distances. Distances on a line need none.

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
    import scipy.sparse as sp
    from scipy.optimize import linprog

    if costs.size <= _FEW:
        found = _along_short_line(p.tolist(), q.tolist(), costs.tolist())
        if found is not None:
            return found
    if not np.isfinite(costs).all():
        x, y = np.argwhere(~np.isfinite(costs))[0]
        raise InvalidParameter(f"the distance from {x} to {y} is {costs[x, y]}: what is to be moved has finite ones")
    places = _on_line(costs)
    if places is not None:
        return _along_line(p, q, places, costs)
    rows, columns = np.flatnonzero(p > 0), np.flatnonzero(q > 0)
    n, m = len(rows), len(columns)
    if n * m > _MOST:
        raise InvalidParameter(f"{n:,} and {m:,} outcomes make more than {_MOST:,} pairs: too many for a programme")
    part = costs[np.ix_(rows, columns)]
    scale = float(part.max()) or 1.0
    margins = sp.vstack([sp.kron(sp.eye_array(n), np.ones((1, m))), sp.kron(np.ones((1, n)), sp.eye_array(m))])
    # One of the equations follows from the others; left out, rounding of the two sums cannot contradict itself.
    found = linprog(
        part.ravel() / scale,
        A_eq=sp.csr_array(margins)[:-1],
        b_eq=np.concatenate([p[rows], q[columns]])[:-1],
        method="highs",
        options=_FINELY,
    )
    if found.status != 0:
        raise SolverFailed(f"HiGHS found no plan of transport: {found.message}")
    plan = np.zeros(costs.shape)
    plan[np.ix_(rows, columns)] = _with_margins(found.x.reshape(n, m), p[rows], q[columns])
    u_part = (part - scale * np.append(found.eqlin.marginals[n:], 0.0)).min(axis=1)
    v = (costs[rows] - u_part[:, None]).min(axis=0)
    u = (costs - v).min(axis=1)
    value, bound = float((plan * costs).sum()), float(p @ u + q @ v)
    if not value - bound <= _CLOSE * max(scale, value):
        raise SolverFailed(f"a plan costs {value:.9g} and only {bound:.9g} is proven to be the least")
    return Transport(value, min(bound, value), plan, (u, v))


def _on_line(costs: Array) -> Array | None:
    """Where the outcomes stand on a line, if the costs are just their distances on one."""
    n, m = costs.shape
    if n != m:
        return None
    places = costs[int(costs[0].argmax())]
    return places if np.array_equal(costs, np.abs(places[:, None] - places)) else None


def _along_line(p: Array, q: Array, places: Array, costs: Array) -> Transport:
    """On a line all is moved in its order, and the least cost is the area between the distribution functions F and G:
    the potential whose slope is the sign of G - F has prices that prove it. O(n log n) beside the plan itself.
    """
    order = np.argsort(places, kind="stable")
    first, second = np.cumsum(p[order]), np.cumsum(q[order])
    cuts = np.unique(np.concatenate([first, second]))
    begins = np.append(0.0, cuts[:-1])
    rows, columns = (np.minimum(np.searchsorted(ends, begins, side="right"), len(ends) - 1) for ends in (first, second))
    plan = np.zeros(costs.shape)
    np.add.at(plan, (order[rows], order[columns]), cuts - begins)
    potential = np.zeros(len(order))
    slopes = np.sign(second - first)[:-1]
    potential[order[1:]] = np.cumsum(slopes * np.diff(places[order]))
    value, bound = float((plan * costs).sum()), float(p @ potential - q @ potential)
    return Transport(value, min(bound, value), plan, (potential, -potential))


def _along_short_line(p: list[float], q: list[float], costs: list[list[float]]) -> Transport | None:
    """The same for a few outcomes in Python floats, where numpy takes longer to be called; None if on no line."""
    n = len(costs)
    if len(costs[0]) != n:
        return None
    places = costs[costs[0].index(max(costs[0]))]
    if max(places) == math.inf or costs != [[abs(a - b) for b in places] for a in places]:
        return None
    order = sorted(range(n), key=places.__getitem__)
    plan = [[0.0] * n for _ in order]
    potential = [0.0] * n
    first, second = iter(order), iter(order)
    x, y = next(first), next(second)
    left, room, value = p[x], q[y], 0.0
    while True:  # all is moved in its order
        moved = min(left, room)
        plan[x][y] += moved
        value += moved * costs[x][y]
        left -= moved
        room -= moved
        if left <= room:
            x = next(first, -1)
            if x < 0:
                break
            left += p[x]
        else:
            y = next(second, -1)
            if y < 0:
                break
            room += q[y]
    ahead = 0.0  # G - F
    for x, y in pairwise(order):
        ahead += q[x] - p[x]
        step = places[y] - places[x]
        potential[y] = potential[x] + (step if ahead > 0 else -step if ahead < 0 else 0.0)
    u = np.array(potential)
    bound = sum(map(mul, potential, map(sub, p, q)))
    return Transport(value, min(bound, value), np.array(plan), (u, -u))


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
