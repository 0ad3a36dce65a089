"""Linear systems and small linear programmes over Fractions, decided exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Indices

Exact = npt.NDArray[Any]

# The most arithmetic that the exact simplex method is let do: rows x columns x rows of its table.
MOST = 2_000_000


# A prime below 2^31, so that products of residues fit into 64 bits.
_PRIME = 2_147_483_629


def solve(M: Exact, rhs: Exact) -> Exact | None:
    """X with M X = rhs for a square M, None if M is singular (modulo a prime of 31 bits, at the least).

    By lifting the solution modulo p to one modulo p^t (Dixon), until fractions of half as many digits solve it exactly:
    what has small denominators is found at once, and no number is longer than the answer.
    """
    M, scale = _integers(M)
    rhs = rhs * scale[:, None]
    denominators = [math.lcm(*(value.denominator for value in column)) for column in rhs.T.tolist()]
    b = np.array(
        [[int(v * d) for v in column] for column, d in zip(rhs.T.tolist(), denominators, strict=True)], dtype=object
    ).T
    inverse = _inverse_modulo(np.array(M % _PRIME, dtype=np.int64))
    if inverse is None:
        return None
    small = max(abs(value) for value in M.flat) < 2**31 // len(M)
    factor = M.astype(np.int64) if small else M
    left, power, X, lifts, tried = b, 1, np.zeros_like(b), 0, 1
    while True:
        digit = _product_modulo(inverse, np.array(left % _PRIME, dtype=np.int64))
        X = X + power * digit.astype(object)
        left = (left - (factor @ (digit if small else digit.astype(object))).astype(object)) // _PRIME
        power *= _PRIME
        lifts += 1
        done = not left.any()
        if lifts >= tried or done:
            tried *= 2
            found = _fractions(X, power)
            if found is not None and all((M @ top == below * b[:, j]).all() for j, (top, below) in enumerate(found)):
                columns = zip(found, denominators, strict=True)
                return np.array([[Fraction(v, below * d) for v in top] for (top, below), d in columns], dtype=object).T


def _inverse_modulo(M: Indices) -> Indices | None:
    n = len(M)
    table = np.concatenate([M, np.eye(n, dtype=np.int64)], axis=1)
    for column in range(n):
        rows = np.flatnonzero(table[column:, column])
        if not len(rows):
            return None
        table[[column, column + rows[0]]] = table[[column + rows[0], column]]
        table[column] = table[column] * pow(int(table[column, column]), -1, _PRIME) % _PRIME
        others = np.flatnonzero(table[:, column])
        others = others[others != column]
        table[others] = (table[others] - table[others, column][:, None] * table[column] % _PRIME) % _PRIME
    return table[:, n:]


def _product_modulo(a: Indices, b: Indices) -> Indices:
    """a @ b modulo p: 16 bits of b at a time, whose products with 31 bits add up in 64 for thousands of terms."""
    high = a @ (b >> 16) % _PRIME
    return (high * (1 << 16) + a @ (b & 0xFFFF)) % _PRIME


def _fractions(X: Exact, power: int) -> list[tuple[Exact, int]] | None:
    """For each column numerators over one denominator, all below the root of power/2; None where there are none."""
    most = math.isqrt(power // 2)
    found = []
    for column in X.T.tolist():
        below = 1
        top: list[int] = []
        for residue in column:
            value = residue * below % power
            value = value - power if value > power // 2 else value
            if abs(value) > most:
                more = _denominator(residue * below % power, power, most)
                below *= more
                if below > most:
                    return None
                top = [v * more for v in top]
                value = residue * below % power
                value = value - power if value > power // 2 else value
            top.append(value)
        found.append((np.array(top, dtype=object), below))
    return found


def _denominator(residue: int, power: int, most: int) -> int:
    """The denominator of the fraction that the residue stands for, by Euclid's algorithm stopped half way."""
    a, b, s, t = power, residue, 0, 1
    while b > most:
        quotient = a // b
        a, b, s, t = b, a - quotient * b, t, s - quotient * t
    return abs(t)


def product(A: Exact, B: Exact) -> Exact:
    """A @ B, the arithmetic in integers."""
    (a, rows), (b, columns) = _integers(A), _integers(B.T)
    whole = zip((a @ b.T).tolist(), rows, strict=True)
    return np.array([[Fraction(v, r * c) for v, c in zip(row, columns, strict=True)] for row, r in whole], dtype=object)


def stochastic(A: Exact, B: Exact) -> tuple[Exact | None, Exact | None]:
    """The stochastic R with A R = B, or gains G (by columns) of which every R earns less than B; by the simplex method.

    Phase one of the programme over the entries of R, by Bland's rule, so that it ends. (None, None) if too large.
    """
    (n, m), k = A.shape, B.shape[1]
    rows, columns = n * k + m, m * k
    if rows * rows * (rows + columns) > MOST:
        return None, None
    table = np.full((rows + 1, columns + rows + 1), Fraction(0), dtype=object)
    for j in range(k):
        table[j * n : (j + 1) * n, j * m : (j + 1) * m] = A
        table[j * n : (j + 1) * n, -1] = B[:, j]
        for i in range(m):
            table[n * k + i, j * m + i] = Fraction(1)
    table[n * k : rows, -1] = Fraction(1)
    for row in range(rows):
        table[row, columns + row] = Fraction(1)
    table[rows] = -table[:rows].sum(axis=0)  # the costs of the artificial unknowns, brought to zero
    table[rows, columns : columns + rows] = Fraction(0)
    basis = list(range(columns, columns + rows))
    while True:
        enters = next((c for c in range(columns) if table[rows, c] < 0), None)
        if enters is None:
            break
        ratios = [(table[x, -1] / table[x, enters], basis[x], x) for x in range(rows) if table[x, enters] > 0]
        _, _, leaves = min(ratios)
        table[leaves] = table[leaves] / table[leaves, enters]
        for x in range(rows + 1):
            if x != leaves and table[x, enters]:
                table[x] = table[x] - table[x, enters] * table[leaves]
        basis[leaves] = enters
    if table[rows, -1] == 0:
        R = np.full((m, k), Fraction(0), dtype=object)
        for row, column in enumerate(basis):
            if column < columns:
                R[column % m, column // m] = table[row, -1]
        return R, None
    prices = np.array([Fraction(1) - value for value in table[rows, columns : columns + n * k]], dtype=object)
    return None, prices.reshape(k, n).T


def _integers(matrix: Exact) -> tuple[Exact, Exact]:
    """Each row times its least common denominator, and these."""
    scale = np.array([math.lcm(*(value.denominator for value in row)) for row in matrix.tolist()], dtype=object)
    scaled = [[int(value * d) for value in row] for row, d in zip(matrix.tolist(), scale, strict=True)]
    return np.array(scaled, dtype=object), scale
