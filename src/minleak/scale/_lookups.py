"""Look-ups: the line of a plan, certified as it is now, and the owner of any position on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minleak.scale._certifying import require_whole
from minleak.scale._engines.base import Engine, ibis_module
from minleak.scale._plan import WarehousePlan

# A segment is listed in at most 2^this bins, and one more; longer ones go to bins coarser by that factor.
_SPREAD = 10


@dataclass(frozen=True)
class PlanLine:
    """A plan, and the number and the largest length of the segments of the common ring and of the homes."""

    plan: WarehousePlan
    common: dict[str, int]
    homes: dict[str, int]

    @classmethod
    def of(cls, engine: Engine, plan: WarehousePlan) -> PlanLine:
        """Measure the segments of a plan; one that `certify` does not accept as it is now is refused."""
        require_whole(plan)
        rows = plan.table.filter(plan.table.ring >= 0)
        by_place = rows.group_by(home=rows.ring > 0)
        found = engine.rows(by_place.aggregate(count=rows.count(), longest=(plan.header.u * rows.weight).max()))
        sizes = {row["home"]: {name: int(row[name]) for name in ("count", "longest")} for row in found}
        none = {"count": 0, "longest": 0}
        return cls(plan, sizes.get(False, none), sizes.get(True, none))

    def on_ring(self, draws: Any) -> Any:
        """Each draw of a phase `at` of the common ring with the u members there: their positions and secrets."""
        u, length, rows = self.plan.header.u, self.plan.header.length, self.plan.table
        segments = rows.filter(rows.ring == 0).select("start", "weight", "position", member="secret")
        tracks = draws.mutate(track=ibis_module().range(0, u).unnest())
        probes = tracks.mutate(at=tracks["at"] + tracks.track * length).drop("track")
        return find_owners(probes, segments, u=u, end=u * length, **self.common)

    def at_home(self, draws: Any) -> Any:
        """Each draw of a position `at` of the line with the `home` there."""
        u, rows = self.plan.header.u, self.plan.table
        segments = rows.filter(rows.ring > 0).select("start", "weight", home="ring")
        return find_owners(draws, segments, u=u, end=u * self.plan.header.tail, **self.homes)


def find_owners(probes: Any, segments: Any, *, u: int, end: int, count: int, longest: int) -> Any:
    """Each probe joined with the segment that owns its position `at`.

    `segments` have the columns start and weight, and own u * weight positions from start on; there are `count` of
    them, of at most `longest` positions, on a line that ends at `end`. Bins of 2^shift positions hold one segment on
    average. A segment that covers more than 2^10 of them is listed in bins 2^10 times coarser, or coarser yet, so that
    the list has at most about twice as many rows as there are segments and bins. A probe looks into one bin of each
    size in use, usually one or two.
    """
    ibis = ibis_module()
    shift = max(0, (end // max(count, 1)).bit_length() - 1)
    levels = 1
    while longest >> (shift + _SPREAD * levels):
        levels += 1
    length = u * segments.weight
    level = ibis.literal(0, "int64")
    for i in range(1, levels):
        level = level + (length >= 2 ** (shift + _SPREAD * i)).cast("int64")
    listed = segments.mutate(level=level.cast("int64"), stop=segments.start + length)
    by = shift + _SPREAD * listed.level
    listed = listed.mutate(bin=ibis.range(listed.start >> by, ((listed.stop - 1) >> by) + 1).unnest())
    probing = probes.mutate(level=ibis.range(0, levels).unnest())
    probing = probing.mutate(bin=probing["at"] >> (shift + _SPREAD * probing.level))
    found = probing.join(
        listed,
        [
            probing.level == listed.level,
            probing.bin == listed.bin,
            probing["at"] >= listed.start,
            probing["at"] < listed.stop,
        ],
    )
    return found.drop("level", "bin", "stop", *(name for name in ("level_right", "bin_right") if name in found.columns))
