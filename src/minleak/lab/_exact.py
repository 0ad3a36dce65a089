"""Linear systems and small linear programmes over Fractions, decided exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.lab._packages import package

Exact = npt.NDArray[Any]
Rows = Exact | Sequence[Sequence[Fraction]]

# The most arithmetic that the exact simplex method is let do: rows x columns x rows of its table.
MOST = 2_000_000


def solve(M: Rows, rhs: Rows) -> Exact | None:
    """X with M X = rhs for a square M; None if M is singular.

    >>> solve([[1, 1], [0, 2]], [[1], [1]]).tolist()
    [[Fraction(1, 2)], [Fraction(1, 2)]]
    """
    try:
        return _to_array(_to_flint(M).solve(_to_flint(rhs)))
    except ZeroDivisionError:
        return None


def solve_uniquely(matrix: Rows, right: Sequence[Fraction]) -> list[Fraction] | None:
    """The unique solution of a system of linear equations of any shape; None if there is none or more than one.

    >>> solve_uniquely([[1, 1], [1, -1], [2, 0]], [3, 1, 4])
    [Fraction(2, 1), Fraction(1, 1)]
    """
    n = len(matrix[0])
    echelon, rank = _to_flint([[*row, value] for row, value in zip(matrix, right, strict=True)]).rref()
    if rank != n or any(echelon[i, i] != 1 for i in range(n)):
        return None
    return [_to_fraction(echelon[i, n]) for i in range(n)]


def product(A: Rows, B: Rows) -> Exact:
    """A @ B."""
    return _to_array(_to_flint(A) * _to_flint(B))


def rank(rows: Rows) -> int:
    """The rank of some vectors."""
    return int(_to_flint(rows).rank()) if len(rows) else 0


def stochastic(A: Exact, B: Exact) -> tuple[Exact | None, Exact | None]:
    """The stochastic R with A R = B, or gains G (by columns) of which every R earns less than B; by the simplex method.

    Phase one of the programme over the entries of R, by Bland's rule, so that it ends. (None, None) if too large.
    """
    (n, m), k = A.shape, B.shape[1]
    rows, columns = n * k + m, m * k
    if rows * rows * (rows + columns) > MOST:
        return None, None
    number = package("flint").fmpq
    a, b = (np.array(_to_flint(C).tolist(), dtype=object) for C in (A, B))
    table = np.full((rows + 1, columns + rows + 1), number(0), dtype=object)
    for j in range(k):
        table[j * n : (j + 1) * n, j * m : (j + 1) * m] = a
        table[j * n : (j + 1) * n, -1] = b[:, j]
        for i in range(m):
            table[n * k + i, j * m + i] = number(1)
    table[n * k : rows, -1] = number(1)
    for row in range(rows):
        table[row, columns + row] = number(1)
    table[rows] = -table[:rows].sum(axis=0)  # the costs of the artificial unknowns, brought to zero
    table[rows, columns : columns + rows] = number(0)
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
                R[column % m, column // m] = _to_fraction(table[row, -1])
        return R, None
    prices = np.array([_to_fraction(1 - value) for value in table[rows, columns : columns + n * k]], dtype=object)
    return None, prices.reshape(k, n).T


def _to_flint(rows: Rows) -> Any:
    """A matrix of python-flint's rational numbers."""
    flint = package("flint")
    entries = [flint.fmpq(int(value.numerator), int(value.denominator)) for row in rows for value in row]
    return flint.fmpq_mat(len(rows), len(rows[0]), entries)


def _to_array(matrix: Any) -> Exact:
    return np.array([[_to_fraction(value) for value in row] for row in matrix.tolist()], dtype=object)


def _to_fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))
