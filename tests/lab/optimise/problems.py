"""Small constrained problems that the tests share, and second ways to their optima."""

from __future__ import annotations

import itertools
import math

import numpy as np

import minleak as ml

# The paper's counterexample: secret 1 shows a, secrets 3 and 4 show b, secret 2 either.
COUNTEREXAMPLE = {"prior": [0.2, 0.5, 0.15, 0.15], "allowed": [[1, 0], [1, 1], [0, 1], [0, 1]]}

# Every entropy that has a core, at orders where solvers are at ease and at the edge of it.
LINEAR = ["min-entropy", "guess-error:1", "guess-error:2", "guess-error:3", "guesswork", "arimoto:inf"]
CONIC = [
    "shannon",
    *(f"{form}:{order}" for form in ("arimoto", "hayashi", "fehrberens") for order in (0.3, 0.5, 0.9, 1, 1.2, 2, 3, 7)),
    "tsallis:0.5",
    "tsallis:2",
    "sharma-mittal:2,0.5",
    "sharma-mittal:0.5,2",
]
NEAR_ONE = [
    f"{form}:{order!r}" for form in ("arimoto", "hayashi", "fehrberens") for order in (1 - 1e-4, 1 + 1e-9, 1.001)
]


def hamming(n):
    """What a wrong observable costs."""
    return 1 - np.eye(n)


def random_problem(seed, n=6, m=5):
    """A prior, costs and a budget half-way between the least and what hiding all costs."""
    rng = np.random.default_rng(seed)
    p, cost = rng.dirichlet(np.ones(n)), rng.random((n, m))
    least, all_hidden = p @ cost.min(axis=1), (p @ cost).min()
    return {"prior": p, "cost": cost, "budget": (least + all_hidden) / 2}


def subsets(n, k):
    """All sets of k secrets as observables: allowed[x, M] = x in M."""
    sets = list(itertools.combinations(range(n), k))
    return np.array([[x in members for members in sets] for x in range(n)])


def entropy_of(p):
    """Shannon's in bits, in plain numbers."""
    return -sum(x * math.log2(x) for x in p if x > 0)


def rate_distortion(p, cost, slope, steps=20_000):
    """A point (budget, bits) of the rate-distortion function by Blahut's alternating minimisation, no solver in it."""
    q = np.full(cost.shape[1], 1 / cost.shape[1])
    kernel = np.exp(-slope * cost)
    for _ in range(steps):
        channel = q * kernel
        channel /= channel.sum(axis=1, keepdims=True)
        moved = p @ channel
        if np.abs(moved - q).max() < 1e-15:
            break
        q = moved
    return float((p[:, None] * channel * cost).sum()), ml.leakage(p, channel, "shannon")


def keeps(best, *, prior, allowed=None, cost=None, budget=None, fixed=None):
    """Whether the channel is one, and keeps to its constraints."""
    matrix = best.channel.toarray()
    p = np.asarray(ml.Prior(prior).p)
    inside = allowed is None or (matrix[~np.asarray(allowed, dtype=bool)] == 0).all()
    within = budget is None or (p[:, None] * matrix * np.asarray(cost)).sum() <= budget + 1e-12
    same = fixed is None or np.allclose(matrix[~np.isnan(fixed)], np.asarray(fixed)[~np.isnan(fixed)], atol=1e-15)
    return bool(inside and within and same and np.abs(matrix.sum(axis=1) - 1).max() < 1e-12 and matrix.min() >= 0)
