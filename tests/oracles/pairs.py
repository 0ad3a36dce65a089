"""Pairs of secrets by definition: theta by all subsets, and the optimum over all channels by a linear programme."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

Edge = tuple[int, int]


def theta_by_subsets(weights: list[int], edges: list[Edge]) -> dict[int, Fraction]:
    """The bottleneck decomposition: the largest set with the least p(N(B))/p(B), among all subsets, again and again."""
    left = {x for x, w in enumerate(weights) if w}
    near = {x: {y for edge in edges for y in edge if x in edge and y != x} & left for x in left}
    theta = {x: Fraction(1) for x in left if not near[x]}
    left -= set(theta)
    while left:
        ratios = []
        for size in range(1, len(left) + 1):
            for some in itertools.combinations(sorted(left), size):
                around = set().union(*(near[x] & left for x in some))
                alpha = Fraction(sum(weights[y] for y in around), sum(weights[x] for x in some))
                ratios.append((alpha, -size, some, around))
        alpha, _, members, others = min(ratios)
        if alpha == 1:
            return theta | dict.fromkeys(left, Fraction(1, 2))
        theta |= dict.fromkeys(members, 1 / (1 + alpha)) | dict.fromkeys(others, alpha / (1 + alpha))
        left -= {*members, *others}
    return theta


def random_core(rng: random.Random) -> tuple[Callable[[float, float], float], list[tuple[float, float]]]:
    """A symmetric, concave, piecewise linear core: the least of c max(a, b) + d min(a, b), c <= d."""
    pieces = []
    for _ in range(rng.randint(1, 5)):
        c = rng.uniform(-1, 1)
        pieces.append((c, c + rng.uniform(0, 3)))
    return lambda a, b: min(c * max(a, b) + d * min(a, b) for c, d in pieces), pieces


def largest_core(weights: list[int], edges: list[Edge], pieces: list[tuple[float, float]]) -> float:
    """The largest sum over observables of that core, over all channels that show secrets and edges."""
    secrets = [x for x, w in enumerate(weights) if w]
    sets = [(x,) for x in secrets] + [edge for edge in {tuple(sorted(e)) for e in edges} if set(edge) <= set(secrets)]
    at = {(x, some): i for i, (x, some) in enumerate((x, some) for some in sets for x in some)}
    rows = []
    for j, some in enumerate(sets):
        for c, d in pieces:
            for order in [some] if len(some) == 1 else [some, some[::-1]]:
                row = np.zeros(len(at) + len(sets))
                row[len(at) + j] = 1
                for x, factor in zip(order, (c, d), strict=False):
                    row[at[x, some]] -= factor
                rows.append(row)
    whole = np.zeros((len(secrets), len(at) + len(sets)))
    for (x, _), i in at.items():
        whole[secrets.index(x), i] = 1
    objective = np.r_[np.zeros(len(at)), -np.ones(len(sets))]
    bounds = [(0, None)] * len(at) + [(None, None)] * len(sets)
    solved = linprog(
        objective, A_ub=rows, b_ub=np.zeros(len(rows)), A_eq=whole, b_eq=[weights[x] for x in secrets], bounds=bounds
    )
    assert solved.status == 0, solved.message
    return float(-solved.fun)


KINDS = ("random", "path", "cycle", "odd cycle", "bipartite", "star", "tree", "complete", "two parts")
WEIGHTS = ("small", "equal", "large", "with zeros")


def random_graph(kind: str, rng: random.Random) -> tuple[int, list[Edge]]:
    """Up to eight secrets and the pairs of a graph of that kind."""
    n = rng.choice([3, 5, 7]) if kind == "odd cycle" else rng.randint(1, 8)
    cut, share = rng.randint(0, n), rng.choice([0.15, 0.3, 0.5, 0.8])
    edges = {
        "random": [edge for edge in itertools.combinations(range(n), 2) if rng.random() < share],
        "path": [(i, i + 1) for i in range(n - 1)],
        "cycle": [(i, (i + 1) % n) for i in range(n) if n > 1],
        "odd cycle": [(i, (i + 1) % n) for i in range(n)],
        "bipartite": [(i, j) for i in range(cut) for j in range(cut, n) if rng.random() < 0.6],
        "star": [(0, i) for i in range(1, n)],
        "tree": [(rng.randrange(i), i) for i in range(1, n)],
        "complete": list(itertools.combinations(range(n), 2)),
        "two parts": [*((i, i + 1) for i in range(n // 2 - 1)), *itertools.combinations(range(n // 2, n), 2)],
    }
    return n, edges[kind]


def random_weights(kind: str, n: int, rng: random.Random) -> list[int]:
    """Weights of that kind, not all zero."""
    make = {
        "small": lambda: rng.randint(1, 9),
        "equal": lambda: 1,
        "large": lambda: rng.randint(1, 10**18),
        "with zeros": lambda: rng.choice([0, 0, 1, 2, 5]),
    }
    weights = [make[kind]() for _ in range(n)]
    return weights if any(weights) else [1] * n
