"""Paddings by trying them all, and the value of buckets from the entropies' own perspectives."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np

import minleak as ml

# Every combination of limits; a floor alone limits nothing.
KINDS = ("budget", "overhead", "relative", "most", "floor")
COMBINATIONS = [some for count in range(1, 6) for some in combinations(KINDS, count) if some != ("floor",)]


def draw_limits(rng, some, sizes):
    """Limits that bind, as often as not."""
    drawn = {
        "budget": float(rng.uniform(0, 0.3) * sizes.mean()),
        "overhead": float(rng.uniform(0, 0.3)),
        "relative": float(rng.uniform(0, 0.3)),
        "most": float(rng.choice([0.05, 0.12, 0.5, 1.0, 3.0])),
        "floor": int(rng.integers(2, 4)),
    }
    return {name: drawn[name] for name in some}


def thresholds(sizes):
    """Every way to cut the distinct sizes into contiguous buckets: what each secret is padded to."""
    distinct = np.unique(sizes)
    for count in range(len(distinct)):
        for cuts in combinations(range(len(distinct) - 1), count):
            ends = distinct[[*cuts, len(distinct) - 1]]
            yield ends[np.searchsorted(ends, sizes)]


def functions(sizes):
    """Every deterministic padding to one of the sizes, for each secret on its own."""
    distinct = np.unique(sizes)
    for shown in product(*([y for y in distinct if y >= size] for size in sizes)):
        yield np.array(shown)


def keeps(shown, sizes, weights, *, budget=None, overhead=None, relative=None, most=None, floor=1):
    """Whether a padding of whole sizes keeps these limits, in whole numbers and fractions."""
    rows = [(int(s), int(y), int(w)) for s, y, w in zip(sizes, shown, weights, strict=True) if w > 0]
    total = sum(w for _, _, w in rows)
    added = Fraction(sum(w * (y - s) for s, y, w in rows), total)
    size = Fraction(sum(w * s for s, _, w in rows), total)
    near = 1 + Fraction(1, 10**12)
    if budget is not None and added > Fraction(budget) * near:
        return False
    if overhead is not None and added > Fraction(overhead) * size * near:
        return False
    if relative is not None or most is not None:
        if any(s == 0 and y > 0 for s, y, _ in rows):
            return False
        shares = [(Fraction(y - s, s), s, w) for s, y, w in rows if s > 0]
        if relative is not None and sum(r * w for r, _, w in shares) > Fraction(relative) * total * near:
            return False
        cap = most if callable(most) else lambda _: most
        if most is not None and any(r > Fraction(str(cap(s))) for r, s, _ in shares):
            return False
    return min(Counter(y for _, y, _ in rows).values()) >= floor


def least(paddings, sizes, weights, H, budget=None, **limits):
    """The least leakage among paddings of whole sizes within the limits."""
    sizes, weights = np.asarray(sizes), np.asarray(weights).astype(int)
    return min(
        (
            ml.leakage(weights, ml.Channel.deterministic(shown.tolist()), H)
            for shown in paddings
            if keeps(shown, sizes, weights, budget=budget, **limits)
        ),
        default=np.inf,
    )


def plain_value(H, columns):
    """What `BucketValue` says of buckets, by the entropy's perspective: Fhat, or |v|_1 - Fhat where F is convex."""
    fhat = H.perspective(columns)
    return fhat if H.increasing else columns.sum(axis=0) - fhat


def plain_corner(sizes, p, H, price, *, floor=1, rate=1.0, most=np.inf):
    """The least price * overhead - value over contiguous buckets, every start tried; sizes distinct and increasing. A
    unit added to a size costs its `rate`.
    """
    m = len(sizes)
    least = np.full(m + 1, np.inf)
    least[0] = 0.0
    for j in range(1, m + 1):
        starts = np.arange(j)
        columns = np.where(np.arange(j)[:, None] >= starts[None, :], p[:j, None], 0.0)
        added = (sizes[j - 1] - sizes[:j]) * np.broadcast_to(rate, m)[:j]
        overhead = (added[:, None] * columns).sum(axis=0)
        cost = least[:j] + price * overhead - plain_value(H, columns)
        allowed = (j - starts >= floor) & (sizes[j - 1] <= sizes[:j] * (1 + most))
        least[j] = np.where(allowed, cost, np.inf).min()
    return least[m]
