"""A plan as rows that any language reads, and draws from as runtimes/spec.md says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from minleak._data.arrays import Indices
from minleak._data.labels import Labels
from minleak._data.parameters import whole
from minleak._plan.partition import Partition
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak._plans.rings import Plan

# Rows that a table may have unless the caller says otherwise.
ROWS = 50_000_000
# Cells that are looked at together.
_WIDTH = 4096


def column_of_secrets(labels: Labels) -> pa.Array:
    """The labels as a column of text or whole numbers."""
    names = pa.array(np.arange(len(labels))) if labels.is_default else labels.storable()
    if names is None:
        raise InvalidParameter("a table holds labels that are text or 64-bit integers: rename the secrets first")
    return names


def rows_of_rings(plan: Plan, limit: int) -> pa.Table:
    """For every set its members, each with the units of its own line at which it shows that set. O(rows): cells come in
    the order in which every secret goes through them, so that a stable sort by secret is all there is to do.
    """
    limit = whole(limit, "the limit on rows", 0)
    if plan.n_cells * plan.k > limit:
        raise InvalidParameter(
            f"the table would have up to {plan.n_cells * plan.k:,} rows ({plan.n_cells:,} sets), above the limit of "
            f"{limit:,}: draw from the .cloak file instead, design blocks, or raise the limit"
        )
    names = column_of_secrets(plan.prior.labels)
    cells = [_side_by_side(plan)] if plan.lower else _along_rings(plan)
    units = np.concatenate([lengths for *_, lengths in cells])
    secrets, numbers, done = [np.repeat(plan.giants, len(units))], [np.tile(np.arange(len(units)), plan.n_giants)], 0
    for members, places, lengths in cells:
        secrets.append(members)
        numbers.append(places + done)
        done += len(lengths)
    if len(plan.zero_weight) or not plan.rest_weight:
        idle, begins = plan.zero_weight_line()
        secrets.append(idle)
        numbers.append(np.repeat(np.arange(done, done + len(begins)), np.diff(np.append(begins, len(idle)))))
        units = np.append(units, np.ones(len(begins), dtype=np.int64))
    return table_of_rows(names, np.concatenate(secrets), np.concatenate(numbers), units)


def table_of_rows(names: pa.Array, secrets: Indices, numbers: Indices, units: Indices) -> pa.Table:
    """The table of rows (secret, set) that are in order for each secret, with the units of each set."""
    by_secret = Partition.by_codes(secrets)
    secrets, numbers = secrets[by_secret.members], numbers[by_secret.members]
    owned = units[numbers]
    ends = np.cumsum(owned)
    base = np.repeat((ends - owned)[by_secret.begins[:-1]], by_secret.sizes)
    return pa.table(
        {
            "secret": names.take(pa.array(secrets)),
            "set_number": pa.array(numbers),
            "first": _column(ends - owned - base),
            "last": _column(ends - 1 - base),
        }
    )


def _column(places: Indices) -> pa.Array:
    """Whole numbers, in text where they may pass 64 bits."""
    return pa.array(places if places.dtype != object else [str(place) for place in places])


def _along_rings(plan: Plan) -> list[tuple[Indices, Indices, Indices]]:
    """(members, number of the set of each, lengths of the sets): the homes, and then the tracks of each ring, one after
    the other, as a draw goes through the places of a secret.
    """
    found = []
    for blocks in (plan.home_cells(_WIDTH), *(ring.cells().blocks(_WIDTH) for ring in plan.rings)):
        sets, lengths = _joined(blocks, plan.u)
        found.append((sets.T.ravel(), np.tile(np.arange(len(lengths)), plan.u), lengths))
    return found


def _side_by_side(plan: Plan) -> tuple[Indices, Indices, Indices]:
    """The same of several tiers at once: each member's sets in the order of its places on the rings of its tier."""
    parts = list(plan.common.cells(_WIDTH))
    sets, lengths, along = (np.concatenate([part[i] for part in parts]) for i in range(3))
    order = np.argsort(along.ravel(), kind="stable")
    return sets.ravel()[order], np.repeat(np.arange(len(sets)), sets.shape[1])[order], lengths


def _joined(blocks: Iterable[tuple[Indices, Indices]], u: int) -> tuple[Indices, Indices]:
    """Blocks of cells as one: sets of shape (cells, u), and their lengths."""
    found = [(np.empty((0, u), dtype=np.int64), np.empty(0, dtype=np.int64)), *blocks]
    return np.concatenate([sets for sets, _ in found]), np.concatenate([lengths for _, lengths in found])
