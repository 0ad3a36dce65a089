"""Look-ups: who owns a position of the line, as an equi-join on bins rather than a comparison of all with all."""

from __future__ import annotations

from typing import Any

from minleak._warehouse.engines.base import ibis_module

# A segment is listed in at most this many bins, and one more; longer ones go to coarser bins.
_SPREAD = 10


def owners(probes: Any, segments: Any, *, u: int, end: int, count: int, longest: int) -> Any:
    """Each probe with the segment that its position `at` is in: the columns of both.

    `segments` have the columns start and weight, and own u * weight positions from start on; there are `count` of
    them, of at most `longest` positions, on a line that ends at `end`. Bins of 2^shift positions hold one segment on
    average. A segment that covers more than 2^10 of them is listed in bins 2^10 times coarser, or coarser yet, so that
    the list has at most about twice as many rows as there are segments and bins. A probe looks into one bin of each
    size in use, most often one or two.
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
