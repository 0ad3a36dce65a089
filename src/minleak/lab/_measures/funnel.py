"""The privacy funnel: release as much as asked of data X, and as little as possible of the secret S behind it.

The problem is not convex in the channel, but linear in the distribution of the posteriors q = p(X | y): minimise the
mean of H(S) - H(S at q) over distributions of posteriors with mean p(X) and mean entropy at most H(X) - utility. A
linear programme over some posteriors gives a channel, and prices mu >= 0 and nu. For all prices the leakage is at least

    <nu, p> - mu (H(X) - utility) + min over q of  H(S) - H(S at q) + mu H(q) - <nu, q>.

That minimum is of a concave plus a convex function: on a simplex the first is above its chord, the second above its
tangent, so halving simplices brackets it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from minleak import Channel, Prior, leakage
from minleak.core._arrays import Array
from minleak.core._joint import Joint, as_joint
from minleak.core._parameters import real
from minleak.core._result import Result
from minleak.core._simulating import generator
from minleak.core._threads import one_thread
from minleak.errors import Infeasible, InvalidParameter, SolverFailed

# Up to this many values of X, p on every subset is among the first posteriors.
_SUBSETS = 8
# Rounds of new posteriors, and descents in each.
_ROUNDS, _DESCENTS = 60, 6
# Add a posterior only if its reduced cost is below zero by this share of the gap.
_WORTH = 0.05
# The most numbers in simplices, in all and at a time.
_CELLS, _AT_ONCE = 4_000_000, 100_000
# The most values of X.
_MOST = 64


@dataclass(frozen=True)
class PrivacyFunnel(Result):
    """The `channel` from X to the released Y: `leakage` is I(S;Y) and `utility` is I(X;Y), in bits. No channel of that
    utility leaks less than `bound`, which is proven.
    """

    channel: Channel = field(repr=False)
    leakage: float
    utility: float
    bound: float

    reported = ("gap",)

    @property
    def gap(self) -> float:
        """How far the leakage may be from the least, in bits."""
        return max(self.leakage - self.bound, 0.0)


@one_thread()
def privacy_funnel(
    prior: Joint | Prior | Iterable[Any], channel: Channel | Any, *, utility: float, gap: float = 1e-6, seed: int = 0
) -> PrivacyFunnel:
    """Minimise I(S;Y) over channels from X to Y with I(X;Y) >= `utility` bits, where the secret S has the prior and the
    channel says how the data X comes from it: S -> X -> Y.

    Not convex in the channel, hence not part of `optimise`. The channel is the best mixture of posteriors that a seeded
    search finds; the bound is proven whatever the search does. They meet to within `gap` for up to about six values of
    X; with more the bound is weak (but at least max(0, utility - H(X|S))), as `gap` of the result tells. The utility is
    met to 1e-9. Takes some seconds.

    >>> found = privacy_funnel([1, 1], [[0.9, 0.1], [0.1, 0.9]], utility=0.5)
    >>> round(found.leakage, 4), found.gap < 1e-6
    (0.2655, True)
    """
    joint = as_joint(prior, channel)
    close = real(gap, "the gap is a positive number", above=0)
    problem = _Funnel.of(joint, real(utility, "the utility is a number of bits, from 0 on", least=0))
    pool, rng = problem.first_pool(), generator(seed)
    while True:
        weights, mu, nu = problem.mix(pool)
        found = problem.descend(pool[weights > 0], mu, nu, rng, _WORTH * close)
        if len(found) and problem.rounds < _ROUNDS:
            pool = np.concatenate([pool, found])
            continue
        least = -math.inf
        if problem.value(mu, nu) <= max(problem.simple_bound, 0.0) + close / 4:
            break
        least, at = problem.bracket(mu, nu, close / 4)
        if problem.reduced(at[None], mu, nu)[0] > -_WORTH * close or problem.rounds >= _ROUNDS:
            break
        pool = np.concatenate([pool, at[None]])
    release = problem.channel(pool, weights, joint)
    leaked = leakage(joint.prior, joint.channel @ release, "shannon")
    told = leakage(Prior(problem.p_of_all), Channel(release.matrix), "shannon")
    proven = max(problem.value(mu, nu) + min(least, 0.0), problem.simple_bound, 0.0)
    return PrivacyFunnel(release, leaked, told, min(proven, leaked))


@dataclass(eq=False)
class _Funnel:
    """p of the possible X, p(s | x) as rows, the room H(X) - utility for the mean entropy, all in bits."""

    p: Array
    rows: Array
    room: float
    p_of_all: Array
    simple_bound: float
    rounds: int = 0

    @classmethod
    def of(cls, joint: Joint, utility: float) -> _Funnel:
        J = joint.prior.p[:, None] * joint.channel.toarray()
        p = J.sum(axis=0)
        seen = p > 0
        if int(seen.sum()) > _MOST:
            raise InvalidParameter(f"X has {int(seen.sum())} values, and at most {_MOST} are supported: group them")
        rows = (J[:, seen] / p[seen]).T
        whole = float(_entropy(p[None])[0])
        if utility > whole + 1e-12:
            raise Infeasible(f"the utility is {utility:.9g} bits, and all of X are {whole:.9g}: ask for at most that")
        behind = float(_entropy(J.ravel()[None])[0] - _entropy(joint.prior.p[None])[0])  # H(X|S)
        return cls(p[seen], rows, max(whole - utility, 0.0), p, utility - behind)

    @property
    def size(self) -> int:
        return len(self.p)

    def first_pool(self) -> Array:
        """p itself, one value of X for sure, and p on subsets."""
        n = self.size
        subsets = [s for k in range(2, n) for s in combinations(range(n), k)] if n <= _SUBSETS else []
        masks = np.zeros((len(subsets), n))
        for i, subset in enumerate(subsets):
            masks[i, list(subset)] = 1
        shares = masks * self.p
        return np.concatenate([np.eye(n), self.p[None] / self.p.sum(), shares / shares.sum(axis=1, keepdims=True)])

    def told(self, q: Array) -> Array:
        """H(S) - H(S at q)."""
        return float(_entropy((self.p @ self.rows)[None])[0]) - _entropy(q @ self.rows)

    def reduced(self, q: Array, mu: float, nu: Array) -> Array:
        return np.asarray(self.told(q) + mu * _entropy(q) - q @ nu)

    def value(self, mu: float, nu: Array) -> float:
        return float(nu @ self.p) - mu * self.room

    def mix(self, pool: Array) -> tuple[Array, float, Array]:
        """The best weights of some posteriors, and the prices."""
        from scipy.optimize import linprog

        self.rounds += 1
        result = linprog(
            self.told(pool), A_ub=_entropy(pool)[None], b_ub=[self.room], A_eq=pool.T, b_eq=self.p, method="highs"
        )
        if result.status != 0:
            raise SolverFailed(f"HiGHS could not mix the posteriors: {result.message}")
        mu = max(-float(result.ineqlin.marginals[0]), 0.0)
        return np.asarray(result.x), mu, np.asarray(result.eqlin.marginals)

    def descend(self, starts: Array, mu: float, nu: Array, rng: np.random.Generator, worth: float) -> Array:
        """Posteriors of negative reduced cost, by descents from those in use and from random ones."""
        from scipy.optimize import minimize

        def at(z: Array) -> Array:
            weights = np.exp(np.clip(z - z.max(), -40, 0))
            return np.asarray(weights / weights.sum())

        def cost(z: Array) -> tuple[float, Array]:
            q = at(z)
            s = q @ self.rows
            slopes = self.rows @ np.log2(np.where(s > 0, s, 1.0)) - mu * np.log2(q) - nu  # up to a constant
            return float(self.reduced(q[None], mu, nu)[0]), q * (slopes - slopes @ q)

        random = rng.dirichlet(np.full(self.size, 0.5), size=_DESCENTS)
        found = []
        for start in np.concatenate([starts, random]):
            z = np.log(np.maximum(start, 1e-9))
            ended = minimize(cost, z, jac=True, method="L-BFGS-B", options={"maxiter": 100})
            q = at(ended.x)
            q = np.where(q < 1e-12, 0.0, q)
            q /= q.sum()
            if self.reduced(q[None], mu, nu)[0] < -worth:
                found.append(q)
        return np.array(found).reshape(-1, self.size)

    def bracket(self, mu: float, nu: Array, close: float) -> tuple[float, Array]:
        """A lower bound of the reduced cost of any posterior, and the least one met."""
        cells = np.eye(self.size)[None]
        bounds, (best, at) = self._below(cells, mu, nu), self._least(cells, mu, nu)
        proven, looked = math.inf, 1
        while len(cells):
            open_to = bounds < min(best, 0.0) - close
            proven = min(proven, float(bounds[~open_to].min(initial=math.inf)))
            cells, bounds = cells[open_to], bounds[open_to]
            if looked * self.size**2 > _CELLS or not len(cells):
                break
            order = np.argsort(bounds, kind="stable")
            taken, kept = np.split(order, [_AT_ONCE // self.size**2 + 1])
            halves = halve(cells[taken])
            looked += len(halves)
            met, q = self._least(halves, mu, nu)
            if met < best:
                best, at = met, q
            if best < -close:  # add it before proving anything
                return -math.inf, at
            bounds = np.concatenate([bounds[kept], self._below(halves, mu, nu)])
            cells = np.concatenate([cells[kept], halves])
        return min(proven, float(bounds.min(initial=math.inf))), at

    def _below(self, cells: Array, mu: float, nu: Array) -> Array:
        """The least of chord and tangent at the corners of each simplex: a lower bound on all of it."""
        middle = cells.mean(axis=1)
        s = middle @ self.rows
        slopes = np.log2(np.where(s > 0, s, 1.0)) @ self.rows.T  # of -H(S at q), whose tangent is <slopes, q>
        before = float(_entropy((self.p @ self.rows)[None])[0])
        corners = mu * _entropy(cells) + np.einsum("kij,kj->ki", cells, slopes - nu)
        return np.asarray(before + corners.min(axis=1))

    def _least(self, cells: Array, mu: float, nu: Array) -> tuple[float, Array]:
        points = np.concatenate([cells.mean(axis=1), cells.reshape(-1, self.size)])
        reduced = self.reduced(points, mu, nu)
        return float(reduced.min()), points[int(reduced.argmin())]

    def channel(self, pool: Array, weights: Array, joint: Joint) -> Channel:
        """The channel of posteriors in use; values of X that are impossible show the first output."""
        used = weights > 1e-15
        part = np.maximum(pool[used].T * weights[used] / self.p[:, None], 0.0)
        matrix = np.zeros((len(self.p_of_all), int(used.sum())))
        matrix[:, 0] = 1.0
        matrix[self.p_of_all > 0] = part / part.sum(axis=1, keepdims=True)
        return Channel(matrix, inputs=joint.channel.outputs)


def _entropy(q: Array) -> Array:
    """Shannon's, in bits, of the last axis."""
    return np.asarray(-(q * np.log2(np.where(q > 0, q, 1.0))).sum(axis=-1))


def halve(cells: Array) -> Array:
    """Each simplex, its corners as rows, cut at the middle of its longest edge.

    >>> halve(np.eye(2)[None]).tolist()
    [[[0.5, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]]]
    """
    apart = np.square(cells[:, :, None] - cells[:, None]).sum(axis=-1)
    first, second = np.unravel_index(apart.reshape(len(cells), apart.shape[1] ** 2).argmax(axis=1), apart.shape[1:])
    each = np.arange(len(cells))
    middle = (cells[each, first] + cells[each, second]) / 2
    one, other = cells.copy(), cells.copy()
    one[each, first], other[each, second] = middle, middle
    return np.concatenate([one, other])
