"""A plan written out, for small plans, for peers and for other languages: as a channel, as the columns of its joint and
as the rows of a table that is drawn from as runtimes/spec.md says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from minleak.core._arrays import Array, Indices
from minleak.core._channel import Channel
from minleak.core._columns import BLOCK
from minleak.core._labels import Labels
from minleak.core._parameters import truth, whole
from minleak.core._plan.partition import Partition
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    import scipy.sparse as sp

    from minleak.core._plan.plan import Plan

# Entries that a channel may have unless the caller says otherwise.
ENTRIES = 50_000_000
# Rows that a table may have unless the caller says otherwise.
ROWS = 50_000_000
# Cells that are looked at together.
_WIDTH = 4096


# -- the channel -------------------------------------------------------------------------------------------------------


def explicit_channel(plan: Plan, *, dense: bool = False, exact: bool = False, limit: int = ENTRIES) -> Channel:
    """C[x,M] is the length of the cells of M over the places of x."""
    import scipy.sparse as sp

    truth(dense, "dense"), truth(exact, "exact")
    limit = whole(limit, "the limit on entries", 0)
    n = len(plan.prior)
    entries = plan.n_cells * (n if dense or exact else plan.k)
    if entries > limit:
        raise InvalidParameter(
            f"the channel would hold up to {entries:,} entries ({plan.n_cells:,} sets), above the limit of {limit:,}: "
            "use plan.sets(), or raise limit="
        )
    members, lengths = _distinct(plan)
    labels = plan.prior.labels
    idle = plan.zero_weight_sets()
    names = [tuple(labels[i] for i in row) for row in [*members.tolist(), *(group.tolist() for group in idle)]]
    denominators = plan.places(np.arange(n))
    rows = np.concatenate([members.ravel(), *idle])
    sizes = [members.shape[1]] * len(members) + [len(group) for group in idle]
    columns = np.repeat(np.arange(len(sizes)), sizes)
    if exact:
        matrix: Any = np.full((n, len(sizes)), Fraction(0), dtype=object)
        over = np.repeat(lengths, members.shape[1]).tolist()
        for place, (x, y) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
            matrix[x, y] = Fraction(over[place], int(denominators[x])) if place < len(over) else Fraction(1)
        return Channel(matrix, inputs=labels, outputs=names)
    with np.errstate(divide="ignore"):  # of a plan that is none the channel is refused
        on_rings = np.repeat(lengths, members.shape[1]) / denominators[members.ravel()]
        on_rings = on_rings.astype(np.float64)
    data = np.concatenate([on_rings, np.ones(len(rows) - members.size)])
    sparse = sp.csc_array((data, (rows, columns)), shape=(n, len(sizes)))
    return Channel(sparse.toarray() if dense else sparse, inputs=labels, outputs=names)


def _distinct(plan: Plan) -> tuple[Indices, Indices]:
    """The distinct sets on rings, giants included, members increasing, and the total length of each."""
    sets, lengths = _join(plan.cells(), plan.u)
    giants = np.broadcast_to(plan.giants, (len(sets), plan.n_giants))
    distinct, which = np.unique(np.sort(np.hstack([giants, sets]), axis=1), axis=0, return_inverse=True)
    totals = np.zeros(len(distinct), dtype=lengths.dtype)
    np.add.at(totals, which.ravel(), lengths)
    return distinct, totals


# -- the joint ---------------------------------------------------------------------------------------------------------


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
        begins = np.arange(0, members.size + 1, members.shape[1])
        yield columns_of(members.ravel(), (density[members] * lengths[:, None]).ravel(), begins, len(worth))
    line, begins = plan.zero_weight_line()
    if len(line):
        yield columns_of(line, worth[line], np.append(begins, len(line)), len(worth))


def columns_of(members: Indices, entries: Array, begins: Indices, n: int) -> sp.csc_array:
    """Columns over n secrets: column y has `entries` of `members` from begins[y] to begins[y + 1]."""
    import scipy.sparse as sp

    return sp.csc_array((entries, members, begins), shape=(n, len(begins) - 1))


# -- rows that are drawn from ------------------------------------------------------------------------------------------


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
        sets, lengths = _join(blocks, plan.u)
        found.append((sets.T.ravel(), np.tile(np.arange(len(lengths)), plan.u), lengths))
    return found


def _side_by_side(plan: Plan) -> tuple[Indices, Indices, Indices]:
    """The same of several tiers at once: each member's sets in the order of its places on the rings of its tier."""
    parts = list(plan.common.cells(_WIDTH))
    sets, lengths, along = (np.concatenate([part[i] for part in parts]) for i in range(3))
    order = np.argsort(along.ravel(), kind="stable")
    return sets.ravel()[order], np.repeat(np.arange(len(sets)), sets.shape[1])[order], lengths


def _join(blocks: Iterable[tuple[Indices, Indices]], u: int) -> tuple[Indices, Indices]:
    """Blocks of cells as one: sets of shape (cells, u), and their lengths."""
    found = [(np.empty((0, u), dtype=np.int64), np.empty(0, dtype=np.int64)), *blocks]
    return np.concatenate([sets for sets, _ in found]), np.concatenate([lengths for _, lengths in found])
