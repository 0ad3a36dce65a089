"""design and update: the optimal plan, made where the prior is, by sums, the heaviest k, and prefix sums of parts."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from typing import Any

import numpy as np

from minleak._data.parameters import whole
from minleak._design.giants import find_giants
from minleak._design.layouts import LAYOUTS
from minleak._design.layouts.base import Layout
from minleak._design.make import as_layout
from minleak._design.rings import cap
from minleak._warehouse.certifying import require_whole
from minleak._warehouse.counts import Counts, class_number, counted, hashed, heaviest
from minleak._warehouse.engines.base import Engine, ibis_module
from minleak._warehouse.partitions import Dealing
from minleak._warehouse.plan import Header, WarehousePlan, check_new, checked
from minleak._warehouse.segments import laid
from minleak._warehouse.tables import as_table, engine_of
from minleak.errors import InvalidParameter

# About how many secrets are sorted together. A partition of this many takes a few megabytes.
ROWS = 2**16


def design(
    table: Any,
    k: int,
    *,
    secret: str = "secret",
    weight: str | None = "count",
    layout: Layout | str = "stable",
    rows: int = ROWS,
    folder: str | os.PathLike[str] | None = None,
) -> WarehousePlan:
    """Maximise H(X|Y) over all channels with sets of at most k secrets, inside the engine that holds the prior.

    The target pi is that of `minleak.design`, exactly: it needs the k heaviest weights and their total. The plan is
    giants and rings as there, in integers. Secrets are dealt into partitions by weight class and hash, sorted within,
    and laid end to end by a prefix sum in each partition and one over the partitions' totals, so that no sort and no
    window ever sees more than a partition. All engines make the same plan of the same prior, whatever order it is in.

    Parameters
    ----------
    table
        An Ibis table in DuckDB or Spark, see `read`; or a pandas or Arrow table, for which DuckDB is started.
    k
        The cap on the size of a set, from 1 on; a cap above n is one of n.
    secret
        The column of the secrets, distinct text or integers.
    weight
        The column of their weights, whole numbers from 0 on with k * total <= 2^62 (floats are refused: round them to
        counts first). None counts the rows of each secret, for a log of events.
    layout
        One of `minleak.design`'s that an engine can lay: Stable() or "stable", homes of u secrets of about the same
        weight, made inside partitions, and what is left of their weights on one common ring, by wrap-around; Circle()
        or "circle", all on the common ring.
    rows
        About how many secrets a partition has. Up to twice as many are sorted as a whole. At most u - 1 secrets of a
        partition have no home, so a larger number keeps a little more weight at home.
    folder
        A new folder to write the plan to. Without it the plan is kept in the engine, for as long as its connection.

    The work is one aggregate, the heaviest k, one sort within partitions and two passes over its result; where homes
    must give weight back, some more aggregates. Memory on this side is O(k + number of partitions).

    >>> import pyarrow as pa
    >>> prior = pa.table({"secret": ["flu", "cold", "gout", "mumps"], "count": [36, 30, 20, 14]})
    >>> plan = design(prior, k=3, layout="circle")
    >>> plan
    WarehousePlan(n=4, k=3, giants=1, layout='circle', at_home=0.000)
    >>> plan.target
    array([0.36, 0.32, 0.32])
    """
    k = cap(k)
    chosen = as_layout(layout)
    homes = chosen.homes_in_engine
    if homes is None:
        others = " or ".join(name for name, kind in LAYOUTS.items() if kind.homes_in_engine is not None)
        raise InvalidParameter(f"an engine cannot lay {chosen.name!r}: take {others}, or design in memory")
    rows = whole(rows, "rows", 1)
    if folder is not None:
        check_new(folder)
    source = as_table(table)
    engine = engine_of(source)
    with counted(engine, source, secret, weight, k) as counts:
        header = _header_of(engine, counts, min(k, counts.n), chosen.name, rows)
        dealing = Dealing(counts, header, rows, by_weight=homes)
        loose = dealing.loose()
        loose = loose.mutate(part=dealing.partition(loose.number, loose.hash))
        ranked = dealing.ranked(loose, [loose.weight.desc(), loose.secret])
        return laid(engine, ranked, replace(header, lineage=header.digest), folder)


def update(
    plan: WarehousePlan,
    table: Any,
    *,
    secret: str = "secret",
    weight: str | None = "count",
    rows: int = ROWS,
    folder: str | os.PathLike[str] | None = None,
) -> WarehousePlan:
    """The plan for new counts that is the next version of this one: exactly optimal for them, with its homes kept.

    Secrets are matched by name. A home whose u members are all still there, and no giants, stays as it is, at the
    weight of its lightest now. What is left of the other homes is sorted with the new secrets by its least weight and
    cut into homes anew, members that were together one after the other. `cloak` draws of the new version follow the
    lineage: a subject's set changes only where it must. Giants are the exception, in an engine: each version gives them
    another set; `to_plan(plan).update(prior)` in memory keeps theirs too.

    Parameters are those of `design`; the table is in the engine of the plan. The work is that of a design, one join
    with the plan's own table, and the checks of `certify` on it: a plan that they do not accept is refused.

    >>> import pyarrow as pa
    >>> from minleak import warehouse
    >>> names = ["flu", "cold", "gout", "mumps"]
    >>> plan = warehouse.design(pa.table({"secret": names, "count": [40, 30, 20, 15]}), k=2)
    >>> newer = warehouse.update(plan, pa.table({"secret": names, "count": [41, 30, 19, 15]}))
    >>> newer.header.version, newer.header.lineage == plan.header.lineage
    (2, True)
    """
    old = checked(plan)
    rows = whole(rows, "rows", 1)
    if folder is not None:
        check_new(folder)
    kind = LAYOUTS.get(old.header.layout)
    if kind is None or not kind.homes_in_engine:
        raise InvalidParameter(f"of layout {old.header.layout!r} nothing can be kept: design the plan anew")
    source = as_table(table)
    engine = engine_of(old.table, source)
    require_whole(old)
    with counted(engine, source, secret, weight, old.header.k) as counts:
        if counts.is_text != old.header.is_text:
            raise InvalidParameter("the plan's secrets and the new ones are text and integers: cast them to one type")
        header = _next(_header_of(engine, counts, min(old.header.k, counts.n), old.header.layout, rows), old.header)
        return laid(engine, _ranked(engine, Dealing(counts, header, rows, by_weight=True), old), header, folder)


def _header_of(engine: Engine, counts: Counts, k: int, layout: str, rows: int) -> Header:
    """The header as far as the theorem gives it."""
    top = heaviest(engine, counts, k)
    found = find_giants(np.array([weight for _, weight in top], dtype=np.int64), counts.total, k)
    giants = tuple(top[i] for i in found.members.tolist() if top[i][1])
    content = json.dumps(["minleak warehouse plan 2", counts.digest, k, layout, rows])
    return Header(
        k=k,
        n=counts.n,
        total=counts.total,
        layout=layout,
        giants=giants,
        u=found.u,
        tail=found.tail,
        length=0,
        at_home=0,
        idle=sum(c.count for c in counts.classes if not c.total),
        is_text=counts.is_text,
        digest=hashlib.sha256(content.encode()).hexdigest(),
    )


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
