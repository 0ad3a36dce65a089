"""Segments: from a prior to segments on one line. Windows see one partition each; the rest is sums of partitions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from minleak._warehouse.counts import Counts, WeightClass
from minleak._warehouse.engines.base import Engine, ibis_module
from minleak._warehouse.partitions import offsets, partition, parts_table, spans_of
from minleak._warehouse.plan import Header
from minleak._warehouse.rebalance import Rebalance, rebalance


@contextmanager
def segments_of(
    engine: Engine, counts: Counts, header: Header, giant_weight: int | None, rows: int, *, homes: bool
) -> Iterator[tuple[Any, Header]]:
    """The segments of the plan as a table, and its whole header. What was kept on the way is dropped at the end."""
    with segments_of_dealt(engine, _dealt(counts, header, giant_weight, rows, homes), header) as found:
        yield found


@contextmanager
def segments_of_dealt(engine: Engine, table: Any, header: Header) -> Iterator[tuple[Any, Header]]:
    """The same from secrets that are dealt into partitions and ranked there."""
    dealt = engine.keep(table)
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
        yield _segments(dealt, sums, at_home, given, whole), whole
    finally:
        engine.drop(dealt)


def _dealt(counts: Counts, header: Header, giant_weight: int | None, rows: int, homes: bool) -> Any:
    """Every secret that is no giant: its partition, its rank there, the weight before it, and what its home could be.

    Ranks are by falling weight. In a partition every u consecutive secrets of positive weight are a home, in which each
    has the weight `home` of the lightest; `spread` is the largest weight in it less that. Both are zero without homes.
    """
    ibis = ibis_module()
    loose = counts.table if giant_weight is None else counts.table.filter(counts.table.weight < giant_weight)
    part = partition(loose.number, loose.hash, spans_of(loose_classes(counts, header), rows, by_weight=homes))
    loose = loose.select("secret", "weight", part=part.cast("int64"))
    sorted_part = ibis.window(group_by=loose.part, order_by=[loose.weight.desc(), loose.secret])
    up_to = ibis.window(group_by=loose.part, order_by=[loose.weight.desc(), loose.secret], preceding=None, following=0)
    ranked = loose.mutate(
        rank=ibis.row_number().over(sorted_part), before=loose.weight.sum().over(up_to) - loose.weight
    )
    if not (homes and header.tail):
        return ranked.mutate(home=ibis.literal(0, "int64"), spread=ibis.literal(0, "int64"))
    return with_homes(ranked, header.u)


def with_homes(ranked: Any, u: int) -> Any:
    """Every u secrets of consecutive ranks, if all have weight, as a home."""
    ibis = ibis_module()
    ranked = ranked.mutate(group=ranked.rank // u)
    group = ibis.window(group_by=[ranked.part, ranked.group])
    grouped = ranked.mutate(
        least=ranked.weight.min().over(group), most=ranked.weight.max().over(group), members=ranked.count().over(group)
    )
    home = ibis.ifelse(grouped.members == u, grouped.least, 0).cast("int64")
    spread = ibis.ifelse(grouped.members == u, grouped.most - grouped.least, 0).cast("int64")
    return grouped.select("secret", "weight", "part", "rank", "before", home=home, spread=spread)


def loose_classes(counts: Counts, header: Header) -> list[WeightClass]:
    """The classes without the giants; those that were of giants alone are left out."""
    left = []
    for c in counts.classes:
        inside = [w for _, w in header.giants if 10 * len(str(w)) + int(str(w)[0]) == c.number]
        if c.count > len(inside):
            left.append(WeightClass(c.number, c.count - len(inside), c.total - sum(inside)))
    return left


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
