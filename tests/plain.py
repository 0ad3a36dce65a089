"""The definitions once more, as loops over plain numbers, and the small system that the tests share.

Nothing here uses the library or numpy, so that a test that compares with it gets each number in two independent ways.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

Vector = Sequence[Any]
Matrix = Sequence[Vector]

# Relative error allowed to sums of a few dozen floats.
CLOSE = 1e-12

# Four secrets, one of them impossible; five observables, of which "x" comes only from the impossible secret and "y"
# from nobody, so that neither occurs. All entries are multiples of 1/4: ties are ties in floats too.
WEIGHTS = (5, 3, 2, 0)
SECRETS = ("flu", "cold", "gout", "none")
OBSERVABLES = ("hot", "mild", "pain", "x", "y")
_HALF, _QUARTER = Fraction(1, 2), Fraction(1, 4)
CHANNEL = (
    (_HALF, _HALF, 0, 0, 0),
    (_QUARTER, _QUARTER, _HALF, 0, 0),
    (0, 0, 1, 0, 0),
    (0, 0, _HALF, _HALF, 0),
)
PRIOR = tuple(Fraction(w, sum(WEIGHTS)) for w in WEIGHTS)
FLOATS = [[float(entry) for entry in row] for row in CHANNEL]


def joint(p: Vector, c: Matrix) -> list[list[Any]]:
    return [[p[x] * entry for entry in row] for x, row in enumerate(c)]


def columns(matrix: Matrix) -> list[list[Any]]:
    return [list(column) for column in zip(*matrix, strict=True)]


def output(p: Vector, c: Matrix) -> list[Any]:
    return [sum(column) for column in columns(joint(p, c))]


def posteriors(p: Vector, c: Matrix) -> dict[int, list[Any]]:
    """For each observable that can occur, p(x given y)."""
    return {y: [v / sum(column) for v in column] for y, column in enumerate(columns(joint(p, c))) if sum(column) > 0}


def cascade(a: Matrix, b: Matrix) -> list[list[Any]]:
    return [[sum(row[y] * b[y][z] for y in range(len(b))) for z in range(len(b[0]))] for row in a]


def parallel(a: Matrix, b: Matrix) -> dict[tuple[int, int], list[Any]]:
    """The columns C[:,(y,z)] that are not zero."""
    pairs = product(range(len(a[0])), range(len(b[0])))
    made = {(y, z): [a[x][y] * b[x][z] for x in range(len(a))] for y, z in pairs}
    return {pair: column for pair, column in made.items() if any(column)}


def repeated(c: Matrix, times: int) -> dict[tuple[int, ...], list[Any]]:
    """The columns of all sequences that can be seen."""
    sequences = product(range(len(c[0])), repeat=times)
    made = {seen: [math.prod(row[y] for y in seen) for row in c] for seen in sequences}
    return {seen: column for seen, column in made.items() if any(column)}


def shannon(p: Vector, c: Matrix) -> float:
    """H(X|Y) in bits."""
    parts = [(v, sum(column)) for column in columns(joint(p, c)) for v in column if v > 0]
    return math.fsum(float(v) * math.log2(s / v) for v, s in parts)


def guesswork(p: Vector, c: Matrix) -> Any:
    ranked = [sorted(column, reverse=True) for column in columns(joint(p, c))]
    return sum(i * v for column in ranked for i, v in enumerate(column, start=1))


def gains(column: Vector, gain: Matrix) -> list[Any]:
    """What each guess earns: sum over x of G[w,x] v[x]."""
    return [sum(g * v for g, v in zip(row, column, strict=True)) for row in gain]


def identity(n: int) -> list[list[int]]:
    return [[int(w == x) for x in range(n)] for w in range(n)]


def vulnerability(p: Vector, gain: Matrix) -> Any:
    return max(gains(p, gain))


def posterior_vulnerability(p: Vector, c: Matrix, gain: Matrix) -> Any:
    return sum(max(gains(column, gain)) for column in columns(joint(p, c)))
