"""Partitions: how secrets are dealt out, sorted and cut into homes, and prefix sums over partitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from minleak.scale._counts import HASH_BITS, Counts, WeightClass
from minleak.scale._engines.base import ibis_module
from minleak.scale._plan import Header

# Partitions of one span are numbered from a multiple of this on.
_SPAN = 2**20


@dataclass(frozen=True)
class Span:
    """The weight classes from `lowest` up to the next heavier span, dealt by hash into 2^bits partitions."""

    lowest: int
    bits: int


def spans_of(classes: Sequence[WeightClass], rows: int, *, by_weight: bool) -> tuple[Span, ...]:
    """Spans of the classes, heaviest first, such that a partition has about `rows` secrets, at most about twice that.

    By weight: classes are joined from the heaviest down until they fill a partition, so that the heavy head of a prior,
    where weights differ most, is sorted as a whole; a larger class is dealt out by hash, among weights that agree in
    their first digit. Otherwise one span holds all. Secrets of weight zero come last, in a span of their own.

    >>> spans_of([WeightClass(31, 3, 300), WeightClass(21, 7, 70), WeightClass(11, 80, 80)], 10, by_weight=True)
    (Span(lowest=21, bits=0), Span(lowest=11, bits=3))
    """
    spans: list[Span] = []
    waiting, lowest = 0, 0
    positive = [c for c in classes if c.total]
    for place, c in enumerate(positive):
        if by_weight and waiting and c.count >= rows:  # or it would be dealt out with the many that come next
            spans.append(Span(lowest, _bits(waiting, rows)))
            waiting = 0
        waiting, lowest = waiting + c.count, c.number
        if place == len(positive) - 1 or (by_weight and waiting >= rows):
            spans.append(Span(lowest, _bits(waiting, rows)))
            waiting = 0
    idle = sum(c.count for c in classes if not c.total)
    if idle:
        spans.append(Span(0, _bits(idle, rows)))
    return tuple(spans)


def _bits(count: int, rows: int) -> int:
    return min(19, max(0, (count // rows).bit_length() - 1))


@dataclass(frozen=True)
class Dealing:
    """How the non-giants of a prior are dealt into partitions of about `rows` secrets, by weight or not."""

    counts: Counts
    header: Header
    rows: int
    by_weight: bool

    def loose(self) -> Any:
        """The non-giants. Of equal weights all are giants or none (Section 2 of the paper), so the weight decides."""
        table, giants = self.counts.table, self.header.giants
        return table.filter(table.weight < giants[-1][1]) if giants else table

    def partition(self, number: Any, hash: Any) -> Any:
        """The partition of a secret by its weight class and its hash, heavier spans first."""
        spans = spans_of(self._classes(), self.rows, by_weight=self.by_weight)
        cases = [(number >= span.lowest, _SPAN * i + (hash >> (HASH_BITS - span.bits))) for i, span in enumerate(spans)]
        return ibis_module().cases(*cases, else_=-1).cast("int64")

    def _classes(self) -> list[WeightClass]:
        """The classes without the giants, and without classes of giants alone."""
        left = []
        for c in self.counts.classes:
            inside = [w for _, w in self.header.giants if 10 * len(str(w)) + int(str(w)[0]) == c.number]
            if c.count > len(inside):
                left.append(WeightClass(c.number, c.count - len(inside), c.total - sum(inside)))
        return left

    def rank(self, parted: Any, keys: list[Any]) -> Any:
        """Every secret with its partition, its rank there by the keys, the weight before it, and its possible home: in
        a partition every u secrets of consecutive ranks, if all have weight, form a home, in which each has the weight
        `home` of the lightest; `spread` is the heaviest minus the lightest. Both are zero without homes.
        """
        ibis, u = ibis_module(), self.header.u
        in_order = ibis.window(group_by=parted.part, order_by=keys)
        up_to = ibis.window(group_by=parted.part, order_by=keys, preceding=None, following=0)
        ranked = parted.select(
            "secret",
            "weight",
            "part",
            rank=ibis.row_number().over(in_order),
            before=parted.weight.sum().over(up_to) - parted.weight,
        )
        if not (self.by_weight and self.header.tail):
            return ranked.mutate(home=ibis.literal(0, "int64"), spread=ibis.literal(0, "int64"))
        ranked = ranked.mutate(group=ranked.rank // u)
        group = ibis.window(group_by=[ranked.part, ranked.group])
        least, most = ranked.weight.min().over(group), ranked.weight.max().over(group)
        grouped = ranked.mutate(least=least, most=most, members=ranked.count().over(group))
        home = ibis.ifelse(grouped.members == u, grouped.least, 0).cast("int64")
        spread = ibis.ifelse(grouped.members == u, grouped.most - grouped.least, 0).cast("int64")
        return grouped.select("secret", "weight", "part", "rank", "before", home=home, spread=spread)


def offsets(totals: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The sum of all partitions before each: the second level of a prefix sum.

    >>> offsets([(7, 5), (3, 2), (9, 1)])
    {3: 0, 7: 2, 9: 7}
    """
    before: dict[int, int] = {}
    at = 0
    for part, total in sorted(totals):
        before[part] = at
        at += total
    return before


def parts_table(**columns: dict[int, int]) -> Any:
    """A table of the partitions, with a column for each mapping, to be joined with their rows."""
    parts = sorted(next(iter(columns.values())))
    numbers = {"part": parts} | {name: [found[part] for part in parts] for name, found in columns.items()}
    return ibis_module().memtable(pa.table({name: pa.array(of, type=pa.int64()) for name, of in numbers.items()}))
