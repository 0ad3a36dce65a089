"""Opening a .cloak file that holds a lineage: its parts, each as a file of its own kind would, and the ledger."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from minleak._data.labels import Labels
from minleak._data.matching import join
from minleak._file.format import Contents, demand, demand_whole
from minleak._lineage.ledger import DAILY, MOST, SERIES, UNIT, Ledger
from minleak._plan.kinds import BLOCKS, KINDS, RINGS
from minleak._plans.lineage import Lineage, LineageDrawable

# The most parts of a lineage, and the last day that can be counted.
_PARTS, _DAYS = 100_000, 1 << 31


def drawable(contents: Contents) -> LineageDrawable:
    """The parts with their tables and indices, all of one layout and cap, no label in two of them; and the ledger."""
    said = contents.numbers["parts"]
    demand(type(said) is list and 1 <= len(said) <= _PARTS)
    kinds = {one["kind"] for one in said}
    demand(len(kinds) == 1 and kinds <= {RINGS, BLOCKS})
    opening = import_module(KINDS[kinds.pop()].opening)
    running = tuple(opening.drawable(contents.part(i)) for i in range(len(said)))
    plans = tuple(one.plan for one in running)
    demand(len({(plan.layout, plan.k) for plan in plans}) == 1)
    return LineageDrawable(Lineage(plans, _ledger(contents, plans)), running)


def _ledger(contents: Contents, plans: tuple[Lineage, ...]) -> Ledger:
    day = demand_whole(contents.numbers["day"], 0, _DAYS)
    listed = sum(len(plan.prior) for plan in plans)
    counts, pools, first, last = (contents.vector(name, "i8") for name in SERIES)
    known = len(counts)
    demand(known >= listed and len(pools) == len(first) == len(last) == known)
    contents.in_range(counts, 0, MOST)
    contents.in_range(pools, 0, MOST + 1)
    contents.in_range(first, 0, day + 1)
    contents.in_range(last, -1, day + 1)
    days, shares, totals = (contents.vector(name, "i8") for name in DAILY)
    demand(
        len(days) == len(shares) == len(totals) >= 1
        and days[0] >= 0
        and days[-1] == day
        and bool((np.diff(days) > 0).all())
    )
    contents.in_range(shares, 1, UNIT + 1)
    contents.in_range(totals, 0, MOST)
    demand(shares[-1] == UNIT and bool((np.diff(shares) >= 0).all()))
    labels = [plan.prior.labels for plan in plans]
    if labels[0].is_default:
        whole = Labels(range(known))
        begins = np.cumsum([0, *map(len, labels)]).tolist()
        demand(all(one == range(begin, begin + len(one)) for one, begin in zip(labels[1:], begins[1:], strict=False)))
    else:
        names = contents.columns.get("pending")
        demand((names is None) == (known == listed))
        if names is not None:
            pending = contents.text_or_numbers("pending", known - listed)
            labels.append(Labels(pending))
        whole = join(labels)
        demand(whole.first_duplicate() is None)
    demand(len(whole) == known)
    began, version = (demand_whole(contents.numbers[name], 0, day + 1) for name in ("began", "version"))
    demand(began <= day and version >= 1)
    return Ledger(whole, listed, day, began, version, counts, pools, first, last, days, shares, totals)
