"""Tiling: one pass over a plan, as it is now, that shows whether every position of its line has exactly one owner."""

from __future__ import annotations

import secrets
from typing import Any

from minleak._warehouse.counts import parts, times, together
from minleak._warehouse.engines.base import Engine, ibis_module
from minleak._warehouse.plan import WarehousePlan
from minleak.errors import UnreadableFile

DAMAGED = "the plan was changed or damaged after it was made: design it anew (warehouse.certify says what is wrong)"


def check_tiling(engine: Engine, plan: WarehousePlan) -> tuple[dict[str, int], dict[str, int]]:
    """Refuse a plan whose segments do not tile the common ring, [0, u length), and the homes, [u length, u tail).

    Segments are arrows up the line. If each of the two parts is bent into a circle, they tile it if and only if they
    leave from the same positions that they lead to, as often, and are together as long as the circle. So that nothing
    is sorted, positions are compared by the sums of their hashes, under a mask drawn anew each time: a plan that does
    not tile passes with a probability of about 2^-32.

    Returns {count, longest} of the segments on the common ring and of those at home.
    """
    ibis, header = ibis_module(), plan.header
    u, mask = header.u, secrets.randbits(62)
    begin, middle, end = 0, u * header.length, u * header.tail
    rows = plan.table.filter(plan.table.ring >= 0)
    home = rows.ring > 0
    low, high = ibis.ifelse(home, middle, begin), ibis.ifelse(home, end, middle)
    inside = rows.secret.notnull() & rows.weight.between(1, max(header.tail, 1)) & rows.start.between(low, high)
    inside = ibis.coalesce(inside, False)
    rows = rows.select(
        home=home, low=low, high=high, inside=inside, start=rows.start, length=u * ibis.ifelse(inside, rows.weight, 0)
    )
    rows = rows.mutate(stop=ibis.ifelse(rows.start + rows.length == rows.high, rows.low, rows.start + rows.length))
    outside = ~rows.inside | (rows.stop > rows.high)
    found = engine.rows(
        rows.group_by("home").aggregate(
            count=rows.count(),
            longest=rows.length.max(),
            outside=times(outside),
            **parts("length", rows.length),
            **parts("starts", (rows.start ^ mask).hash()),
            **parts("stops", (rows.stop ^ mask).hash()),
        )
    )
    sizes = {False: {"count": 0, "longest": 0}, True: {"count": 0, "longest": 0}}
    left = {False: middle, True: end - middle}
    for row in found:
        left[row["home"]] -= together(row, "length")
        if row["outside"] or together(row, "starts") != together(row, "stops"):
            raise UnreadableFile(DAMAGED)
        sizes[row["home"]] = {name: int(row[name]) for name in ("count", "longest")}
    if any(left.values()) or sizes[False]["longest"] > header.length:
        raise UnreadableFile(DAMAGED)
    return sizes[False], sizes[True]


def check_drawn(engine: Engine, sets: Any, asked: Any, k: int) -> None:
    """Refuse draws, one for each row of `asked`, of which one lacks its secret or has not the size that it should."""
    ibis = ibis_module()
    size = sets.members.length()
    right = ibis.ifelse(sets.ring >= 0, size == k, size <= k) & (sets.members.unique().length() == size)
    right = ibis.coalesce(right & sets.members.contains(sets.secret) & sets.sound, False)
    good = engine.row(sets.aggregate(rows=sets.count(), right=times(right)))
    if not engine.count(asked) == good["rows"] == good["right"]:
        raise UnreadableFile(DAMAGED)
