"""design: the optimal plan, made where the prior is, by sums, the heaviest k, and prefix sums in partitions."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

import numpy as np

from minleak.core._design import as_layout
from minleak.core._layouts import LAYOUTS
from minleak.core._layouts.base import Layout, find_giants
from minleak.core._parameters import whole
from minleak.core._plan.fields import cap
from minleak.core._plan.groups import Groups
from minleak.errors import InvalidParameter
from minleak.scale._cleaning import clean_labels
from minleak.scale._counts import Counts, count_prior, find_heaviest
from minleak.scale._engines.base import Engine
from minleak.scale._partitions import Dealing
from minleak.scale._plan import Header, WarehousePlan, check_new
from minleak.scale._segments import lay_segments
from minleak.scale._tables import as_table, engine_of

# The usual number of secrets in a partition, which takes a few megabytes to sort.
ROWS = 2**16


def design(
    table: Any,
    k: int,
    *,
    secret: str = "secret",
    weight: str | None = "count",
    layout: Layout | str = "stable",
    groups: Groups | None = None,
    strip: bool = False,
    nfc: bool = False,
    rows: int = ROWS,
    folder: str | os.PathLike[str] | None = None,
) -> WarehousePlan:
    """Maximise H(X|Y) over all channels with sets of at most k secrets, inside the engine that holds the prior.

    The target pi is exactly that of `minleak.design`: it needs the k heaviest weights and the total. The plan has
    giants and rings as there, in integers. Secrets are dealt into partitions by weight class and hash, sorted there,
    and laid end to end by a prefix sum in each partition and one over the partitions, so that no sort and no window
    sees more than a partition. All engines make the same plan from the same prior, in any order.

    Parameters
    ----------
    table
        An Ibis table in DuckDB or Spark, see `read`; or a pandas or Arrow table, for which DuckDB is started.
    k
        The cap on the size of a set, from 1 on; a cap above n is one of n.
    secret
        The column of the secrets, distinct text or integers.
    weight
        The column of their weights, integers from 0 on with k * total <= 2^62 (floats are refused: round them to counts
        first). None counts the rows of each secret, for a log of events.
    layout
        A layout that an engine can lay: Stable() or "stable", homes of u secrets of about the same weight, made inside
        partitions, with the rest of their weights on one common ring; Circle() or "circle", all on the common ring.
    groups
        None: an engine makes no plans with caps on groups.
    strip, nfc
        Strip blanks around secrets that are text; bring them into Unicode's normal form C (DuckDB only). Rows of a log
        that are then equal are counted together, and blank ones left out; such rows with weights are refused.
    rows
        About how many secrets a partition has; up to twice as many are sorted together. At most u - 1 secrets of a
        partition have no home, so a larger number keeps a little more weight at home.
    folder
        A new folder to write the plan to. Without it the plan is kept in the engine, for as long as its connection.

    Cost: one aggregate, the heaviest k, one sort within partitions and two passes over its result; if homes must give
    weight back, some more aggregates. Memory on this side is O(k + number of partitions).

    >>> import pyarrow as pa
    >>> prior = pa.table({"secret": ["flu", "cold", "gout", "mumps"], "count": [36, 30, 20, 14]})
    >>> plan = design(prior, k=3, layout="circle")
    >>> plan
    WarehousePlan(n=4, k=3, giants=1, layout='circle', at_home=0.000)
    >>> plan.target
    array([0.36, 0.32, 0.32])
    """
    k = cap(k)
    if groups is not None:
        raise InvalidParameter(
            "an engine makes no plans with groups: read the counts and design in memory, then export the plan's table"
        )
    chosen = as_layout(layout)
    homes = chosen.homes_in_engine
    if homes is None:
        others = " or ".join(name for name, kind in LAYOUTS.items() if kind.homes_in_engine is not None)
        raise InvalidParameter(f"an engine cannot lay {chosen.name!r}: take {others}, or design in memory")
    rows = whole(rows, "rows", 1)
    if folder is not None:
        check_new(folder)
    source = clean_labels(as_table(table), secret, strip=strip, nfc=nfc, events=weight is None)
    engine = engine_of(source)
    with count_prior(engine, source, secret, weight, k) as counts:
        header = _header_of(engine, counts, min(k, counts.n), chosen.name, rows)
        dealing = Dealing(counts, header, rows, by_weight=homes)
        loose = dealing.loose()
        loose = loose.mutate(part=dealing.partition(loose.number, loose.hash))
        ranked = dealing.rank(loose, [loose.weight.desc(), loose.secret])
        return lay_segments(engine, ranked, header, folder)


def _header_of(engine: Engine, counts: Counts, k: int, layout: str, rows: int) -> Header:
    """The header, without what follows from the homes."""
    top = find_heaviest(engine, counts, k)
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
        tail=found.rest,
        length=0,
        at_home=0,
        idle=sum(c.count for c in counts.classes if not c.total),
        is_text=counts.is_text,
        digest=hashlib.sha256(content.encode()).hexdigest(),
    )
