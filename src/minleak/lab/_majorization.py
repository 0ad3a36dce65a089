"""Majorization: the order that every symmetric core-concave entropy respects, with a witness where it fails."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from minleak import Prior
from minleak.core._parameters import real
from minleak.core._prior import as_prior
from minleak.core._result import Result

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
    x, y = (
        np.pad(np.cumsum(prior.descending), (0, length - len(prior)), constant_values=1.0) for prior in (first, second)
    )
    short = np.flatnonzero(x < y - tolerance)
    if len(short):
        j = int(short[0])
        return Majorization(False, False, j + 1, (float(x[j]), float(y[j])))
    return Majorization(True, False)


def _partial_sums(prior: Prior, length: int) -> list[int]:
    sums = list(accumulate(sorted(prior.weights.tolist(), reverse=True)))
    return sums + [sums[-1]] * (length - len(sums))
