"""Rebalance: how much weight homes must give to the common ring, so that what is left can be laid on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from minleak._warehouse.engines.base import Engine, ibis_module
from minleak._warehouse.partitions import offsets, parts_table

# How many levels one query tries: the search takes one query for every five bits of the weights.
_TRIED = 32


@dataclass(frozen=True)
class Rebalance:
    """Each home gives min(home, level - spread), the heaviest partitions first, until `needed` has been given.

    `by_part` is what the homes of a partition give together, `before` what those of the partitions before it can give.
    """

    u: int
    level: int = 0
    needed: int = 0
    by_part: dict[int, int] = field(default_factory=dict)
    before: dict[int, int] = field(default_factory=dict)

    def applied(self, dealt: Any) -> Any:
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


def rebalance(engine: Engine, dealt: Any, sums: list[dict[str, Any]], u: int) -> Rebalance:
    """The least that homes must give back: the residues form a ring if u times the largest is at most their sum.

    Raising the level M of the largest residue, a home can give min(home, M - spread). Take the least M with
    u M <= (sum of residues) + u * (what all homes can give at M): it exists, since at the largest weight every home can
    give all, and u w <= s for every weight w. Then what is needed is taken from the heaviest partitions first.
    """
    level = max((row["widest"] for row in sums), default=0)
    base = sum(row["weight"] - row["home"] for row in sums)
    if u * level <= base:
        return Rebalance(u)
    ibis = ibis_module()
    homes = dealt.filter((dealt.home > 0) & (dealt.rank % u == u - 1))  # one row of each
    low, high = level, max(row["heaviest"] for row in sums)
    while low < high:
        step = max(1, (high - low) // _TRIED)
        tried = sorted({min(low + i * step, high - 1) for i in range(_TRIED)})
        given = engine.row(
            homes.aggregate(
                **{
                    f"at{i}": ibis.coalesce(ibis.least(homes.home, level - homes.spread).sum(), 0)
                    for i, level in enumerate(tried)
                }
            )
        )
        enough = [u * level <= base + u * int(given[f"at{i}"]) for i, level in enumerate(tried)]
        first = enough.index(True) if True in enough else len(tried)
        low, high = (tried[first - 1] + 1 if first else low), (tried[first] if first < len(tried) else high)
    needed = -(-(u * low - base) // u)
    able = engine.rows(
        homes.group_by("part").aggregate(able=ibis.least(homes.home, low - homes.spread).sum().cast("int64"))
    )
    by_part = dict.fromkeys((row["part"] for row in sums), 0) | {row["part"]: int(row["able"]) for row in able}
    before = offsets(by_part.items())
    given_by = {part: min(max(needed - before[part], 0), total) for part, total in by_part.items()}
    return Rebalance(u, low, needed, given_by, before)
