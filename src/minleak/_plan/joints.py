"""The joint of a plan and its secrets, some columns at a time: what a property of the secret is measured on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._data.columns import BLOCK

if TYPE_CHECKING:
    import scipy.sparse as sp

    from minleak._plans.rings import Plan


def ring_density(plan: Plan, worth: Array) -> Array:
    """worth(x) over the units that x owns: what each unit of a cell holds of the joint. For p(x) of the plan itself it
    is 1/u or, for a giant, p(x)/s.
    """
    owned = plan.mean_places
    return np.asarray(worth / np.where(owned > 0, owned, 1.0))


def ring_blocks(plan: Plan, worth: Array) -> Iterator[sp.csc_array]:
    """The columns of the joint of a plan of rings, for the probability of each secret."""
    density = ring_density(plan, worth)
    for sets, lengths in plan.mean_cells(max(1, BLOCK // plan.k)):
        giants = np.broadcast_to(plan.giants, (len(sets), plan.n_giants))
        members = np.concatenate([giants, sets], axis=1)
        yield columns_of(members, density[members] * lengths[:, None], len(worth))
    line, begins = plan.zero_weight_line()
    if len(line):
        yield _ragged(line, worth[line], np.append(begins, len(line)), len(worth))


def partition_blocks(members: Indices, begins: Indices, worth: Array) -> Iterator[sp.csc_array]:
    """The columns of the joint of blocks that never change."""
    yield _ragged(members, worth[members], begins, len(worth))


def columns_of(members: Indices, entries: Array, n: int) -> sp.csc_array:
    """A column for each row of members, all equally many, of n secrets."""
    m, size = members.shape
    return _ragged(members.ravel(), entries.ravel(), np.arange(0, m * size + 1, size), n)


def _ragged(members: Indices, entries: Array, begins: Indices, n: int) -> sp.csc_array:
    import scipy.sparse as sp

    return sp.csc_array((entries, members, begins), shape=(n, len(begins) - 1))
