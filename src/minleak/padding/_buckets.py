"""The best contiguous buckets within limits: dynamic programming under a price; of few sizes, branch and bound.

For a price lambda >= 0 the buckets with the largest value - lambda * overhead are found exactly, by dynamic programming
over the distinct sizes; a cap for each object only leaves fewer starts for each end. Every such optimum is a corner of
the hull of value against overhead, and proves for every budget B that no buckets with an overhead of at most B have a
value above lambda * B + (value - lambda * overhead). Two budgets are priced together: buckets that keep both keep every
weighted sum of them, so each sum gives a bound, and the weights with the least bound are searched for.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices
from minleak.core._progress import Progress, no_progress
from minleak.padding._bucket_value import BucketValue
from minleak.padding._limits import ClassLimits
from minleak.padding._size_classes import SizeClasses

# A corner that lies above the chord of its neighbours by no more than rounding, or than this share of the gap between
# the best buckets and the bound, ends the search.
_ROUNDING, _ENOUGH = 1e-12, 0.02
# Relative difference of overheads that are equal up to rounding.
_TOLERANCE = 1e-12
# The number of branches to explore, times the square of the number of sizes: none from 501 sizes on, where each takes
# long and so few close no gap (of 1,000 sizes, 20 branches took ten times as long to leak .08% less).
_WORK = 250_000
# About how many prices a search takes, for its progress.
_PRICES = 16
# The most places to change over from one corner to the other.
_CROSSINGS = 256
# The most ends to move to spend the rest of a budget.
_MOVES = 200
# Weights of two budgets to try, by bisection, and by how much a mixture may overspend one.
_BLENDS, _CLOSE = 12, 1e-3
# A price on the overhead, as a share of value by overhead, that only breaks ties between buckets of equal value.
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class Buckets:
    """Contiguous buckets: bucket b holds the sizes from cuts[b-1] to before cuts[b]; cuts[-1] is the number of sizes.
    `overheads` are those that have a budget, `overhead` is their weighted sum, which is priced.
    """

    cuts: Indices
    overheads: Array
    overhead: float
    value: float


@dataclass(frozen=True, eq=False)
class BudgetBracket:
    """The neighbouring corners around a budget, the `price` at which both are optimal, an upper bound `most` on the
    value of all buckets within the budget, and the best buckets seen that keep every limit (`kept`). `above` is None if
    nothing costs more: then `below` is optimal.
    """

    below: Buckets
    above: Buckets | None
    price: float
    most: float
    kept: Buckets | None


@dataclass(frozen=True, eq=False)
class BucketSearch:
    """The search for buckets of these sizes in one entropy, within limits.

    `rule[j]` is 1 where a bucket must end before size j, -1 where none may, 0 where it is free. `blend` are the weights
    of the overheads in the one that is priced, and `budget` is the sum of the budgets with these weights.
    """

    classes: SizeClasses
    value: BucketValue
    limits: ClassLimits
    rule: npt.NDArray[np.int8]
    blend: Array
    progress: Progress = no_progress

    @classmethod
    def of(
        cls, classes: SizeClasses, value: BucketValue, limits: ClassLimits, progress: Progress = no_progress
    ) -> BucketSearch:
        """The search without rules, pricing the first of the budgets."""
        blend = np.eye(max(len(limits.names), 1))[0][: len(limits.names)]
        return cls(classes, value, limits, np.zeros(len(classes.sizes) + 1, dtype=np.int8), blend, progress)

    @property
    def budget(self) -> float:
        """The largest priced overhead."""
        return float(self.blend @ self.limits.allowed)

    def measure(self, cuts: Indices) -> Buckets:
        """These buckets with their overheads and value."""
        ends = self.classes.sizes[cuts[np.searchsorted(cuts, np.arange(len(self.classes.sizes)), side="right")] - 1]
        added = ends - self.classes.sizes
        overheads = np.diff(self.limits.x, axis=1) @ added  # summed without cancellation
        return Buckets(cuts, overheads, float(self.blend @ overheads), self.value.total(cuts))

    def corner(self, price: float, *, use: float = 1.0) -> Buckets | None:
        """The buckets with the least price * overhead - use * value; None if rule and limits leave none. O(m^2) for m
        sizes at worst, far less under a cap or where blocks of starts are excluded together; O(m) for one guess of
        equally likely secrets without a cap.
        """
        from minleak.padding import _bucketing as kernel

        classes, limits = self.classes, self.limits
        x, load = self.blend @ limits.x, self.blend @ limits.load
        if not len(self.blend):
            x, load = classes.mass, classes.load
        if self.value.each is not None and not limits.reach.any():
            each = use * self.value.each
            start = kernel.fewest_buckets(classes.sizes, x, self.rule, classes.ends, price, each, limits.floor)
        else:
            table = (classes.sizes, classes.mass, x, load, self.rule, limits.reach, self.value.tables)
            start = kernel.best_buckets(*table, price, use, limits.floor)
        cuts, j = [], len(classes.sizes)
        while j > 0:
            cuts.append(j)
            j = int(start[j])
        return self.measure(np.array(cuts[::-1], dtype=np.int64)) if j == 0 else None

    def cheapest(self) -> Buckets | None:
        """The buckets of least overhead: all that the rule allows, unless floor or cap forbid some."""
        if self.limits.floor == 1 and not self.limits.reach.any():
            return self.measure(np.flatnonzero(self.rule[1:] >= 0).astype(np.int64) + 1)
        return self.corner(1.0, use=0.0)

    def coarsest(self) -> Buckets | None:
        """The buckets of largest value: without a cap those that the rule demands, as merging never loses value."""
        if self.limits.reach.any():
            return self.corner(0.0)
        ends = np.flatnonzero(self.rule > 0)
        top = len(self.classes.sizes)
        cuts = np.append(ends[(ends > 0) & (ends < top)], top).astype(np.int64)
        secrets = np.diff(self.classes.ends[np.append(0, cuts)])
        return self.measure(cuts) if secrets.min() >= self.limits.floor else None

    def _keeps_limits(self, cuts: Indices) -> bool:
        """Whether these buckets keep the cap and the floor."""
        starts = np.append(0, cuts[:-1])
        secrets = self.classes.ends[cuts] - self.classes.ends[starts]
        return bool((starts >= self.limits.reach[cuts]).all() and secrets.min() >= self.limits.floor)

    def affords(self, buckets: Buckets) -> bool:
        """Whether these buckets keep every budget, up to rounding."""
        return bool((buckets.overheads <= self.limits.allowed * (1 + _TOLERANCE)).all())

    def bracket(self) -> BudgetBracket | None:
        """Corners on both sides of the budget, and a bound; None if no buckets are within it.

        Prices alternate between the slope of the chord of the two nearest corners, which ends the search when hardly
        anything lies above it, and the middle of the prices of these corners, which halves the interval.
        """
        budget = self.budget
        above, below = self.coarsest(), self.cheapest()
        if above is None or below is None or not _fits(below.overhead, budget):
            return None
        kept = self._better(self._better(None, below), above)
        if _fits(above.overhead, budget):
            return BudgetBracket(above, None, 0.0, above.value, kept)
        low, high, most, turn = 0.0, math.inf, above.value, 0
        while True:
            self.progress(min(turn, _PRICES - 1), _PRICES, f"buckets of {len(self.classes.sizes):,} sizes")
            chord = (above.value - below.value) / (above.overhead - below.overhead)
            price = _between(low, high) if turn % 2 and (low > 0 or high < math.inf) else chord
            new = self.corner(price)
            if new is None:  # impossible: `above` keeps rule and limits
                return None
            kept = self._better(kept, new)
            most = min(most, price * budget + new.value - price * new.overhead)
            beyond = (new.value - price * new.overhead) - (below.value - price * below.overhead)
            done = price == chord and beyond <= max(_ENOUGH * (most - below.value), _slack(above.value))
            if _fits(new.overhead, budget):
                high, below = price, new if new.value > below.value else below
            elif not done:
                low, above = price, min(above, new, key=lambda buckets: buckets.overhead)
            if done:
                return BudgetBracket(below, above, chord, max(most, below.value), kept)
            turn += 1

    def aim(self) -> tuple[BucketSearch, BudgetBracket | None]:
        """The search with those weights of the budgets that give the least bound, and its bracket.

        Some mixture of the corners of a bracket just spends the budget. If it overspends one of the budgets, the weight
        of that one grows.
        """
        if len(self.blend) < 2:
            return self, self.bracket()
        low, high, share = 0.0, 1.0, 1.0
        best: tuple[BucketSearch, BudgetBracket] | None = None
        for _ in range(_BLENDS):
            tried = replace(self, blend=np.array([share, 1 - share]) / self.limits.allowed)
            found = tried.bracket()
            if found is None:
                return tried, None
            kept = found.kept if best is None else self._better(best[1].kept, found.kept)
            if best is None or found.most <= best[1].most:
                best = tried, found
            best = best[0], replace(best[1], kept=kept)
            spent = _mixture(found, tried.budget) / self.limits.allowed
            if (spent <= 1 + _CLOSE).all():
                break
            low, high = (share, high) if spent[0] > spent[1] else (low, share)
            share = 0.0 if share == 1 else 0.5 * (low + high)
        return best or (self, None)

    def best(self, known: Indices | None = None) -> tuple[Buckets, float] | None:
        """The best buckets found within the limits, and an upper bound on the value of all; None if none were found.

        The corners around the budget give buckets within it, alone and crossed, which are then improved one end at a
        time, and a bound on all. Few sizes are branched on: the corners differ in some bucket's end, and with it or
        without it the hull has tighter corners and a tighter bound. The branch with the largest bound is split next,
        until the gap is closed (then the buckets are optimal) or the work is spent; the bound holds in any case.
        Buckets that are `known` are taken if they are better.
        """
        if not len(self.blend):
            return self._best_under_caps()
        search, root = self.aim()
        if root is None:
            return None
        best = self._better(search.spend(root.kept), search.spend(search.cross(root)))
        if known is not None and self._keeps_limits(known):
            best = self._better(best, search.measure(known))
        most, branches = self.value.attainable(root.most), 0
        waiting: list[tuple[float, int, BudgetBracket, BucketSearch]] = []
        if search.is_open(root, most, best):
            waiting.append((-most, 0, root, search))
        limit = _WORK // len(self.classes.sizes) ** 2
        while waiting and branches < limit:
            bound, _, bracket, parent = waiting[0]
            if best is not None and -bound <= best.value + _slack(best.value):
                break
            heapq.heappop(waiting)
            for child in parent.split(bracket):
                branches += 1
                part = child.bracket()
                if part is None:
                    continue
                best = self._better(best, search.spend(part.kept))
                part = replace(part, most=min(part.most, bracket.most))  # it is one of the parent's
                most = self.value.attainable(part.most)
                if child.is_open(part, most, best):
                    heapq.heappush(waiting, (-most, branches, part, child))
        if best is None:
            return None
        return best, max(-waiting[0][0], best.value) if waiting else best.value

    def is_open(self, bracket: BudgetBracket, most: float, best: Buckets | None) -> bool:
        """Whether there may be something better among the buckets of this bracket."""
        if best is not None and most <= best.value + _slack(best.value):
            return False
        return bracket.above is not None or not self.affords(bracket.below)

    def split(self, bracket: BudgetBracket) -> Iterator[BucketSearch]:
        """The two branches, with an end and without it: the highest end in which the corners of a bracket differ, where
        padding costs most, or else a free one in the middle of their largest bucket.
        """
        above = bracket.above.cuts if bracket.above is not None else bracket.below.cuts
        differing = np.setxor1d(bracket.below.cuts, above)
        if not len(differing):
            inside = np.setdiff1d(np.flatnonzero(self.rule[:-1] == 0)[1:], bracket.below.cuts)
            if not len(inside):
                return
            owner = np.searchsorted(bracket.below.cuts, inside, side="right")
            largest = inside[owner == np.bincount(owner).argmax()]
            differing = largest[: len(largest) // 2 + 1]
        for kept in (1, -1):
            rule = self.rule.copy()
            rule[int(differing[-1])] = kept
            yield replace(self, rule=rule)

    def cross(self, bracket: BudgetBracket) -> Buckets | None:
        """The best buckets within the limits that begin as those of one corner and end as those of the other, changing
        over where their ends differ: the corner above costs too much, and the one below leaves money.
        """
        if bracket.above is None:
            return None
        below, above, best = bracket.below.cuts, bracket.above.cuts, None
        places = np.setxor1d(below, above)
        for j in places[:: len(places) // _CROSSINGS + 1].tolist():
            for first, last in ((below, above), (above, below)):
                cuts = np.concatenate([first[first < j], last[last >= j]])
                if self._keeps_limits(cuts):
                    best = self._better(best, self.measure(cuts))
        return best

    def spend(self, buckets: Buckets | None) -> Buckets | None:
        """The buckets after spending the rest of the budgets: ends are moved or removed one at a time, each to where
        most value is gained, until nothing is.
        """
        from minleak.padding import _bucketing as kernel

        classes, limits = self.classes, self.limits
        if buckets is None:
            return None
        for _ in range(_MOVES):
            left = limits.allowed - buckets.overheads
            b, j, gain = kernel.best_move(
                buckets.cuts, classes.sizes, limits.x, self.rule, limits.reach, self.value.tables, left, limits.floor
            )
            if b < 0 or gain <= _slack(buckets.value):
                break
            cuts = buckets.cuts.copy()
            cuts[b] = j
            moved = self.measure(np.unique(cuts[cuts > 0]))
            if not self.affords(moved) or moved.value <= buckets.value:  # by rounding
                break
            buckets = moved
        return buckets

    def _best_under_caps(self) -> tuple[Buckets, float] | None:
        """Without a budget: the largest value, and among buckets that have it the least overhead."""
        coarsest = self.coarsest()
        if coarsest is None:
            return None
        added = self.classes.overhead(coarsest.cuts)
        cheaper = self.corner(_TIE * coarsest.value / added) if added > 0 else None
        best = coarsest if cheaper is None or cheaper.value < coarsest.value - _slack(1.0) else cheaper
        return best, max(coarsest.value, best.value)

    def _better(self, a: Buckets | None, b: Buckets | None) -> Buckets | None:
        """The better of two, where b must keep every budget."""
        if b is None or not self.affords(b) or (a is not None and a.value >= b.value):
            return a
        return b


def _mixture(bracket: BudgetBracket, budget: float) -> Array:
    """The overheads of the mixture of the two corners that just spends the budget."""
    below, above = bracket.below, bracket.above
    if above is None:
        return below.overheads
    t = (budget - below.overhead) / (above.overhead - below.overhead)
    return np.asarray(below.overheads + min(max(t, 0.0), 1.0) * (above.overheads - below.overheads))


def _between(low: float, high: float) -> float:
    """The geometric mean of two prices, or a factor beyond the one that is known."""
    if low == 0:
        return high / 4
    return low * 4 if high == math.inf else math.sqrt(low * high)


def _fits(overhead: float, budget: float) -> bool:
    """overhead <= budget, up to rounding."""
    return overhead <= budget * (1 + _TOLERANCE)


def _slack(value: float) -> float:
    return _ROUNDING * max(1.0, abs(value))
