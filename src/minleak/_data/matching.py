"""Lists of labels side by side: where each of the one stands in the other, several in one, some of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

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


def take(labels: Labels, positions: Indices) -> Labels:
    """The labels at these positions; numbers where nobody gave any."""
    return Labels.of(pa.array(positions) if labels.is_default else labels.at(positions), len(positions))


def join(several: Sequence[Labels]) -> Labels:
    """One list after the other. Where nobody named the first, the others are the numbers that follow."""
    if len(several) == 1:
        return several[0]
    if several[0].is_default:
        return Labels(range(sum(map(len, several))))
    names = [labels.storable() for labels in several]
    if any(one is None for one in names) or len({str(one.type) for one in names if one is not None}) > 2:
        return Labels.of([name for labels in several for name in labels], sum(map(len, several)))
    kind = pa.int64() if names[0].type == pa.int64() else pa.large_string()  # type: ignore[union-attr]
    return Labels.of(pa.concat_arrays([one.cast(kind) for one in names]), sum(map(len, several)))  # type: ignore[union-attr]
