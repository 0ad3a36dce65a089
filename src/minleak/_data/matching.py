"""Two or more lists of labels: positions of one in another, reordering, selecting, joining."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from minleak._data.arrays import Indices, in_one_piece
from minleak._data.labels import Labels, bytes_of_names
from minleak._data.prior import Prior
from minleak.errors import InvalidParameter


def find_positions(labels: Labels, others: Labels) -> Indices | None:
    """The position of each label among the others, -1 if it is not there; None if both lists are equal. O(n).

    Default labels are the numbers 0..n-1.
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


def match_from_start(labels: Labels, others: Labels) -> tuple[int, Indices]:
    """How many labels the lists have in common from the start, counted only if it is all of the others, else 0; and the
    position of each further label among the others, -1 if it is not there. Counts of a new day often begin with all
    secrets of the day before, which are then compared instead of looked up.
    """
    if labels.is_default and others.is_default:
        head = min(len(labels), len(others))
        return head, np.full(len(labels) - head, -1)
    head = len(others) if labels.part(0, len(others)) == others else 0
    rest = labels.part(head, len(labels))
    found = find_positions(rest, others) if len(rest) else np.empty(0)
    return head, np.arange(len(rest)) if found is None else np.asarray(found, dtype=np.int64)


def reorder_prior(prior: Prior, labels: Labels) -> Prior:
    """The prior in the order of the labels, with zero for labels that it does not have. Other secrets are refused.

    If one of the two has only default labels, both must be of one length and are taken to be in one order.
    """
    if prior.labels.is_default != labels.is_default:
        if len(prior) != len(labels):
            raise InvalidParameter(f"the prior has {len(prior)} secrets, the plan {len(labels)}: they must be the same")
        return prior
    found = find_positions(labels, prior.labels)
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
    """The labels at these positions; default labels become the positions themselves."""
    return Labels.of(pa.array(positions), len(positions)) if labels.is_default else labels.take(positions)


def join(several: Sequence[Labels]) -> Labels:
    """The lists one after another. If the first has default labels, so has the whole."""
    if len(several) == 1:
        return several[0]
    if several[0].is_default:
        return Labels(range(sum(map(len, several))))
    names = [one for labels in several if (one := labels.storable()) is not None]
    kinds = {str(one.type) for one in names}
    if len(names) < len(several) or ("int64" in kinds and len(kinds) > 1):
        return Labels.of([name for labels in several for name in labels], sum(map(len, several)))
    kind = names[0].type if len(kinds) == 1 else pa.large_string()
    return Labels(in_one_piece(pa.chunked_array([one.cast(kind) for one in names])))
