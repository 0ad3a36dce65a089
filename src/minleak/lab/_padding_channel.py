"""padding_channel: sizes drawn at random, for which no channel within the limits leaks less."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._prior import Prior
from minleak.errors import InvalidParameter
from minleak.lab._optimise.optimum import optimise
from minleak.lab._optimise.result import Optimum
from minleak.padding._limits import Cap, Limits
from minleak.padding._size_classes import as_size_classes

# The most pairs of secret and observable to optimise over, about 280 secrets of different sizes; and the most secrets.
_LIMIT, _SECRETS = 40_000, 5000


def padding_channel(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    budget: float | None = None,
    overhead: float | None = None,
    relative: float | None = None,
    most: Cap | None = None,
    entropy: ConditionalEntropy | str = "shannon",
) -> Optimum:
    """Minimise H(X) - H(X|Y) over all channels from secrets to sizes that make no size s(x) smaller, within the limits
    of `minleak.padding.design`: no padding, random or not, leaks less than `bound`.

    Observables are the distinct sizes: any other could be lowered to the next size below, and would leak no more. The
    other parameters are those of `design`, and the entropies those of `optimise`; `costs` of the result are the mean
    overheads that have a limit. Time: that of `optimise`, for a few hundred secrets.

    Drawn anew for each look it reveals more with every look: `minleak.Cloak` draws stickily.

    >>> best = padding_channel([10, 20], [80, 20], budget=7)
    >>> round(best.leakage, 4), best.channel.toarray().round(3)
    (0.0341, array([[0.125, 0.875],
           [0.   , 1.   ]]))
    """
    limits, classes = Limits(budget, overhead, relative, most), as_size_classes(sizes, prior)
    natural, shown = classes.natural, np.unique(classes.natural)
    largest = limits.largest(natural)
    pairs = int((np.searchsorted(shown, largest, side="right") - np.searchsorted(shown, natural)).sum())
    if pairs > _LIMIT or len(natural) > _SECRETS:  # before there are arrays of all pairs, which would fill memory
        raise InvalidParameter(
            f"a padding channel must have at most {_LIMIT:,} pairs of a secret and a size that it may show, some 280 "
            f"secrets of different sizes, and at most {_SECRETS:,} secrets; got {pairs:,} pairs of {len(natural):,} "
            f"secrets and {len(shown):,} sizes. Use padding.design, or round sizes up first."
        )
    added = (shown[None, :] - natural[:, None]).astype(np.float64)
    allowed = (added >= 0) & (shown[None, :] <= largest[:, None])
    named = limits.on(classes)
    costs = [added / np.maximum(natural, 1e-300)[:, None] if name == "relative" else added for name in named.names]
    costs = [np.where(allowed, cost, 0.0) for cost in costs]
    budgets = [min(limit, float(cost.max())) for cost, limit in zip(costs, named.allowed.tolist(), strict=True)]
    priced: dict[str, Any] = {"cost": costs, "budget": budgets} if costs else {}
    return optimise(classes.prior, entropy=entropy, allowed=allowed, outputs=shown.tolist(), **priced)
