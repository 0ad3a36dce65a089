"""Random matroids of six families, and the definitions once more: by all subsets in Fractions, and by linear programmes
over all channels. Nothing here is the library's but `Matroid` itself.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.optimize import linprog

from minleak.lab import Matroid


def random_matroid(family: str, n: int, rng: random.Random) -> Matroid:
    """A matroid on n secrets in which each can be shown."""
    if family == "uniform":
        return Matroid.uniform(n, rng.randint(1, n))
    if family == "partition":
        groups = [rng.randrange(3) for _ in range(n)]
        return Matroid.partition(groups, {group: rng.randint(1, 2) for group in groups})
    if family == "laminar":
        half = rng.randint(1, n - 1)
        inner = range(rng.randint(1, half))
        caps = [(range(n), rng.randint(1, n)), (range(half), rng.randint(1, 3)), (inner, rng.randint(1, 2))]
        return Matroid.laminar(n, caps)
    if family == "graphic":
        nodes = rng.randint(2, 5)
        return Matroid.graphic([tuple(rng.sample(range(nodes), 2)) for _ in range(n)])
    if family == "transversal":
        return Matroid.transversal([rng.sample(range(4), rng.randint(1, 3)) for _ in range(n)])
    assert family == "linear"
    vectors = [[rng.randint(-1, 1) for _ in range(3)] for _ in range(n)]
    return Matroid.linear([vector if any(vector) else [1, 1, 1] for vector in vectors])


FAMILIES = ("uniform", "partition", "laminar", "graphic", "transversal", "linear")


def random_weights(n: int, rng: random.Random) -> list[int]:
    """Small weights with ties, or large ones, some zero."""
    top = rng.choice([3, 20, 10**6])
    weights = [rng.choice([0, 1, top]) if rng.random() < 0.2 else rng.randint(1, top) for _ in range(n)]
    return weights if any(weights) else [1] * n


def ranks(matroid: Matroid) -> dict[frozenset[int], int]:
    """The size of the largest independent subset of every set, by listing."""
    subsets = [frozenset(s) for size in range(matroid.n + 1) for s in combinations(range(matroid.n), size)]
    free = {s for s in subsets if matroid.independent(s)}
    return {s: max(len(t) for t in free if t <= s) for s in subsets}


def partition_by_subsets(weights: list[int], matroid: Matroid) -> list[Fraction]:
    """pi by the definition: F_i is the largest set that maximises the growth of weight over that of rank."""
    rank = ranks(matroid)
    total = sum(weights)
    weight = {s: Fraction(sum(weights[e] for e in s), total) for s in rank}
    last: frozenset[int] = frozenset()
    pi: list[Fraction] = []
    while weight[last] < 1:
        above = [s for s in rank if rank[s] > rank[last]]
        best = max((weight[s] - weight[last]) / (rank[s] - rank[last]) for s in above)
        tops = [s for s in above if weight[s] - weight[last] == best * (rank[s] - rank[last])]
        new = max(tops, key=len)
        pi += [best] * (rank[new] - rank[last])
        last = new
    return pi


def least_top(weights: list[int], matroid: Matroid, guesses: int) -> float:
    """The least, over all channels with independent pre-images, of the mean mass of the so many likeliest secrets.

    Columns with pre-images in one base may be put together, which tells no more: a column for each base. For column j
    of J the sum of the l largest is the least of l t_j + sum over x of s_xj with s_xj >= J_xj - t_j, s >= 0.
    """
    n, p = matroid.n, np.array(weights) / sum(weights)
    rank = ranks(matroid)
    full = rank[frozenset(range(n))]
    bases = [sorted(s) for s in rank if len(s) == full and rank[s] == full]
    cells = [(x, j) for j, base in enumerate(bases) for x in base]
    m, c = len(bases), len(cells)
    cost = np.concatenate([np.zeros(c), np.full(m, float(guesses)), np.ones(c)])
    rows = np.zeros((n, len(cost)))
    below = np.zeros((c, len(cost)))
    for i, (x, j) in enumerate(cells):
        rows[x, i] = 1
        below[i, [i, c + j, c + m + i]] = [1, -1, -1]
    bounds = [(0, None)] * c + [(None, None)] * m + [(0, None)] * c
    found = linprog(cost, A_ub=below, b_ub=np.zeros(c), A_eq=rows, b_eq=p, bounds=bounds, method="highs")
    assert found.status == 0
    return float(found.fun)
