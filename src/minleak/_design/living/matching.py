"""Matching two lists of labels: where each of the one stands in the other."""

from __future__ import annotations

import numpy as np

from minleak._data.arrays import Indices
from minleak._data.labels import Labels, bytes_of_names
from minleak._data.prior import Prior
from minleak.errors import InvalidParameter


def matched(labels: Labels, others: Labels) -> Indices | None:
    """For each label its position among the others, -1 if it is not there; None if all stand where they do there.

    Labels that nobody gave are numbers, as they are elsewhere. O(n).
    """
    if labels.is_default and others.is_default:
        if len(labels) == len(others):
            return None
        return np.where(np.arange(len(labels)) < len(others), np.arange(len(labels)), -1)
    if len(labels) == len(others) and labels == others:
        return None
    others = others.indexed()
    names = None if labels.is_default else labels.storable()
    if names is None or not len(others.slots) or (names.type == "int64") != (others.arrow.type == "int64"):
        found = map(others.position, labels)
        return np.array([-1 if at is None else at for at in found], dtype=np.int64)
    from minleak._kernels import hashing

    return np.asarray(hashing.find_strings(*bytes_of_names(names), bytes_of_names(others.arrow), others.slots))


def rearranged(prior: Prior, labels: Labels) -> Prior:
    """The prior in the order of the labels, zero for those that it does not name. What it names besides is refused.

    Where one of the two has no names, they must be as many as the other's, and are taken to be in one order.
    """
    if prior.labels.is_default != labels.is_default:
        if len(prior) != len(labels):
            raise InvalidParameter(f"the prior has {len(prior)} secrets, the plan {len(labels)}: they must be the same")
        return prior
    found = matched(labels, prior.labels)
    if found is None:
        return prior
    known = found >= 0
    strange = len(prior) - int(np.count_nonzero(known))
    if strange:
        mass = max(1.0 - float(prior.p[found[known]].sum()), 0.0)
        raise InvalidParameter(
            f"{strange:,} secrets of the prior, {mass:.3g} of its mass, are not among the plan's {len(labels):,}: "
            "update the plan for them, or leave them out"
        )
    weights = np.where(known, prior.weights[found], 0)
    return Prior.trusted(weights, labels, prior.total, prior.events)
