"""The randomised padding of least leakage over all channels: convex optimisation, then integers to draw from."""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._entropy.base import ConditionalEntropy
from minleak.errors import InvalidParameter
from minleak.lab._optimise.optimum import optimise
from minleak.padding._limits import Limits
from minleak.padding._result import DENOMINATOR, Padding
from minleak.padding._size_classes import SizeClasses

# The most pairs of secret and observable to optimise over, about 280 secrets of different sizes; and the most secrets.
_LIMIT, _SECRETS = 40_000, 5000


def design_randomised(classes: SizeClasses, entropy: ConditionalEntropy, limits: Limits) -> Padding:
    """Minimise the leakage over all channels C with C[x,y] = 0 where size_y < size_x or above the cap of x, and with
    each mean overhead within its budget.

    Observables are the distinct sizes: any other could be lowered to the next size below, and would leak no more. The
    solver's rows are rounded to multiples of 2^-32, with the remainder on the row's smallest size, so that the overhead
    never grows. The leakage is that of the rounded rows, and the bound is the solver's certificate.
    """
    natural, p = classes.natural, classes.prior.p
    shown = np.unique(natural)
    largest = limits.largest(natural)
    pairs = int((np.searchsorted(shown, largest, side="right") - np.searchsorted(shown, natural)).sum())
    if pairs > _LIMIT or len(natural) > _SECRETS:  # before there are arrays of all pairs, which would fill memory
        raise InvalidParameter(
            f"a randomised padding must have at most {_LIMIT:,} pairs of a secret and a size that it may show, some "
            f"280 secrets of different sizes, and at most {_SECRETS:,} secrets; got {pairs:,} pairs of "
            f"{len(natural):,} secrets and {len(shown):,} sizes. Use buckets, which are not randomised, or round sizes "
            "up first."
        )
    added = (shown[None, :] - natural[:, None]).astype(np.float64)
    allowed = (added >= 0) & (shown[None, :] <= largest[:, None])
    named = limits.on(classes)
    costs = [added / np.maximum(natural, 1e-300)[:, None] if name == "relative" else added for name in named.names]
    costs = [np.where(allowed, cost, 0.0) for cost in costs]
    budgets = [min(budget, float(cost.max())) for cost, budget in zip(costs, named.allowed.tolist(), strict=True)]
    priced: dict[str, Any] = {"cost": costs, "budget": budgets} if costs else {}
    best = optimise(classes.prior, entropy=entropy, allowed=allowed, **priced)
    rows = best.channel.toarray()
    for cost, budget in zip(costs, named.allowed.tolist(), strict=True):
        rows = _within(rows, cost, added, p, budget)
    weights = _to_integers(rows)
    used = np.flatnonzero(weights.any(axis=0))
    weights = weights[:, used]
    at, columns = np.nonzero(weights)
    return Padding.of(
        classes,
        entropy,
        limits=limits,
        randomised=True,
        observables=shown[used],
        starts=np.append(0, np.cumsum((weights > 0).sum(axis=1))).astype(np.int64),
        columns=columns.astype(np.int64),
        weights=weights[at, columns],
        bound=best.bound,
    )


def _within(rows: Array, cost: Array, added: Array, p: Array, budget: float) -> Array:
    """Undo a solver's rounding above the budget, by mixing the rows with as little of no padding as needed."""
    spent = float(p @ (rows * cost).sum(axis=1))
    if spent <= budget:
        return rows
    kept = budget / spent
    return np.asarray(kept * rows + (1 - kept) * (added == 0))


def _to_integers(rows: Array) -> Indices:
    """Rows as integers that sum to 2^32, with the remainder on the smallest size that the row shows."""
    weights = np.floor(rows * DENOMINATOR).astype(np.int64)
    smallest = (weights > 0).argmax(axis=1)
    weights[np.arange(len(weights)), smallest] += DENOMINATOR - weights.sum(axis=1)
    return weights
