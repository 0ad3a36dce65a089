"""The leakage of a plan that was designed for one prior and is attacked under another, by sweeping the phases."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._entropy.forms import as_mean
from minleak.core._entropy.gain import Gain
from minleak.core._entropy.means import renyi_columns
from minleak.core._leakage import difference, leakage
from minleak.core._plan.written_out import explicit_channel, ring_density
from minleak.core._prior import Prior, as_prior, reorder_prior
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak.core._plan.plan import Plan

# Homes looked at in one go.
_BATCH = 1 << 16


def mismatched_leakage(plan: Plan, H: ConditionalEntropy, prior: Prior | Iterable[Any]) -> float:
    """H(X) - H(X|Y) of the plan's channel when secrets are drawn from `prior`, the attacker knowing so.

    At a phase that x covers, its joint density is c_x = q(x) / (u w_x), that of a giant q(x) / s. From one phase to the
    next one member changes. Sums over the set (Shannon, Renyi of ordinary order) and its maximum (one guess) are
    carried along for entropies that are a mean of Renyi's, O(n log n) in all; others look at every set, O(n k). With
    gains q(x) is gamma_x q(x). What is no eta(sum Fhat) is measured on the explicit channel.
    """
    q = reorder_prior(as_prior(prior), plan.prior.labels)
    if plan.gains is None and (not isinstance(H, Entropy) or not H.symmetric):
        # gains look at who is in a set, other forms at how the mass is cut into sets: both need the channel itself
        return leakage(q, explicit_channel(plan), H)
    measure = H if plan.gains is None else Gain(form_for_gains(H), plan.gains)
    worth = q.p if plan.gains is None else q.p * plan.gains
    density = ring_density(plan, worth)
    idle = [worth[group][:, None] for group in plan.zero_weight_sets()]
    mean = as_mean(H.form) if plan.gains is None else None
    if mean is None or not _carries(mean.order) or plan.lower:
        columns = [*_columns(plan, density), *idle]
        after = measure.value(np.concatenate([measure.summary(block) for block in columns], axis=1))
    else:
        swept = [*_swept(plan, density, mean.order), *(renyi_columns(column, mean.order) for column in idle)]
        mass, nats = np.concatenate(swept, axis=1)
        after = mean.combine(mass, nats)
    return difference(H, measure(q), after)


def form_for_gains(entropy: ConditionalEntropy) -> Entropy:
    """The entropy, if it is one that gains can be put on."""
    if not isinstance(entropy, Entropy) or not entropy.symmetric:
        raise InvalidParameter(f"gains go with an entropy of the form eta(sum Fhat), not {entropy!r}")
    return entropy


def _carries(order: float) -> bool:
    """Whether power sums of that order can be updated from phase to phase without losing digits."""
    return order in (0.0, 1.0, math.inf) or (0.05 <= order <= 8 and abs(order - 1) >= 1e-3)


def _swept(plan: Plan, density: Array, order: float) -> Iterator[Array]:
    """For every cell its mass under the prior and the Renyi entropy of its posterior, in nats."""
    from minleak.core._plan import sweeping

    for sets, lengths in plan.home_cells(_BATCH):
        block = renyi_columns(_with_giants(plan, density, sets), order)
        block[0] *= lengths
        yield block
    for ring in plan.rings:
        cells = ring.cells()
        lengths = np.diff(np.append(cells.phases, cells.length), prepend=0)
        scaled = density * plan.rest_weight  # not far from one, so that the logarithms of sums keep their digits
        sums, entropies = sweeping.sweep_cells(
            cells.first, cells.tracks, cells.members, scaled, scaled[plan.giants], order
        )
        yield np.stack([sums / plan.rest_weight * lengths, entropies])


def _columns(plan: Plan, density: Array) -> Iterator[Array]:
    """The columns of the joint, giants included, in blocks."""
    for sets, lengths in plan.mean_cells():
        yield _with_giants(plan, density, sets) * lengths


def _with_giants(plan: Plan, density: Array, sets: Indices) -> Array:
    giants = np.repeat(density[plan.giants][:, None], len(sets), axis=1)
    return np.concatenate([density[sets].T, giants])
