"""A plan as rows that any language reads, and draws from as runtimes/spec.md says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from minleak._data.arrays import Indices
from minleak._data.labels import Labels
from minleak._data.parameters import whole
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
    """For every set its members, each with the units of its own line at which it shows that set."""
    limit = whole(limit, "the limit on rows", 0)
    if plan.n_cells * plan.k > limit:
        raise InvalidParameter(
            f"the table would have up to {plan.n_cells * plan.k:,} rows ({plan.n_cells:,} sets), above the limit of "
            f"{limit:,}: draw from the .cloak file instead, design blocks, or raise the limit"
        )
    names = column_of_secrets(plan.prior.labels)
    none = np.empty(0, dtype=np.int64)
    sets, lengths, along, width = [none], [none], [none], plan.n_giants + plan.u
    for some, units, at in _placed_cells(plan):
        count = sum(map(len, lengths))
        sets.append(np.hstack([np.broadcast_to(plan.giants, (len(some), plan.n_giants)), some]).ravel())
        order = np.broadcast_to(np.arange(count, count + len(some))[:, None], (len(some), plan.n_giants))
        along.append(np.hstack([order, at]).ravel())
        lengths.append(units)
    idle, begins = plan.zero_weight_line() if len(plan.zero_weight) or not plan.rest_weight else (none, none)
    units = np.concatenate(lengths)
    sizes = np.concatenate([np.full(len(units), width), np.diff(np.append(begins, len(idle)))])
    secrets = np.concatenate([*sets, idle]).astype(np.int64)
    numbers = np.repeat(np.arange(len(sizes)), sizes)
    units = np.repeat(np.concatenate([units, np.ones(len(begins), dtype=np.int64)]), sizes)  # all of one type
    order = np.lexsort((np.concatenate([*along, np.zeros(len(idle), dtype=np.int64)]), secrets))
    secrets, numbers, units = secrets[order], numbers[order], units[order]
    ends = np.cumsum(units)
    starts = ends - units
    first_rows = np.flatnonzero(np.diff(secrets, prepend=-1))
    base = np.repeat(starts[first_rows], np.diff(np.append(first_rows, len(secrets))))
    return pa.table(
        {
            "secret": names.take(pa.array(secrets)),
            "set_number": pa.array(numbers),
            "first": _column(starts - base),
            "last": _column(ends - 1 - base),
        }
    )


def _column(places: Indices) -> pa.Array:
    """Whole numbers, in text where they may pass 64 bits."""
    return pa.array(places if places.dtype != object else [str(place) for place in places])


def _placed_cells(plan: Plan) -> Iterator[tuple[Indices, Indices, Indices]]:
    """(sets, lengths, where each member's places of the set lie along its own line): home first, then positions on the
    line of all rings, as a draw goes through them.
    """
    if plan.lower:
        yield from plan.common.cells(_WIDTH)
        return
    for sets, lengths in plan.home_cells(_WIDTH):
        yield sets, lengths, np.full(sets.shape, -1, dtype=np.int64)
    base = 0
    for ring in plan.rings:
        tracks, phase = base + ring.length * np.arange(plan.u, dtype=np.int64), 0
        for sets, lengths in ring.cells().blocks(_WIDTH):
            ends = phase + np.cumsum(lengths)
            yield sets, lengths, (ends - lengths)[:, None] + tracks
            phase = int(ends[-1]) if len(ends) else phase
        base += plan.u * ring.length
