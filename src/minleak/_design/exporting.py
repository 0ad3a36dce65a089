"""A plan as rows that any language reads."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from minleak._data.labels import Labels
from minleak._data.parameters import whole
from minleak._design.rings import Arrangement
from minleak.errors import InvalidParameter

# Rows that a table may have unless the caller says otherwise.
ROWS = 50_000_000


def column_of_secrets(labels: Labels) -> pa.Array:
    """The labels as a column of text or whole numbers."""
    names = pa.array(np.arange(len(labels))) if labels.is_default else labels.storable()
    if names is None:
        raise InvalidParameter("a table holds labels that are text or 64-bit integers: rename the secrets first")
    return names


def rows_of_rings(plan: Arrangement, limit: int) -> pa.Table:
    """For every set its members, each with the units of its own line at which it shows that set."""
    limit = whole(limit, "the limit on rows", 0)
    if plan.n_cells * plan.k > limit:
        raise InvalidParameter(
            f"the table would have up to {plan.n_cells * plan.k:,} rows ({plan.n_cells:,} sets), above the limit of "
            f"{limit:,}: draw from the .cloak file instead, design blocks, or raise the limit"
        )
    names = column_of_secrets(plan.prior.labels)
    none = np.empty(0, dtype=np.int64)
    sets, lengths, width = [none], [none], plan.n_giants + plan.u
    for some, units in plan.cells():
        sets.append(np.hstack([np.broadcast_to(plan.giants, (len(some), plan.n_giants)), some]).ravel())
        lengths.append(units)
    idle, begins = plan.idle_line() if len(plan.idle) or not plan.tail else (none, none)
    units = np.concatenate(lengths)
    sizes = np.concatenate([np.full(len(units), width), np.diff(np.append(begins, len(idle)))])
    secrets = np.concatenate([*sets, idle]).astype(np.int64)
    numbers = np.repeat(np.arange(len(sizes)), sizes)
    units = np.repeat(np.concatenate([units, np.ones(len(begins), dtype=np.int64)]), sizes)
    order = np.argsort(secrets, kind="stable")
    secrets, numbers, units = secrets[order], numbers[order], units[order]
    ends = np.cumsum(units)
    starts = ends - units
    first_rows = np.flatnonzero(np.diff(secrets, prepend=-1))
    base = np.repeat(starts[first_rows], np.diff(np.append(first_rows, len(secrets))))
    return pa.table(
        {
            "secret": names.take(pa.array(secrets)),
            "set_number": pa.array(numbers),
            "first": pa.array(starts - base),
            "last": pa.array(ends - 1 - base),
        }
    )
