"""to_plan: bring a plan from an engine into memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from minleak.core._certify.certifying import certify
from minleak.core._labels import Labels
from minleak.core._matching import find_positions, join
from minleak.core._plan.plan import Plan
from minleak.core._prior import Prior
from minleak.errors import InvalidParameter, UnreadableFile
from minleak.lineage._ledger import SERIES, Ledger
from minleak.lineage._lineage import Lineage
from minleak.scale._certifying import DAMAGED
from minleak.scale._lineage import WAITING, WarehouseLineage
from minleak.scale._plan import WarehousePlan, check_plan, giants_table
from minleak.scale._tables import engine_of


def to_plan(plan: WarehousePlan | WarehouseLineage) -> Plan | Lineage:
    """The same plan in memory: the same giants, homes and ring, secrets in the order of their positions; for a lineage
    all its parts and its ledger, so that `in_the_world` says what leaks today.

    `minleak.certify`, `Plan.save` and `Cloak` take it; sticky draws with the same key and scope show the same sets as
    `scale.cloak`. The plan is certified here, so one that was changed after it was made is refused. Takes about 100
    bytes of memory for each secret, and its label.

    >>> from minleak.scale import design
    >>> prior = pa.table({"secret": ["flu", "cold", "gout", "mumps"], "count": [36, 30, 20, 14]})
    >>> to_plan(design(prior, k=3))
    Plan(n=4, k=3, giants=1, layout='stable', homes=1, segments=3)
    """
    if isinstance(plan, WarehouseLineage):
        return _lineage_in_memory(plan)
    return _plan_in_memory(plan)


def _lineage_in_memory(lineage: WarehouseLineage) -> Lineage:
    parts = tuple(_plan_in_memory(part) for part in lineage.parts)
    rows, calendar = engine_of(lineage.ledger).arrow(lineage.ledger), lineage.calendar
    waiting = rows.filter(pc.equal(rows["part"], WAITING))["secret"].combine_chunks()
    listed = join([part.prior.labels for part in parts])
    labels = join([listed, Labels.of(waiting, len(waiting))]) if len(waiting) else listed
    found = find_positions(Labels.of(rows["secret"].combine_chunks(), len(rows)), labels)
    at = np.arange(len(rows)) if found is None else found
    if len(rows) != len(labels) or np.bincount(at[at >= 0], minlength=len(labels)).max() != 1 or at.min() < 0:
        raise UnreadableFile("the ledger of the lineage is not about the secrets of its parts: it was changed")
    series = {name: np.zeros(len(rows), dtype=kind) for name, kind in SERIES.items()}
    for values, column in zip(series.values(), ("weight", "pool", "first", "last"), strict=True):
        values[at] = rows[column].to_numpy()
    days, shares, totals = np.array(calendar.recent, dtype=np.int64).reshape(-1, 3).T
    ledger = Ledger(
        labels=labels,
        listed=len(listed),
        day=calendar.day,
        began=calendar.began,
        version=calendar.version,
        **series,
        days=days,
        shares=shares,
        totals=totals,
    )
    return Lineage(parts, ledger)


def _plan_in_memory(plan: WarehousePlan) -> Plan:
    plan = check_plan(plan)
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
    rest = len(common) or len(homes)
    fixed = np.flatnonzero(weights == 0) if rest else np.arange(header.n)
    try:
        made = Plan(
            prior=Prior.trusted(weights, Labels.of(named.take(pa.array(first)), header.n), header.total, header.total),
            k=header.k,
            layout=header.layout,
            weights=weights,
            giants=np.arange(len(header.giants), dtype=np.int64),
            home_members=position[homes],
            home_weights=weight[homes[:, 0]],
            members=position[common],
            starts=start[common],
            length=header.length if len(common) else 0,
            fixed=fixed,
            begins=np.append(np.arange(0, len(fixed), header.k), len(fixed)),
            known_as=bytes.fromhex(header.digest),  # by which its rows are drawn in the engine
        )
    except InvalidParameter:
        raise UnreadableFile(DAMAGED) from None
    if (ring[homes] != ring[homes[:, :1]]).any() or not certify(made, made.prior):
        raise UnreadableFile(DAMAGED)
    return made
