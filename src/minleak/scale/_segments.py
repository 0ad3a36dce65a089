"""Lay ranked secrets as segments on one line, by prefix sums in partitions and sums of partitions."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Any

from minleak.scale._counts import count_if
from minleak.scale._engines.base import Engine, ibis_module
from minleak.scale._partitions import offsets, parts_table
from minleak.scale._plan import Header, WarehousePlan, load_plan, write


def lay_segments(engine: Engine, ranked: Any, header: Header, folder: str | os.PathLike[str] | None) -> WarehousePlan:
    """The plan of secrets ranked in partitions, kept in the engine or written to a folder. The header still lacks what
    follows from the homes.
    """
    with engine.hold(ranked) as dealt:
        sums = engine.rows(
            dealt.group_by("part").aggregate(
                count=dealt.count(),
                positive=(dealt.weight > 0).cast("int64").sum(),
                weight=dealt.weight.sum(),
                home=dealt.home.sum(),
                widest=(dealt.weight - dealt.home).max(),
            )
        )
        given = _rebalance(engine, dealt, sums, header.u)
        at_home = {row["part"]: row["home"] - header.u * given.by_part.get(row["part"], 0) for row in sums}
        home = sum(at_home.values())
        whole = replace(header, length=header.tail - home, at_home=home)
        segments = _segments(dealt, sums, at_home, given, whole)
        if folder is None:
            return WarehousePlan(engine.keep(segments), whole)
        write(segments, whole, folder)
    return load_plan(folder, engine=engine.backend)


@dataclass(frozen=True)
class _Rebalance:
    """Each home gives back min(home, level - spread), heaviest partitions first, until `needed` has been given.

    `by_part` is what the homes of a partition give in total, `before` what those of the partitions before it can give.
    """

    u: int
    level: int = 0
    needed: int = 0
    by_part: dict[int, int] = field(default_factory=dict)
    before: dict[int, int] = field(default_factory=dict)

    def apply(self, dealt: Any) -> Any:
        """The table with `home` less what the home gives."""
        if not self.needed:
            return dealt
        ibis = ibis_module()
        joined = dealt.join(parts_table(given_before=self.before), "part")
        able = ibis.ifelse(joined.home > 0, ibis.least(joined.home, self.level - joined.spread), 0)
        last = ibis.ifelse(joined.rank % self.u == self.u - 1, able, 0)
        joined = joined.mutate(able=able, last=last)
        window = ibis.window(group_by=joined.part, order_by=joined.rank, preceding=None, following=0)
        joined = joined.mutate(earlier=joined.given_before + joined["last"].sum().over(window) - joined["last"])
        give = ibis.greatest(0, ibis.least(self.needed - joined.earlier, joined.able))
        return joined.select("secret", "weight", "part", "rank", "before", home=(joined.home - give).cast("int64"))


def _rebalance(engine: Engine, dealt: Any, sums: list[dict[str, Any]], u: int) -> _Rebalance:
    """The least that homes must give back: the residues form a ring if u times the largest is at most their sum.

    At a level M of the largest residue, a home can give min(home, M - spread). Take the least M with
    u M <= (sum of residues) + u * (what all homes can give at M): it exists, since at the largest weight every home can
    give all, and u w <= s for every weight w. The shortfall is convex in M, so that Newton's steps from below do not
    pass the least M, and are few. What is needed is then taken from the heaviest partitions first.
    """
    level = max((row["widest"] for row in sums), default=0)
    base = sum(row["weight"] - row["home"] for row in sums)
    if u * level <= base:
        return _Rebalance(u)
    ibis = ibis_module()
    homes = dealt.filter((dealt.home > 0) & (dealt.rank % u == u - 1))  # one row of each
    while True:
        able = ibis.least(homes.home, level - homes.spread)
        found = engine.row(homes.aggregate(given=able.sum(), more=count_if(able < homes.home)))
        short = u * level - base - u * int(found["given"])
        if short <= 0:
            break
        level += -(-short // (u * (int(found["more"]) - 1)))
    needed = -(-(u * level - base) // u)
    by_home = engine.rows(homes.group_by("part").aggregate(able=able.sum().cast("int64")))
    by_part = dict.fromkeys((row["part"] for row in sums), 0) | {row["part"]: int(row["able"]) for row in by_home}
    before = offsets(by_part.items())
    given_by = {part: min(max(needed - before[part], 0), total) for part, total in by_part.items()}
    return _Rebalance(u, level, needed, given_by, before)


def _segments(dealt: Any, sums: list[dict[str, Any]], homes: dict[int, int], given: _Rebalance, header: Header) -> Any:
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
    kept = given.apply(dealt)  # home less what it gives back
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
