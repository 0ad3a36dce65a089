"""Rows read: what a query for a whole set costs in a table that holds each secret so many times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._plan.partition import Partition, sort_by_weight
from minleak.core._prior import Prior, as_prior, reorder_prior
from minleak.core._result import Result
from minleak.errors import Infeasible

# How often the most rows of a block are halved until the mean is kept: to a millionth of all.
_HALVINGS = 20


@dataclass(frozen=True)
class RowsRead(Result):
    """How many rows of a table are read by a query for all secrets of a set: the `mean` over queries, and the `worst`
    of them; None where it is not known.
    """

    mean: float
    worst: float | None


def as_rows(prior: Prior, rows: Any) -> Array:
    """The rows of each secret, in the order of the prior: a list, a mapping by label or a prior; None for the weights
    of the prior itself.
    """
    given = prior if rows is None else reorder_prior(as_prior(rows), prior.labels)
    return np.asarray(given.weights, dtype=np.float64)


def read_by_blocks(partition: Partition, prior: Prior, rows: Array) -> RowsRead:
    """What blocks cost: a query for x reads the rows of all secrets in its block. O(n)."""
    begins = partition.begins[:-1]
    held = np.add.reduceat(rows[partition.members], begins)
    asked = np.add.reduceat(as_rows(prior, None)[partition.members], begins)
    return RowsRead(math.fsum(asked * held) / math.fsum(asked), float(held.max()))


def cut_by_rows(prior: Prior, rows: Array, k: int, most: float) -> Partition:
    """The secrets from the likeliest down, cut into blocks as long as one has at most k members and `most` rows; one
    with more rows stands alone.

    Of all such cuts none has a smaller sum of the blocks' largest weights: each block begins as late as it can. O(n).
    """
    order = sort_by_weight(prior.weights)
    sums = np.cumsum(rows[order])
    begins, done = [0], 0.0
    while begins[-1] < len(order):
        end = int(np.searchsorted(sums, done + most * (1 + 1e-12), side="right"))
        begins.append(min(max(end, begins[-1] + 1), begins[-1] + k))
        done = float(sums[begins[-1] - 1])
    blocks = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
    members = order[np.lexsort((order, blocks))]  # in a block in the prior's order, so that it tells nothing more
    return Partition(members, np.array(begins))


def cut_within(prior: Prior, rows: Array, k: int, *, mean: float | None, worst: float | None) -> Partition:
    """The cut with the fewest blocks that keeps a budget in rows: `mean` over queries, `worst` of any.

    Raises Infeasible where single secrets read more than that.
    """
    limit = np.inf if worst is None else worst * (1 + 1e-12)
    if rows.max() > limit or (mean is not None and prior.p @ rows > mean * (1 + 1e-12)):
        raise Infeasible("a query for single secrets reads more rows than that already: allow more")
    if mean is None:
        return cut_by_rows(prior, rows, k, limit)
    low, high = 0.0, min(float(rows.sum()), limit)
    found = cut_by_rows(prior, rows, k, high)
    if read_by_blocks(found, prior, rows).mean <= mean * (1 + 1e-12):
        return found
    found = cut_by_rows(prior, rows, 1, 0.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        tried = cut_by_rows(prior, rows, k, middle)
        if read_by_blocks(tried, prior, rows).mean <= mean * (1 + 1e-12):
            low, found = middle, tried
        else:
            high = middle
    return found
