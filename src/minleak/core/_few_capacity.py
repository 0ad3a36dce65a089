"""The Shannon capacity of a small channel in Python's own floats: numpy takes longer to be called than to compute it.

Newton's steps among the secrets that have weight; those that reach zero leave, those that are farther from the output
than the others come in. Only bounds that hold are returned, and None where the steps do not close the gap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Rows = list[list[float]]

_STEPS = 40
# What a secret that comes in starts with.
_ENTERING = 1e-3
# Rows that depend on each other make a step that long, and one of them leaves.
_RIDGE = 1e-11


@dataclass(frozen=True)
class FewBounds:
    """Bounds on the capacity in nats, the prior r that attains the lower one, and how many steps it took."""

    lower: float
    upper: float
    r: list[float]
    steps: int


def bound_capacity(rows: Rows, gap: float) -> FewBounds | None:
    """I(r) = sum over x of r_x D(C[x,.] || q) is a lower bound, and the largest of these divergences an upper one."""
    n = len(rows)
    r = [1 / n] * n
    neg_entropies = [sum([c * math.log(c) for c in row if c]) for row in rows]
    columns = list(zip(*rows, strict=True))
    for step in range(1, _STEPS + 1):
        q = [sum([a * c for a, c in zip(r, column, strict=True)]) for column in columns]
        logs = [math.log(v) if v > 0 else -math.inf for v in q]
        far = [
            h - sum([c * log for c, log in zip(row, logs, strict=True) if c])
            for h, row in zip(neg_entropies, rows, strict=True)
        ]
        lower, upper = sum([a * d for a, d in zip(r, far, strict=True) if a]), max(far)
        if upper - lower <= gap:
            return FewBounds(max(lower, 0.0), max(upper, 0.0), r, step)
        inside = [x for x in range(n) if r[x] > 0]
        if max([far[x] for x in inside]) - lower < 0.5 * gap:  # at the optimum of these secrets: another is farther
            entering = far.index(upper)
            r = [(1 - _ENTERING) * a for a in r]
            r[entering] += _ENTERING
            continue
        moved = _newton([rows[x] for x in inside], q, [far[x] - lower for x in inside])
        if moved is None:
            return None
        room = min([1.0, *[-r[x] / d for x, d in zip(inside, moved, strict=True) if d < 0]])
        for x, d in zip(inside, moved, strict=True):
            r[x] = r[x] + room * d
            if r[x] < 1e-15:
                r[x] = 0.0
        total = sum(r)
        r = [a / total for a in r]
    return None


def _newton(rows: Rows, q: list[float], slopes: list[float]) -> list[float] | None:
    """The step d of sum zero with K d = slopes - a constant, K[x,x'] = sum over y of C[x,y] C[x',y] / q_y."""
    shares = [[c / v if v > 0 else 0.0 for c, v in zip(row, q, strict=True)] for row in rows]
    n = len(rows)
    system = [
        [sum([a * b for a, b in zip(share, row, strict=True)]) for row in rows] + [slope, 1.0]
        for share, slope in zip(shares, slopes, strict=True)
    ]
    for i in range(n):
        system[i][i] *= 1 + _RIDGE
    for i in range(n):
        pivot = system[i]
        if not pivot[i] > 0:
            return None
        for j in range(i + 1, n):
            factor = system[j][i] / pivot[i]
            if factor:
                system[j] = [b - factor * a for a, b in zip(pivot, system[j], strict=True)]
    towards, ones = [0.0] * n, [0.0] * n
    for i in range(n - 1, -1, -1):
        row = system[i]
        towards[i] = (row[n] - sum([row[j] * towards[j] for j in range(i + 1, n)])) / row[i]
        ones[i] = (row[n + 1] - sum([row[j] * ones[j] for j in range(i + 1, n)])) / row[i]
    level = sum(towards) / sum(ones)
    return [t - level * one for t, one in zip(towards, ones, strict=True)]
