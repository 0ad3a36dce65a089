"""to_plan: a plan of the warehouse as one in memory, for certify, .cloak files and the cloak."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from minleak._data.labels import Labels
from minleak._data.prior import Prior
from minleak._plan.rings import Homes, Ring
from minleak._plans.certifying import certify
from minleak._plans.rings import Plan
from minleak._warehouse.certifying import DAMAGED
from minleak._warehouse.plan import WarehousePlan, checked, giants_table
from minleak._warehouse.tables import engine_of
from minleak.errors import InvalidParameter, UnreadableFile


def to_plan(plan: WarehousePlan) -> Plan:
    """The same plan in memory: the same giants, homes and ring, secrets in the order of their positions.

    `minleak.certify`, `Plan.save` and `Cloak` take it, and draws are those of `warehouse.cloak`: sticky draws with the
    same key and scope show the same sets. It is certified here, so that a plan that was changed after it was made is
    refused. Takes about 100 bytes of memory for each secret, and its label.

    >>> from minleak.warehouse import design
    >>> prior = pa.table({"secret": ["flu", "cold", "gout", "mumps"], "count": [36, 30, 20, 14]})
    >>> to_plan(design(prior, k=3))
    Plan(n=4, k=3, giants=1, layout='stable', homes=1, segments=3)
    """
    plan = checked(plan)
    header = plan.header
    rows = engine_of(plan.table).arrow(plan.table)
    if header.giants:
        rows = pa.concat_tables([rows, giants_table(header).to_pyarrow()], promote_options="permissive")
    if not len(rows) or any(column.null_count for column in rows.columns):
        raise UnreadableFile(DAMAGED)
    position, ring, start, weight = (
        rows[name].to_numpy().astype(np.int64) for name in ("position", "ring", "start", "weight")
    )
    first = np.full(header.n, -1, dtype=np.int64)
    if position.min() >= 0 and position.max() < header.n:
        first[position] = np.arange(len(position))
    named, u = rows["secret"].combine_chunks(), header.u
    common, at_home = np.flatnonzero(ring == 0), np.flatnonzero(ring > 0)
    if (
        first.min() < 0
        or not pc.all(pc.equal(named, named.take(pa.array(first[position])))).as_py()
        or len(at_home) % max(u, 1)
    ):
        raise UnreadableFile(DAMAGED)
    weights = np.zeros(header.n, dtype=np.int64)
    np.add.at(weights, position, weight)
    common = common[np.argsort(start[common])]
    homes = at_home[np.lexsort((start[at_home], ring[at_home]))].reshape(-1, max(u, 1))
    try:
        made = Plan(
            prior=Prior.trusted(weights, Labels.of(named.take(pa.array(first)), header.n), header.total, header.total),
            k=header.k,
            layout=header.layout,
            weights=weights,
            giants=np.arange(len(header.giants), dtype=np.int64),
            homes=Homes(position[homes], weight[homes[:, 0]]),
            rings=(Ring(position[common], start[common], header.length, u),) if len(common) else (),
            known_as=bytes.fromhex(header.digest),  # by which its rows are drawn in the engine
        )
    except InvalidParameter:
        raise UnreadableFile(DAMAGED) from None
    if (ring[homes] != ring[homes[:, :1]]).any() or not certify(made, made.prior):
        raise UnreadableFile(DAMAGED)
    return made
