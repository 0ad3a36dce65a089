"""The explicit channel of a plan, for small plans, for peers and for the eye."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak._data.channel import Channel
from minleak._data.parameters import truth, whole
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak._plans.rings import Plan

# Entries that a channel may have unless the caller says otherwise.
ENTRIES = 50_000_000


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
    inputs = None if labels.is_default else labels
    if exact:
        matrix: Any = np.full((n, len(sizes)), Fraction(0), dtype=object)
        over = np.repeat(lengths, members.shape[1]).tolist()
        for place, (x, y) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
            matrix[x, y] = Fraction(over[place], int(denominators[x])) if place < len(over) else Fraction(1)
        return Channel(matrix, inputs=inputs, outputs=names)
    with np.errstate(divide="ignore"):  # of a plan that is none the channel is refused
        on_rings = np.repeat(lengths, members.shape[1]) / denominators[members.ravel()]
        on_rings = on_rings.astype(np.float64)
    data = np.concatenate([on_rings, np.ones(len(rows) - members.size)])
    sparse = sp.csc_array((data, (rows, columns)), shape=(n, len(sizes)))
    return Channel(sparse.toarray() if dense else sparse, inputs=inputs, outputs=names)


def _distinct(plan: Plan) -> tuple[Any, Any]:
    """The distinct sets on rings, giants included, members increasing, and the total length of each."""
    blocks = [(sets, lengths) for sets, lengths in plan.cells()]
    if not blocks:
        return np.empty((0, plan.k), dtype=np.int64), np.empty(0, dtype=np.int64)
    sets = np.concatenate([sets for sets, _ in blocks])
    lengths = np.concatenate([lengths for _, lengths in blocks])
    giants = np.broadcast_to(plan.giants, (len(sets), plan.n_giants))
    whole = np.sort(np.concatenate([giants, sets], axis=1), axis=1)
    distinct, which = np.unique(whole, axis=0, return_inverse=True)
    totals = np.zeros(len(distinct), dtype=lengths.dtype)
    np.add.at(totals, which.ravel(), lengths)
    return distinct, totals
