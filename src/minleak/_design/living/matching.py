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


def match_versions(old: Labels, new: Labels) -> Indices | None:
    """Where each label of a plan stands among those of the prior that it is updated for; None if all stand where they
    did. A prior that cannot be of the same secrets is refused.
    """
    if old.is_default != new.is_default:
        which, other = ("the new prior", "the plan") if new.is_default else ("the plan", "the new prior")
        raise InvalidParameter(
            f"{which} has no labels and {other} has: secrets are matched by label, so give the same names to both"
        )
    moved = matched(old, new)
    if moved is not None and not (moved >= 0).any():
        raise InvalidParameter(
            "the new prior has none of the plan's labels: it is of other secrets, so design a plan for it"
        )
    return moved


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
