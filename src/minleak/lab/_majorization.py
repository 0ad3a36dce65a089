"""Majorization: the order that every symmetric core-concave entropy respects, with witnesses and Lorenz curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._parameters import real, whole
from minleak.core._prior import Prior, as_prior
from minleak.core._result import Result
from minleak.core._simulating import TRIALS, generator
from minleak.errors import InvalidParameter, quote

# The largest distributions that are tried.
_LARGEST = 10_000_000


@dataclass(frozen=True)
class Majorization(Result):
    """Whether the first majorizes the second, `ok`: its j largest sum to at least those of the second, for every j.

    Where it fails, `at` is the least j that shows it and `sums` the two partial sums there. `exact` tells whether
    integers or floats were compared.
    """

    ok: bool
    exact: bool
    at: int | None = None
    sums: tuple[Any, Any] | None = None

    def __bool__(self) -> bool:
        return self.ok


def majorizes(first: Prior | Iterable[Any], second: Prior | Iterable[Any], *, tolerance: float = 1e-12) -> Majorization:
    """Whether the first is at least as far from uniform as the second (majorizes it), both taken as distributions.

    Exact for integer and Fraction weights, else within `tolerance`. If it is, H(first) <= H(second) for every symmetric
    core-concave entropy. Vectors of different length are padded with zeros. O(n log n).

    >>> majorizes([3, 1, 0], [2, 1, 1]).ok
    True
    >>> majorizes([2, 1, 1], [3, 1, 0])
    Majorization(ok=False, exact=True, at=1, sums=(Fraction(1, 2), Fraction(3, 4)))
    """
    first, second = as_prior(first), as_prior(second)
    tolerance = real(tolerance, "the tolerance is a number from 0 on", least=0)
    length = max(len(first), len(second))
    if first.exact and second.exact:
        # w/W >= v/V is w V >= v W, in integers of any size
        left = [s * second.total for s in _partial_sums(first, length)]
        right = [s * first.total for s in _partial_sums(second, length)]
        scale = first.total * second.total
        for j, (s, t) in enumerate(zip(left, right, strict=True), start=1):
            if s < t:
                return Majorization(False, True, j, (Fraction(s, scale), Fraction(t, scale)))
        return Majorization(True, True)
    x, y = (np.pad(lorenz(prior)[1:], (0, length - len(prior)), constant_values=1.0) for prior in (first, second))
    short = np.flatnonzero(x < y - tolerance)
    if len(short):
        j = int(short[0])
        return Majorization(False, False, j + 1, (float(x[j]), float(y[j])))
    return Majorization(True, False)


def lorenz(prior: Prior | Iterable[Any]) -> Array:
    """The Lorenz curve 0, p_[1], p_[1] + p_[2], ..., 1 (largest first): a majorizes b if its curve is nowhere below.

    >>> lorenz([1, 2, 1])
    array([0.  , 0.5 , 0.75, 1.  ])
    """
    return np.concatenate([[0.0], np.cumsum(as_prior(prior).descending)])


@dataclass(frozen=True)
class SchurCheck(Result):
    """Whether a function kept the order on all pairs tried, `ok` in so many `trials`; otherwise `first` majorizes
    `second`, and yet of the `values` its is larger.
    """

    ok: bool
    trials: int
    first: Array | None = None
    second: Array | None = None
    values: tuple[float, float] | None = None

    def __bool__(self) -> bool:
        return self.ok


def check_schur_concave(
    f: Callable[[Array], float], *, n: int = 5, trials: int = 500, tolerance: float = 1e-9, seed: int = 0
) -> SchurCheck:
    """Spot check that a majorizes b implies f(a) <= f(b), on random pairs with b an average of rearrangements of a.

    >>> check_schur_concave(lambda p: 1 - p.max()).ok
    True
    >>> check_schur_concave(lambda p: p.max()).ok
    False
    """
    n, trials = whole(n, "n", 2, _LARGEST), whole(trials, "trials", 1, TRIALS)
    tolerance, rng = real(tolerance, "the tolerance is a number from 0 on", least=0), generator(seed)
    if not callable(f):
        raise InvalidParameter(f"f is a function of a distribution, not {quote(f)}")
    for _ in range(trials):
        a = rng.gamma(rng.choice([0.1, 1.0, 5.0]), size=n) + 1e-12
        a /= a.sum()
        t = rng.dirichlet(np.ones(3))
        b = t[0] * a + t[1] * rng.permutation(a) + t[2] * rng.permutation(a)
        of_a, of_b = float(f(a)), float(f(b))
        excess = 0.0 if of_a == of_b else of_a - of_b
        if not excess <= tolerance * (1 + (abs(of_b) if math.isfinite(of_b) else 0.0)):
            return SchurCheck(False, trials, a, b, (of_a, of_b))
    return SchurCheck(True, trials)


def _partial_sums(prior: Prior, length: int) -> list[int]:
    sums = list(accumulate(sorted(prior.weights.tolist(), reverse=True)))
    return sums + [sums[-1]] * (length - len(sums))
