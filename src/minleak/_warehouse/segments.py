"""Segments: from secrets in partitions to segments on one line, by prefix sums in partitions and sums of partitions."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from minleak._warehouse.engines.base import Engine, ibis_module
from minleak._warehouse.partitions import offsets, parts_table
from minleak._warehouse.plan import Header, WarehousePlan, load, write
from minleak._warehouse.rebalance import Rebalance, rebalance


def laid(engine: Engine, ranked: Any, header: Header, output: str | os.PathLike[str] | None) -> WarehousePlan:
    """The plan of secrets that are ranked in partitions, kept in the engine or written to a folder. The header lacks
    what follows from the homes.
    """
    dealt = engine.keep(ranked)
    try:
        sums = engine.rows(
            dealt.group_by("part").aggregate(
                count=dealt.count(),
                positive=(dealt.weight > 0).cast("int64").sum(),
                weight=dealt.weight.sum(),
                home=dealt.home.sum(),
                widest=(dealt.weight - dealt.home).max(),
                heaviest=dealt.weight.max(),
            )
        )
        given = rebalance(engine, dealt, sums, header.u)
        at_home = {row["part"]: row["home"] - header.u * given.by_part.get(row["part"], 0) for row in sums}
        home = sum(at_home.values())
        whole = replace(header, length=header.tail - home, at_home=home)
        segments = _segments(dealt, sums, at_home, given, whole)
        if output is None:
            return WarehousePlan(engine.keep(segments), whole)
        write(segments, whole, output)
    finally:
        engine.drop(dealt)
    return load(output, backend=engine.backend)


def _segments(dealt: Any, sums: list[dict[str, Any]], homes: dict[int, int], given: Rebalance, header: Header) -> Any:
    """The rows of the plan: a prefix sum in each partition, plus the sum of the partitions before it."""
    ibis, u = ibis_module(), header.u
    columns = {
        "positions": {row["part"]: row["count"] for row in sums},
        "homes": {row["part"]: -(-row["count"] // max(u, 1)) for row in sums},
        "home_weights": homes,
        "residues": {row["part"]: row["weight"] - homes[row["part"]] for row in sums},
        "idles": {row["part"]: row["count"] - row["positive"] for row in sums},
    }
    small = parts_table(**{f"{name}_before": offsets(totals.items()) for name, totals in columns.items()})
    kept = given.applied(dealt)  # home less what it gives back
    # idle secrets fill up the giants' set where nobody else is left, then sets of their own
    spare = 0 if header.tail else header.k - len(header.giants)
    if header.at_home:
        up_to = ibis.window(group_by=kept.part, order_by=kept.rank, preceding=None, following=0)
        kept = kept.mutate(home_before=kept.home.sum().over(up_to) - kept.home)
        # a row for the common ring and one for the home
        placed = kept.join(small, "part").mutate(which=ibis.range(0, 2).unnest())
    else:
        kept = kept.mutate(home_before=ibis.literal(0, "int64"), which=ibis.literal(0, "int64"))
        placed = kept.join(small, "part")
    common, idle = placed.which == 0, placed.weight == 0
    residue = placed.weight - placed.home
    rank = placed.idles_before + placed["rank"]
    lone = ibis.ifelse(rank < spare, -1, -(1 + int(spare > 0)) - (rank - spare) // header.k)
    on_ring = u * (placed.residues_before + placed.before - placed.home_before)
    at_home = u * (header.length + placed.home_weights_before + placed.home_before)
    home = 1 + placed.homes_before + placed["rank"] // max(u, 1)
    rows = placed.select(
        "secret",
        position=(len(header.giants) + placed.positions_before + placed["rank"]).cast("int64"),
        ring=ibis.cases((idle, lone), (common, 0), else_=home).cast("int64"),
        start=ibis.cases((idle, rank), (common, on_ring), else_=at_home).cast("int64"),
        weight=ibis.ifelse(common, residue, placed.home).cast("int64"),
        wanted=ibis.cases((idle, common), (common, residue > 0), else_=placed.home > 0),
    )
    return rows.filter(rows.wanted).drop("wanted")
