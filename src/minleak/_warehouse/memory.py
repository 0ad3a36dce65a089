"""to_plan: a plan of the warehouse as one in memory, for certify, .cloak files and the cloak."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from minleak._data.labels import Labels
from minleak._data.prior import Prior
from minleak._design.plan import Plan
from minleak._design.rings import Homes, Ring
from minleak._warehouse.engines import engine_of
from minleak._warehouse.plan import WarehousePlan, checked, giants_table
from minleak._warehouse.tiling import DAMAGED, check_tiling
from minleak.errors import UnreadableFile

Indices = npt.NDArray[np.int64]


def to_plan(plan: WarehousePlan) -> Plan:
    """The same plan in memory: the same giants, homes and ring, secrets in the order of their positions.

    `minleak.certify`, `Plan.save` and `Cloak` take it, and draws are those of `warehouse.cloak`: sticky draws with the
    same key and scope show the same sets. Takes about 100 bytes of memory for each secret, and its label.

    >>> from minleak._warehouse import design
    >>> prior = pa.table({"secret": ["flu", "cold", "gout", "mumps"], "count": [36, 30, 20, 14]})
    >>> to_plan(design(prior, k=3))
    Plan(n=4, k=3, giants=1, layout='stable', homes=1, segments=3)
    """
    plan = checked(plan)
    header, engine = plan.header, engine_of(plan.table)
    check_tiling(engine, plan)
    rows = engine.arrow(plan.table)
    if header.giants:
        rows = pa.concat_tables([rows, giants_table(header).to_pyarrow()], promote_options="permissive")
    numbers = {name: rows[name].to_numpy().astype(np.int64) for name in ("position", "ring", "start", "weight")}
    position, ring, start = numbers["position"], numbers["ring"], numbers["start"]
    if not (len(position) and position.min() >= 0 and position.max() < header.n):
        raise UnreadableFile(DAMAGED)
    first = np.full(header.n, -1, dtype=np.int64)
    first[position] = np.arange(len(position))
    if first.min() < 0:
        raise UnreadableFile(DAMAGED)
    named = rows["secret"].combine_chunks()
    labels = Labels.of(named.take(pa.array(first)), header.n)
    if not pc.all(pc.equal(named, named.take(pa.array(first[position])))).as_py():
        raise UnreadableFile(DAMAGED)
    weights = np.zeros(header.n, dtype=np.int64)
    np.add.at(weights, position, numbers["weight"])
    u, common = header.u, np.flatnonzero(ring == 0)
    common = common[np.argsort(start[common])]
    for many in (common, np.flatnonzero(ring > 0)):
        if len(np.unique(position[many])) < len(many):
            raise UnreadableFile(DAMAGED)
    rings = (Ring(position[common], start[common], header.length, u),) if len(common) else ()
    return Plan(
        prior=Prior.trusted(weights, labels, header.total),
        k=header.k,
        layout=header.layout,
        gains=None,
        weights=weights,
        total=header.total,
        distance=0.0,
        giants=np.arange(len(header.giants), dtype=np.int64),
        u=u,
        tail=header.tail,
        homes=_homes(ring, start, position, numbers["weight"], max(u, 1)),
        rings=rings,
        idle=np.flatnonzero(weights == 0),
        known_digest=bytes.fromhex(header.digest),
    )


def _homes(ring: Indices, start: Indices, position: Indices, weight: Indices, u: int) -> Homes:
    at_home = np.flatnonzero(ring > 0)
    at_home = at_home[np.lexsort((start[at_home], ring[at_home]))]
    if len(at_home) % u:
        raise UnreadableFile(DAMAGED)
    rings, members, weights = (part[at_home].reshape(-1, u) for part in (ring, position, weight))
    if (rings != rings[:, :1]).any() or (weights != weights[:, :1]).any():
        raise UnreadableFile(DAMAGED)
    return Homes(members, weights[:, 0].copy())
