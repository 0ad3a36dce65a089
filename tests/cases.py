"""The definitions of a design once more, in Fractions, and the priors and entropies that the tests of plans share.

`target`, `posteriors` and `total_variation` use neither the library nor numpy, so that a comparison with them is one
of two independent ways.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import minleak as ml
from minleak.lab.paper import Cachin, JizbaArimitsu, RennerWolf

LAYOUTS = ("circle", "stable")

# The paper's toy examples, k = 3: the prior in hundredths, j*, and the channel as printed, observables being sets.
TOYS = {
    "no giant": (
        (30, 28, 22, 20),
        1,
        {
            (0, 1, 2): (0.4444, 0.4762, 0.6061, 0),
            (0, 1, 3): (0.3778, 0.4048, 0, 0.5667),
            (0, 2, 3): (0.1778, 0, 0.2424, 0.2667),
            (1, 2, 3): (0, 0.1190, 0.1515, 0.1667),
        },
    ),
    "one giant": (
        (36, 30, 20, 14),
        2,
        {
            (0, 1, 2): (0.5625, 0.6000, 0.9000, 0),
            (0, 1, 3): (0.3750, 0.4000, 0, 0.8571),
            (0, 2, 3): (0.0625, 0, 0.1000, 0.1429),
        },
    ),
    "two giants": (
        (40, 35, 15, 10),
        3,
        {(0, 1, 2): (0.6000, 0.6000, 1, 0), (0, 1, 3): (0.4000, 0.4000, 0, 1)},
    ),
}

# The prior of the paper's figures, 30/465 down to 1/465.
FIGURES = tuple(range(30, 0, -1))

# Small priors that are hard for one reason each, to be tried at every k.
HARD = {
    "one secret": (7,),
    "two secrets": (3, 2),
    "all equal": (4, 4, 4, 4, 4, 4, 4),
    "equal, larger than their number": (20, 20, 20, 20, 20),
    "tie at the boundary of giants": (6, 3, 3, 2, 2, 2),
    "two tied giants": (9, 9, 2, 1, 1, 1),
    "all but one tiny": (10**6, 1, 1, 1, 1),
    "a giant at each step": (64, 32, 16, 8, 4, 2, 1),
    "zeros": (0, 5, 0, 3, 2, 0, 4),
    "one possible": (0, 0, 9, 0),
    "just under its share": (24, 19, 19, 19, 19),
    "heavy homes, light rest": (30, 30, 30, 29, 1, 1, 1),
    "increasing": (1, 2, 3, 4, 5, 6, 7, 8),
}


def large() -> dict[str, tuple[Any, int]]:
    """Priors of about ten thousand secrets and a cap for each, as different as they come."""
    rng = np.random.default_rng(3)
    n = 10_000
    tail = (10**9 / np.arange(1, n + 1) ** 1.1).astype(np.int64)
    steep = 10**4 * 2 ** np.arange(30, 0, -1)
    return {
        "heavy tail": (rng.permutation(tail), 8),
        "ties": (rng.integers(1, 4, n), 7),
        "zeros": (rng.integers(0, 3, n) * rng.integers(0, 1000, n), 5),
        "all equal": (np.full(n + 3, 12), 11),
        "many giants": (np.concatenate([rng.integers(1, 50, n), steep]), 50),
        "one just under its share": (np.append(np.full(n, 100), n * 100 // 9 - 1), 10),
        "homes give back": (np.append(np.full(40, 10**6), rng.integers(1, 9, n)), 30),
        "floats": (rng.dirichlet(np.full(n, 0.1)) + 1e-300, 16),
    }


SHANNON, MIN_ENTROPY, GUESSWORK = ml.Shannon(), ml.MinEntropy(), ml.Guesswork()

# Entropies of one's own: eta increasing on a concave core, and decreasing on a convex one.
ROOTS = ml.lab.CoreConcave(math.log, core=lambda p: np.sqrt(p).sum(), name="roots")
CUBES = ml.lab.CoreConcave(lambda z: 1 / z - 1, core=lambda p: (p**3).sum(), increasing=False, name="cubes")

# One of each kind that is of the paper's form, then those that are not.
CORES = (
    SHANNON,
    MIN_ENTROPY,
    ml.GuessError(2),
    GUESSWORK,
    ml.Arimoto(0.3),
    ml.Arimoto(1 + 1e-9),
    ml.Arimoto(7),
    ml.Hartley(),
    ml.lab.Hayashi(2),
    ml.lab.Hayashi(0),
    ml.lab.Hayashi(math.inf),
    ml.lab.FehrBerens(1),
    ml.lab.FehrBerens(3),
    ml.lab.SharmaMittal(2, 0.5),
    ml.lab.Tsallis(3),
    ml.Shannon(base=10),
    ROOTS,
    CUBES,
)
OTHERS = (
    Cachin(2),
    JizbaArimitsu(2),
    JizbaArimitsu(0.5),
    RennerWolf(0.5),
    RennerWolf(3),
)


def names(entropies: Sequence[ml.lab.ConditionalEntropy]) -> list[str]:
    return [H.name for H in entropies]


def target(weights: Sequence[Any], k: int) -> list[Fraction]:
    """pi, straight from its definition: j* is the first j in 1..k with p(j) <= (p(j) + ... + p(n)) / (k - j + 1).

    Secrets that are missing up to the k-th have probability zero; zeros are left out of the result.
    """
    total = sum(map(Fraction, weights))
    p = sorted((Fraction(w) / total for w in weights), reverse=True) + [Fraction(0)] * k
    j = next(j for j in range(1, k + 1) if p[j - 1] <= sum(p[j - 1 :]) / (k - j + 1))
    pi = p[: j - 1] + [sum(p[j - 1 :]) / (k - j + 1)] * (k - j + 1)
    return [value for value in pi if value > 0]


def posteriors(weights: Sequence[Any], matrix: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """The positive entries of p(x given y), largest first, for each observable that can occur."""
    found = []
    for column in zip(*matrix, strict=True):
        joint = [Fraction(w) * c for w, c in zip(weights, column, strict=True)]
        if sum(joint) > 0:
            found.append(sorted((v / sum(joint) for v in joint if v > 0), reverse=True))
    return found


def total_variation(a: Sequence[Any], b: Sequence[Any]) -> Fraction:
    """Half the sum of |a/|a| - b/|b||, floats taken as the exact numbers they are."""
    first, second = [Fraction(v) for v in a], [Fraction(v) for v in b]
    s, t = sum(first), sum(second)
    return sum((abs(x / s - y / t) for x, y in zip(first, second, strict=True)), Fraction(0)) / 2
