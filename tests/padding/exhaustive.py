"""Paddings by trying them all, and the value of buckets from the entropies' own perspectives."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

import minleak as ml


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


def least(paddings, sizes, weights, H, budget, *, floor=1):
    """The least leakage among paddings within the budget whose classes of possible secrets are large enough."""
    sizes, weights = np.asarray(sizes), np.asarray(weights)
    best = np.inf
    for shown in paddings:
        classes = np.unique(shown[weights > 0], return_counts=True)[1]
        if classes.min() >= floor and weights @ (shown - sizes) <= budget * weights.sum() * (1 + 1e-12):
            best = min(best, ml.leakage(weights, ml.Channel.deterministic(shown.tolist()), H))
    return best


def plain_value(H, columns):
    """What `BucketValue` says of buckets, by the entropy's perspective: Fhat, or |v|_1 - Fhat where F is convex."""
    fhat = H.perspective(columns)
    return fhat if H.increasing else columns.sum(axis=0) - fhat


def plain_corner(sizes, p, H, price, *, floor=1):
    """The least price * overhead - value over contiguous buckets, every start tried; sizes distinct and increasing."""
    m = len(sizes)
    least = np.full(m + 1, np.inf)
    least[0] = 0.0
    for j in range(1, m + 1):
        starts = np.arange(j)
        columns = np.where(np.arange(j)[:, None] >= starts[None, :], p[:j, None], 0.0)
        overhead = ((sizes[j - 1] - sizes[:j])[:, None] * columns).sum(axis=0)
        cost = least[:j] + price * overhead - plain_value(H, columns)
        least[j] = np.where(j - starts >= floor, cost, np.inf).min()
    return least[m]
