"""The randomised padding that leaks least over all channels: convex optimisation, then integers to draw from."""

from __future__ import annotations

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._entropy.base import ConditionalEntropy
from minleak._optimise.optimum import optimise
from minleak._padding.result import DENOMINATOR, Padding
from minleak._padding.size_classes import SizeClasses
from minleak.errors import InvalidParameter

# Pairs of secret and observable that the solvers are asked to look at: about 280 secrets of different sizes.
_LIMIT = 40_000


def design_randomised(classes: SizeClasses, entropy: ConditionalEntropy, budget: float) -> Padding:
    """Minimise the leakage over all channels C with C[x,y] = 0 where size_y < size_x, and mean overhead <= budget.

    Observables are the distinct sizes: any other could be lowered to the next size below and tell no more.
    The solver's rows are rounded to multiples of 2^-32, what is left over going to the row's smallest size, so that the
    overhead never grows; the leakage is that of the rounded rows, and the bound is the solver's certificate for all.
    """
    natural, p = classes.natural, classes.prior.p
    shown = np.unique(natural)
    overheads = (shown[None, :] - natural[:, None]).astype(np.float64)
    allowed = overheads >= 0
    pairs = int(allowed.sum())
    if pairs > _LIMIT:
        raise InvalidParameter(
            f"{len(natural)} secrets of {len(shown)} sizes make {pairs} pairs, and a randomised padding is found for "
            f"up to {_LIMIT}: use buckets (randomised=False), or round sizes up first, by minleak.padding.to_multiple"
        )
    best = optimise(
        classes.prior,
        entropy=entropy,
        allowed=allowed,
        cost=np.where(allowed, overheads, 0.0),
        budget=min(budget, float(overheads.max())),  # it may be infinite
    )
    weights = _to_integers(_within(best.channel.toarray(), overheads, p, budget))
    used = np.flatnonzero(weights.any(axis=0))
    weights = weights[:, used]
    rows, columns = np.nonzero(weights)
    return Padding.of(
        classes,
        entropy,
        budget=budget,
        floor=1,
        randomised=True,
        observables=shown[used],
        starts=np.append(0, np.cumsum((weights > 0).sum(axis=1))).astype(np.int64),
        columns=columns.astype(np.int64),
        weights=weights[rows, columns],
        bound=best.bound,
    )


def _within(rows: Array, overheads: Array, p: Array, budget: float) -> Array:
    """The rows, mixed with no padding at all by as little as keeps a solver's rounding within the budget."""
    overhead = float(p @ (rows * np.maximum(overheads, 0.0)).sum(axis=1))
    if overhead <= budget:
        return rows
    kept = budget / overhead
    natural = (overheads == 0).astype(np.float64)
    return np.asarray(kept * rows + (1 - kept) * natural)


def _to_integers(rows: Array) -> Indices:
    """Rows as whole numbers that sum to 2^32, what is left over at the smallest size that the row shows."""
    weights = np.floor(rows * DENOMINATOR).astype(np.int64)
    smallest = (weights > 0).argmax(axis=1)
    weights[np.arange(len(weights)), smallest] += DENOMINATOR - weights.sum(axis=1)
    return weights
