"""The largest rise of success in l guesses over all priors: an exact maximum over sets of secrets."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._capacity import Capacity, uniform_prior
from minleak.core._channel import Channel, as_channel
from minleak.core._matrices import too_large
from minleak.core._parameters import real, whole
from minleak.errors import InvalidParameter
from minleak.lab._hyper import group_columns, merge_columns

# Up to so many secrets all sets are looked at; at once, where that is so many steps, else where branching was too long.
_ALL, _SOON = 20, 10_000_000
# What branching may cost: so many entries of the channel are looked at, whatever the time.
_WORK = 1_000_000_000
# What an entry of the dense matrix costs while sets are compared, in bytes.
_EACH = 256
# Prices of the observables are found by a linear programme with at most so many entries.
_PRICED = 4000


def guessing_capacity(
    channel: Channel | Any, guesses: int = 1, *, gap: float = 1e-9, iterations: int | None = None
) -> Capacity:
    """The largest rise of the chance that one of l = `guesses` guesses is right, over all priors: the capacity in
    `GuessError(l)`.

    Attained by a uniform prior on a set of secrets, and exact up to 20 of them. Above, by branching over sets, until
    the bound is within the `gap` or `iterations` of them were extended (without that number, as many as a limit on
    work allows).

    >>> worst = guessing_capacity([[1, 0], [0.5, 0.5], [0.5, 0.5]])
    >>> worst.value, worst.status
    (0.25, 'exact')
    """
    channel, l = as_channel(channel), whole(guesses, "the number of guesses", most=2**53)
    gap = real(gap, "the gap is a positive number", above=0)
    size = too_large(math.prod(channel.shape), each=_EACH)
    if size is not None:
        raise InvalidParameter(f"sets are compared on a dense matrix, and this one has {size}")
    nodes = None if iterations is None else whole(iterations, "iterations", 1)
    found = best_set(channel.matrix, l, gap=gap, nodes=nodes)
    apart = found.upper - found.value
    status = "exact" if apart == 0 else "certified" if apart <= gap else "not converged"
    prior = uniform_prior(channel, found.secrets.tolist())
    return Capacity(found.value, found.value, found.upper, prior, status, found.nodes)


@dataclass(frozen=True)
class BestSet:
    """The set whose uniform prior gains `value`; none gains more than `upper`. `nodes` is how many were looked at."""

    value: float
    upper: float
    secrets: Indices
    nodes: int


def best_set(matrix: Any, l: int, *, gap: float = 0.0, nodes: int | None = None) -> BestSet:
    """max over priors p of sum over y of T(p_x C[x,y]) - T(p), T the sum of the l largest, attained on a set.

    That is the largest (g(S) - l)/|S| over sets S, g(S) = sum over y of T(C[x,y], x in S): what the uniform prior on S
    gains. For l = 1 the theorem is Braun, Chatzikokolakis and Palamidessi's (2009).
    Proof. Let r be the maximum, T, g on vectors v >= 0 alike: h(v) = g(v) - r sum(v) - 1 is convex, at most 0 where
    T(v) <= 1, and 0 at p/T(p) for the best p; so also at a vertex of {v >= 0, T(v) <= 1}: a unit vector or 1_S/l.

    Sets are all compared, or grow one by one, those with the best bound first, until the bound is within the gap (or
    for so many `nodes`, or what a limit on work allows). Up to 20 secrets the answer is exact.

    >>> best_set(np.array([[1, 0], [0.5, 0.5], [0.5, 0.5]]), 1)
    BestSet(value=0.25, upper=0.25, secrets=array([0, 1]), nodes=7)
    """
    dense = merge_columns(matrix, group_columns(matrix))
    C = np.asarray(dense if isinstance(dense, np.ndarray) else dense.toarray())
    n = len(C)
    if l >= n:
        return BestSet(0.0, 0.0, np.arange(1), 1)
    if n <= _ALL and C.shape[1] * l << n <= _SOON:
        return _of_all(C, l)
    found = _Search(C, l).run(gap, nodes)
    return _of_all(C, l) if n <= _ALL and found.upper > found.value else found


def _of_all(C: Array, l: int) -> BestSet:
    """Sets as bits, doubled secret by secret: for each observable the l largest entries of every set."""
    n = len(C)
    g = np.zeros(1 << n)
    for column in C.T:
        tops = [np.zeros(1 << n) for _ in range(l)]
        for x in np.flatnonzero(column).tolist():
            half = 1 << x
            # Sets with x, in blocks of the bits below it, from those without.
            rest: Any = column[x]
            for top in tops:
                blocks = top.reshape(-1, 2, half)
                blocks[:, 1] = np.maximum(blocks[:, 0], rest)
                rest = np.minimum(blocks[:, 0], rest)
        for top in tops:
            g += top
    sizes = np.bitwise_count(np.arange(1 << n))
    gained = (g[1:] - l) / sizes[1:]
    best = int(gained.argmax())
    value = max(float(gained[best]), 0.0)
    return BestSet(value, value, np.flatnonzero(best + 1 >> np.arange(n) & 1), (1 << n) - 1)


class _Search:
    """Sets in a tree: the children of a set have one more secret, of those after its last in the order of `C`."""

    def __init__(self, C: Array, l: int) -> None:
        prices = _prices(C, l)
        worth = np.maximum(C - prices, 0).sum(axis=1)
        self.order = np.argsort(-worth, kind="stable")
        self.C, self.l, self.priced = C[self.order], l, l * (float(prices.sum()) - 1)
        self.worth = np.concatenate([[0.0], np.cumsum(worth[self.order])])  # of the first secrets together

    def run(self, gap: float, nodes: int | None) -> BestSet:
        n, m = self.C.shape
        limit = nodes or max(1, _WORK // (n * n * m))
        value, best = self._climb()
        heap: list[tuple[float, tuple[int, ...]]] = [(-math.inf, ())]  # minus the bound, and places in the order
        seen = 0
        while heap and seen < limit and -heap[0][0] > value + gap:
            _, S = heapq.heappop(heap)
            seen += 1
            for bound, gained, x in self._children(S, value):
                if gained > value:
                    value, best = gained, (*S, x)
                if bound > value:
                    heapq.heappush(heap, (-bound, (*S, x)))
        upper = max(value, -heap[0][0]) if heap else value
        return BestSet(value, upper, np.sort(self.order[list(best)]), seen)

    def _children(self, S: tuple[int, ...], value: float) -> Iterator[tuple[float, float, int]]:
        """For each child what no set below it gains more than, what it gains itself, and its last secret; without those
        that cannot gain more than the value.

        Two bounds on g of sets with t more secrets: g is submodular, so the t largest marginals are the most that they
        add; and for any prices u >= 0, g(S) <= l sum(u) + sum over x in S, y of (C[x,y] - u_y)^+.
        """
        C, l = self.C, self.l
        tops = self._tops(C[list(S)])
        fixed = self.priced + sum(float(self.worth[x + 1] - self.worth[x]) for x in S)
        sizes = np.arange(len(S) + 1, len(S) + 1 + len(C))
        for x in range(S[-1] + 1 if S else 0, len(C)):
            priced = fixed + self.worth[x + 1 :] - self.worth[x]
            if (priced / sizes[: len(priced)]).max() <= value:
                return  # those that follow are worth less
            mine = self._tops(np.vstack([tops, C[x]]))
            g = float(mine.sum()) - l
            marginals = np.maximum(C[x + 1 :] - mine[0], 0).sum(axis=1)
            more = np.minimum(g + np.cumsum(-np.sort(-marginals)), priced[1:])
            yield float((more / sizes[1 : len(priced)]).max(initial=-math.inf)), g / (len(S) + 1), x

    def _tops(self, rows: Array) -> Array:
        """The l largest entries of each column, the least of them first; zeros where there are fewer rows."""
        l = self.l
        if len(rows) < l:
            rows = np.vstack([np.zeros((l - len(rows), self.C.shape[1])), rows])
        if l == 1:
            return np.asarray(rows.max(axis=0, keepdims=True))
        return np.asarray(np.sort(rows, axis=0)[-l:])

    def _climb(self) -> tuple[float, tuple[int, ...]]:
        """Secrets join one by one, the best first, as long as that raises the gain: a first value to be beaten."""
        S = [0]
        tops = self._tops(self.C[S])
        while len(S) < len(self.C):
            more = np.maximum(self.C - tops[0], 0).sum(axis=1)
            more[S] = -math.inf
            x = int(more.argmax())
            value = (float(tops.sum()) - self.l) / len(S)
            if len(S) > self.l and (float(tops.sum() + more[x]) - self.l) / (len(S) + 1) <= value:
                break
            S.append(x)
            tops = self._tops(np.vstack([tops, self.C[x]]))
        return max((float(tops.sum()) - self.l) / len(S), 0.0), tuple(sorted(S))


def _prices(C: Array, l: int) -> Array:
    """Prices u of the observables with a small bound: the dual variables of the programme over p, t and z

    max sum C z - l t  with  z_xy <= p_x <= t, sum over x of z_xy <= l t, sum(p) = 1.

    Any prices give a bound, so that no solver is trusted.
    """
    import scipy.sparse as sp
    from scipy.optimize import linprog

    (n, m), (x, y) = C.shape, np.nonzero(C)
    if len(x) > _PRICED:
        return np.zeros(m)
    entries, ones = np.arange(len(x)), np.ones(len(x))
    below = sp.block_array(
        [
            [sp.eye_array(len(x)), sp.csr_array((-ones, (entries, x)), shape=(len(x), n)), None],
            [sp.csr_array((ones, (y, entries)), shape=(m, len(x))), None, sp.csr_array(np.full((m, 1), -l))],
            [None, sp.eye_array(n), sp.csr_array(np.full((n, 1), -1.0))],
        ]
    )
    found = linprog(
        np.concatenate([-C[x, y], np.zeros(n), [l]]),
        A_ub=below,
        b_ub=np.zeros(below.shape[0]),
        A_eq=np.concatenate([np.zeros(len(x)), np.ones(n), [0]])[None],
        b_eq=[1.0],
        method="highs",
    )
    return np.maximum(-found.ineqlin.marginals[len(x) : len(x) + m], 0.0) if found.status == 0 else np.zeros(m)
