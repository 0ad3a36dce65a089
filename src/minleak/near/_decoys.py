"""Decoys: how far the other members of a set are from the secret, over all draws of a plan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minleak.core._plan.distances import METRICS
from minleak.core._plan.plan import Plan
from minleak.errors import InvalidParameter, quote


def decoy_distances(plan: Plan, shares: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9)) -> tuple[float, ...]:
    """Return how far decoys are from the secret they hide: the mean over a set's other members, giants aside, at the
    given shares of draws (0.5 is the median), in the metric that the plan was designed with: quantiles over x drawn by
    the weights, then its set. Exact, O(sets * u^2).

    Every member of a set is the secret equally often, so a set counts by its length for each member. Sets without other
    members have distance zero.
    """
    if plan.costs is None or plan.costs.coordinates is None:
        raise InvalidParameter("the plan has no coordinates: design it with layout=Near(points)")
    try:
        wanted = np.array(shares, dtype=np.float64)
    except (TypeError, ValueError):
        wanted = np.full(1, np.nan)
    if wanted.ndim != 1 or not ((wanted >= 0) & (wanted <= 1)).all():
        raise InvalidParameter(f"shares of draws are a list of numbers from 0 to 1, such as [0.5], not {quote(shares)}")
    metric = METRICS[plan.costs.metric](plan.costs.coordinates)
    means, counts = [np.zeros(1)], [np.zeros(1)]
    for sets, lengths in plan.cells():
        sets = sets[:, plan.n_giants :]
        means.append(metric.within(sets).sum(axis=2).ravel() / max(plan.u - 1, 1))
        counts.append(np.repeat(lengths.astype(np.float64), plan.u))
    mean, count = np.concatenate(means), np.concatenate(counts)
    order = np.argsort(mean)
    reached = np.cumsum(count[order])
    at = np.searchsorted(reached, wanted * reached[-1])
    return tuple(mean[order][np.minimum(at, len(order) - 1)].tolist())
