"""The randomised padding that leaks least over all channels: convex optimisation, then integers to draw from."""

from __future__ import annotations

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._data.channel import Channel
from minleak._entropy.base import ConditionalEntropy
from minleak._measure.leakages import leakage
from minleak._optimise.optimum import optimise
from minleak._padding.ladder import Ladder
from minleak._padding.result import DENOMINATOR, Padding
from minleak.errors import InvalidParameter

# Pairs of secret and observable that the solvers are asked to look at: about 280 secrets of different sizes.
_LIMIT = 40_000


def randomised_padding(ladder: Ladder, entropy: ConditionalEntropy, budget: float) -> Padding:
    """Minimise the leakage over all channels C with C[x,y] = 0 where size_y < size_x, and mean overhead <= budget.

    Observables are the distinct sizes: any other could be lowered to the next size below and tell no more.
    The solver's rows are rounded to multiples of 2^-32, what is left over going to the row's smallest size, so that the
    overhead never grows; the leakage is that of the rounded rows, and the bound is the solver's certificate for all.
    """
    shown = np.unique(ladder.sizes)
    n, m = len(ladder.sizes), len(shown)
    overheads = (shown[None, :] - ladder.sizes[:, None]).astype(np.float64)
    allowed = overheads >= 0
    if int(allowed.sum()) > _LIMIT:
        raise InvalidParameter(
            f"{n} secrets of {m} sizes make {int(allowed.sum())} pairs, and a randomised padding is found for up to "
            f"{_LIMIT}: use buckets (randomised=False), or round sizes up first, by minleak.padding.to_multiple"
        )
    best = optimise(
        ladder.prior,
        entropy=entropy,
        allowed=allowed,
        cost=np.where(allowed, overheads, 0.0),
        budget=min(budget, float(overheads.max())),  # it may be infinite
    )
    rows = _within(best.channel.toarray(), overheads, ladder.prior.p, budget)
    weights = _rounded(rows)
    used = np.flatnonzero(weights.any(axis=0))
    weights = weights[:, used]
    columns = np.nonzero(weights)
    overhead = float(ladder.prior.p @ (weights * np.maximum(overheads[:, used], 0.0)).sum(axis=1)) / DENOMINATOR
    drawn = Channel(weights / DENOMINATOR, inputs=ladder.prior.labels)
    leaked = leakage(ladder.prior, drawn, entropy)
    return Padding(
        prior=ladder.prior,
        sizes=ladder.sizes,
        entropy=entropy,
        budget=budget,
        floor=1,
        randomised=True,
        observables=shown[used],
        starts=np.append(0, np.cumsum((weights > 0).sum(axis=1))).astype(np.int64),
        columns=columns[1].astype(np.int64),
        weights=weights[columns],
        overhead=overhead,
        leakage=leaked,
        bound=min(leaked, best.bound),
    )


def _within(rows: Array, overheads: Array, p: Array, budget: float) -> Array:
    """The rows, mixed with no padding at all by as little as keeps a solver's rounding within the budget."""
    overhead = float(p @ (rows * np.maximum(overheads, 0.0)).sum(axis=1))
    if overhead <= budget:
        return rows
    kept = budget / overhead
    natural = (overheads == 0).astype(np.float64)
    return np.asarray(kept * rows + (1 - kept) * natural)


def _rounded(rows: Array) -> Indices:
    """Rows as whole numbers that sum to 2^32, what is left over at the smallest size that the row shows."""
    weights = np.floor(rows * DENOMINATOR).astype(np.int64)
    smallest = (weights > 0).argmax(axis=1)
    weights[np.arange(len(weights)), smallest] += DENOMINATOR - weights.sum(axis=1)
    return weights
