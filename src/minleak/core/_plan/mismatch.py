"""The leakage of a plan that was designed for one prior and is attacked under another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._columns import BLOCK
from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._entropy.gain import Gain
from minleak.core._leakage import difference, leakage
from minleak.core._plan.written_out import explicit_channel, ring_density
from minleak.core._prior import Prior, as_prior, reorder_prior
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak.core._plan.plan import Plan


def mismatched_leakage(plan: Plan, H: ConditionalEntropy, prior: Prior | Iterable[Any]) -> float:
    """H(X) - H(X|Y) of the plan's channel when secrets are drawn from `prior`, the attacker knowing so.

    At a phase that x covers, its joint density is c_x = q(x) / (u w_x), that of a giant q(x) / s. Every set is looked
    at, O(n k). With gains q(x) is gamma_x q(x). What is no eta(sum Fhat) is measured on the explicit channel.
    """
    q = reorder_prior(as_prior(prior), plan.prior.labels)
    if plan.gains is None and (not isinstance(H, Entropy) or not H.symmetric):
        # gains look at who is in a set, other forms at how the mass is cut into sets: both need the channel itself
        return leakage(q, explicit_channel(plan), H)
    measure = H if plan.gains is None else Gain(form_for_gains(H), plan.gains)
    worth = q.p if plan.gains is None else q.p * plan.gains
    columns = np.concatenate([measure.summary(block) for block in _columns(plan, worth)], axis=1)
    return difference(H, measure(q), measure.value(columns))


def _columns(plan: Plan, worth: Array) -> Iterator[Array]:
    """The columns of the joint without their zeros, giants included."""
    density = ring_density(plan, worth)
    giants = density[plan.giants][:, None]
    for sets, lengths in plan.mean_cells(max(1, BLOCK // plan.k)):
        members = np.concatenate([density[sets].T, np.repeat(giants, len(sets), axis=1)])
        members *= lengths
        yield members
    yield from (worth[group][:, None] for group in plan.zero_weight_sets())


def form_for_gains(entropy: ConditionalEntropy) -> Entropy:
    """The entropy, if it is one that gains can be put on."""
    if not isinstance(entropy, Entropy) or not entropy.symmetric:
        raise InvalidParameter(f"gains go with an entropy of the form eta(sum Fhat), not {entropy!r}")
    return entropy
