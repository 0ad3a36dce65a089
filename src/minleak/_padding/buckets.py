"""The best contiguous buckets within a mean overhead: dynamic programming under a price, and branching between prices.

For a price lambda >= 0 the buckets with the largest value - lambda * overhead are found exactly, by dynamic programming
over the distinct sizes. Every such optimum is a corner of the hull of value against overhead, and proves for every
budget B that no buckets with an overhead of at most B have a value of more than lambda * B + (value - lambda *
overhead).
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Indices
from minleak._padding.bucket_value import BucketValue
from minleak._padding.size_classes import SizeClasses

# A corner that lies above the chord of its neighbours by no more than rounding, or than this part of what is open
# between the best buckets and the bound, ends the search.
_ROUNDING, _ENOUGH = 1e-12, 0.02
# Overheads that are the same up to rounding are the same.
_TOLERANCE = 1e-12
# Branches are looked at as long as sizes times branches is within this; at least a few are.
_WORK, _FEWEST, _MOST = 20_000, 2, 200
# Ends that are moved at most to spend what is left of a budget.
_MOVES = 200


@dataclass(frozen=True, eq=False)
class Buckets:
    """Contiguous buckets: bucket b has the sizes before cuts[b] that are in none before it; cuts[-1] is the number of
    sizes.
    """

    cuts: Indices
    overhead: float
    value: float


@dataclass(frozen=True, eq=False)
class Bracket:
    """The neighbouring corners around a budget, the price at which both are optimal, and the largest value that any
    buckets within the budget can have. `above` is None where nothing costs more: then `below` is the best of all.
    """

    below: Buckets
    above: Buckets | None
    price: float
    most: float


@dataclass(frozen=True, eq=False)
class BucketSearch:
    """The search for buckets of these sizes in one entropy, each with at least `floor` secrets.

    `rule[j]` is 1 where a bucket must end before size j, -1 where none may, 0 where it is free.
    """

    classes: SizeClasses
    value: BucketValue
    floor: int
    rule: npt.NDArray[np.int8]

    @classmethod
    def of(cls, classes: SizeClasses, value: BucketValue, *, floor: int = 1) -> BucketSearch:
        """The search without rules."""
        return cls(classes, value, floor, np.zeros(len(classes.sizes) + 1, dtype=np.int8))

    def measure(self, cuts: Indices) -> Buckets:
        """These buckets with their overhead and value."""
        return Buckets(cuts, self.classes.overhead(cuts), self.value.total(cuts))

    def corner(self, price: float, *, use: float = 1.0) -> Buckets | None:
        """The buckets with the least price * overhead - use * value; None if rule and floor leave none. O(m^2) for m
        sizes at worst, and far less where blocks of starts are ruled out together.
        """
        from minleak._kernels import bucketing as kernel

        classes = self.classes
        start = kernel.best_buckets(
            classes.sizes, classes.mass, classes.load, self.rule, self.value.tables, price, use, self.floor
        )
        cuts = []
        j = len(classes.sizes)
        while j > 0:
            cuts.append(j)
            j = int(start[j])
        return self.measure(np.array(cuts[::-1], dtype=np.int64)) if j == 0 else None

    def cheapest(self) -> Buckets | None:
        """The buckets of least overhead: as many as the rule allows, unless the floor forbids some."""
        if self.floor == 1:
            return self.measure(np.flatnonzero(self.rule[1:] >= 0).astype(np.int64) + 1)
        return self.corner(1.0, use=0.0)

    def coarsest(self) -> Buckets | None:
        """The buckets of largest value: those that the rule demands, since merging never loses value."""
        ends = np.flatnonzero(self.rule > 0)
        top = len(self.classes.sizes)
        cuts = np.append(ends[(ends > 0) & (ends < top)], top).astype(np.int64)
        secrets = np.diff(self.classes.ends[np.append(0, cuts)])
        return self.measure(cuts) if secrets.min() >= self.floor else None

    def keeps(self, buckets: Buckets) -> bool:
        """Whether these buckets keep the rule."""
        ends = np.zeros(len(self.rule), dtype=bool)
        ends[buckets.cuts] = True
        return not ((self.rule > 0) & ~ends | (self.rule < 0) & ends).any()

    def bracket(self, budget: float, *, near: Bracket | None = None) -> Bracket | None:
        """Corners on both sides of a budget, and a bound; None if no buckets are within it.

        Prices go by turns to the slope between the two nearest corners, which ends the search when hardly anything lies
        above it, and to the middle of the prices of these corners, which halves what is left. `near` is the bracket of
        fewer rules to begin with: the one of its corners that keeps the rule is a corner here too.
        """
        above, below = self.coarsest(), self.cheapest()
        if above is None or below is None or not _fits(below.overhead, budget):
            return None
        if _fits(above.overhead, budget):
            return Bracket(above, None, 0.0, above.value)
        low, high, most, turn = 0.0, math.inf, above.value, 0
        if near is not None and near.above is not None:
            turn = 1
            if self.keeps(near.below):
                below, high = near.below, near.price
            else:
                above, low = near.above if self.keeps(near.above) else above, near.price
        while True:
            chord = (above.value - below.value) / (above.overhead - below.overhead)
            price = _between(low, high) if turn % 2 and (low > 0 or high < math.inf) else chord
            new = self.corner(price)
            if new is None:  # cannot be: `above` keeps rule and floor
                return None
            most = min(most, price * budget + new.value - price * new.overhead)
            beyond = (new.value - price * new.overhead) - (below.value - price * below.overhead)
            done = price == chord and beyond <= max(_ENOUGH * (most - below.value), _slack(above.value))
            if _fits(new.overhead, budget):
                high, below = price, _better(below, new)
            elif not done:
                low, above = price, min(above, new, key=lambda buckets: buckets.overhead)
            if done:
                return Bracket(below, above, chord, max(most, below.value))
            turn += 1

    def best(self, budget: float) -> tuple[Buckets, float] | None:
        """The best buckets found with overhead <= budget, and the largest value that any have.

        The corners of the hull around the budget give buckets within it and a bound on all. They differ in some
        bucket's end: either it is there or it is not, and each of the two cases has a hull of its own with tighter
        corners and bound. The case with the largest bound is split next, until nothing is left between the best buckets
        and the bound (then they are optimal), or the work is done; the bound holds in any case. None if no buckets are
        within the budget.
        """
        root = self.bracket(budget)
        if root is None:
            return None
        best = self.spend(root.below, budget)
        waiting: list[tuple[float, int, Bracket, BucketSearch]] = [(-self.value.attainable(root.most), 0, root, self)]
        branches = 0
        limit = max(_FEWEST, min(_MOST, _WORK // len(self.classes.sizes)))
        while waiting and branches < limit:
            most, _, bracket, search = waiting[0]
            if -most <= best.value + _slack(best.value):
                break
            heapq.heappop(waiting)
            for kept in (1, -1):
                branches += 1
                rule = search.rule.copy()
                rule[_differing_end(bracket)] = kept
                child = replace(search, rule=rule)
                part = child.bracket(budget, near=bracket)
                if part is None:
                    continue
                best = _better(best, self.spend(part.below, budget))
                bound = self.value.attainable(min(part.most, bracket.most))
                if part.above is not None and bound > best.value + _slack(best.value):
                    heapq.heappush(waiting, (-bound, branches, part, child))
        most = max(-waiting[0][0], best.value) if waiting and root.above is not None else best.value
        return best, most

    def spend(self, buckets: Buckets, budget: float) -> Buckets:
        """The buckets after what they leave of the budget is spent: ends are moved, or removed, one at a time, each
        time to where most value is gained, until nothing is. Rules are not kept.
        """
        from minleak._kernels import bucketing as kernel

        classes = self.classes
        for _ in range(_MOVES):
            left = budget - buckets.overhead
            b, j, gain = kernel.best_move(
                buckets.cuts, classes.sizes, classes.mass, self.value.tables, left, self.floor
            )
            if b < 0 or gain <= _slack(buckets.value):
                break
            cuts = buckets.cuts.copy()
            cuts[b] = j
            moved = self.measure(np.unique(cuts[cuts > 0]))
            if not _fits(moved.overhead, budget) or moved.value <= buckets.value:  # by rounding
                break
            buckets = moved
        return buckets


def _better(a: Buckets, b: Buckets) -> Buckets:
    return b if b.value > a.value else a


def _between(low: float, high: float) -> float:
    """The middle of two prices in their logarithms, or some way beyond the one that is known."""
    if low == 0:
        return high / 4
    return low * 4 if high == math.inf else math.sqrt(low * high)


def _differing_end(bracket: Bracket) -> int:
    """An end of a bucket on one side of the budget but not on the other: the one highest up, where padding costs."""
    above = bracket.above.cuts if bracket.above is not None else bracket.below.cuts
    return int(np.setxor1d(bracket.below.cuts, above)[-1])


def _fits(overhead: float, budget: float) -> bool:
    """overhead <= budget, up to rounding."""
    return overhead <= budget * (1 + _TOLERANCE)


def _slack(value: float) -> float:
    return _ROUNDING * max(1.0, abs(value))
