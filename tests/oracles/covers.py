"""Fractional covers by all sets, Sibson's information from its formula, and random families of sets."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
from scipy.optimize import linprog

ORDERS = (0.05, 0.3, 0.7, 1.0, 1.5, 3.0, 20.0, math.inf)


def all_sets(n: int, allowed) -> list[tuple[int, ...]]:
    """Every set of positions that is allowed, none of them empty."""
    subsets = itertools.chain.from_iterable(itertools.combinations(range(n), size) for size in range(1, n + 1))
    return [some for some in subsets if allowed(frozenset(some))]


def cover_number(n: int, sets: list[tuple[int, ...]]) -> float:
    """The least sum of weights on the sets that covers all."""
    has = np.array([[x in some for some in sets] for x in range(n)], dtype=float)
    solved = linprog(np.ones(len(sets)), A_ub=-has, b_ub=-np.ones(n))
    assert solved.status == 0
    return float(solved.fun)


def sibson(q: np.ndarray, matrix: np.ndarray, order: float) -> float:
    """Sibson's mutual information in bits; Shannon's at order 1."""
    q, matrix = q[q > 0], matrix[q > 0]
    if order == 1:
        output = q @ matrix
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(matrix > 0, matrix * np.log2(matrix / output), 0.0)
        return float(q @ terms.sum(axis=1))
    if order == math.inf:
        return math.log2(matrix.max(axis=0).sum())
    return order / (order - 1) * math.log2(((q[:, None] * matrix**order).sum(axis=0) ** (1 / order)).sum())


def random_family(rng: random.Random) -> tuple[int, list[tuple[int, ...]]]:
    """Up to seven secrets, and sets that cover them."""
    n = rng.randint(2, 7)
    sets = [tuple(rng.sample(range(n), rng.randint(1, min(4, n)))) for _ in range(rng.randint(1, 8))]
    return n, [*sets, *((x,) for x in range(n) if not any(x in some for some in sets))]


def random_channel(sets: list[tuple[int, ...]], n: int, rng: np.random.Generator) -> np.ndarray:
    """A random channel that shows these sets."""
    has = np.array([[x in some for some in sets] for x in range(n)])
    matrix = has * rng.exponential(size=has.shape) ** 2
    return matrix / matrix.sum(axis=1, keepdims=True)
