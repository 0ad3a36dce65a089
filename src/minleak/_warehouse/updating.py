"""update: the next version of a plan, made where the new counts are, with the old plan's table as input."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from typing import Any

from minleak._design.layouts import LAYOUTS
from minleak._warehouse.counts import class_number, counted, hashed
from minleak._warehouse.designing import ROWS, header_of
from minleak._warehouse.engines import as_table, engine_of
from minleak._warehouse.engines.base import Engine, ibis_module
from minleak._warehouse.naming import check_whole
from minleak._warehouse.partitions import Dealing
from minleak._warehouse.plan import Header, WarehousePlan, check_new, checked
from minleak._warehouse.segments import laid
from minleak.errors import InvalidParameter


def update(
    plan: WarehousePlan,
    table: Any,
    *,
    secret: str = "secret",
    weight: str | None = "count",
    rows: int = ROWS,
    output: str | os.PathLike[str] | None = None,
) -> WarehousePlan:
    """The plan for new counts that is the next version of this one: exactly optimal for them, with its homes kept.

    Secrets are matched by name. A home whose u members are all still there, and no giants, stays as it is, at the
    weight of its lightest now. What is left of the other homes is sorted with the new secrets by its least weight and
    cut into homes anew, members that were together one after the other. `cloak` draws of the new version follow the
    lineage: a subject's set changes only where it must. Giants are the exception, in an engine: each version gives them
    another set; `to_plan(plan).update(prior)` in memory keeps theirs too.

    Parameters are those of `design`; the table is in the engine of the plan. The work is that of a design, and one join
    with the plan's own table.

    >>> import pyarrow as pa
    >>> from minleak import warehouse
    >>> names = ["flu", "cold", "gout", "mumps"]
    >>> plan = warehouse.design(pa.table({"secret": names, "count": [40, 30, 20, 15]}), k=2)
    >>> newer = warehouse.update(plan, pa.table({"secret": names, "count": [41, 30, 19, 15]}))
    >>> newer.header.version, newer.header.lineage == plan.header.lineage
    (2, True)
    """
    old = checked(plan)
    check_whole("rows", rows)
    if output is not None:
        check_new(output)
    if not LAYOUTS[old.header.layout].homes_in_engine:
        raise InvalidParameter(f"of layout {old.header.layout!r} nothing can be kept: design the plan anew")
    source = as_table(table)
    engine = engine_of(old.table, source)
    counts = counted(engine, source, secret, weight, old.header.k)
    if counts.is_text != old.header.is_text:
        raise InvalidParameter("the plan's secrets and the new ones are text and integers: cast them to one type")
    header = _next(header_of(engine, counts, min(old.header.k, counts.n), old.header.layout, rows), old.header)
    return laid(engine, _ranked(engine, Dealing(counts, header, rows, by_weight=True), old), header, output)


def _next(header: Header, old: Header) -> Header:
    """The header of a new version, whose digest is of its ancestors too."""
    content = json.dumps(["minleak warehouse update 1", header.digest, old.digest])
    return replace(
        header,
        digest=hashlib.sha256(content.encode()).hexdigest(),
        lineage=old.lineage or old.digest,
        ancestors=(*old.ancestors, old.digest),
    )


def _ranked(engine: Engine, dealing: Dealing, old: WarehousePlan) -> Any:
    """Every secret that is no giant: its partition and its rank there, members of a home one after the other.

    In a partition whole homes come first, so that their ranks begin at multiples of u; then what is left of others and
    single secrets, by the least weight of each part.
    """
    ibis, loose = ibis_module(), dealing.loose()
    homes = old.table.filter(old.table.ring > 0).select("secret", home="ring")
    there = loose.left_join(homes, "secret").select("secret", "weight", "hash", "number", "home")
    there = there.mutate(home=ibis.ifelse(there.weight > 0, ibis.coalesce(there.home, 0), 0).cast("int64"))
    together = ibis.window(group_by=there.home)
    there = there.mutate(
        least=ibis.ifelse(there.home > 0, there.weight.min().over(together), there.weight),
        whole=(there.home > 0) & (there.count().over(together) == dealing.header.u),
    )
    mixed = ibis.ifelse(there.home > 0, hashed(engine, there.home), there.hash)
    part = dealing.partition(class_number(there.least), mixed)
    there = there.mutate(part=part, first=there.whole.cast("int64"))
    keys = [there.first.desc(), there.least.desc(), there.home, there.weight.desc(), there.secret]
    return dealing.ranked(there, keys)
