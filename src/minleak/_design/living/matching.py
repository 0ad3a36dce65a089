"""Matching two lists of labels: where each of the one stands in the other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from minleak._data.labels import Labels
from minleak._design.stored.tables import LabelIndex, bytes_of_names

Indices = npt.NDArray[np.int64]


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
    index = LabelIndex(others)
    names = LabelIndex(labels).names
    if names is None or index.names is None or (names.type == "int64") != (index.names.type == "int64"):
        found = (index.find(label) for label in labels)
        return np.array([-1 if at is None else at for at in found], dtype=np.int64)
    from minleak._kernels import hashing

    return np.asarray(hashing.find_strings(*bytes_of_names(names), bytes_of_names(index.names), index.slots))
