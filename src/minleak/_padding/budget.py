"""The best contiguous buckets within a budget: between two corners of the hull, by branching on where buckets end."""

from __future__ import annotations

import heapq

import numpy as np

from minleak._padding.hull import Bracket, Corner, Hull, Rule, fits
from minleak._padding.ladder import Ladder
from minleak._padding.worth import Worth

# Branches are looked at as long as rungs times branches is within this; at least a few are.
_WORK, _FEWEST, _MOST = 20_000, 2, 200
# Ends that are moved at most to spend what is left of a budget.
_MOVES = 200
# Worths this close are the same up to rounding.
_ROUNDING = 1e-12


def best_within(ladder: Ladder, worth: Worth, budget: float, *, floor: int) -> tuple[Corner, float] | None:
    """Maximise the worth over contiguous buckets with overhead <= budget and at least `floor` secrets in each: the best
    found, and the most that any are worth.

    The corners of the hull around the budget give buckets within it and a bound on all. They differ in some bucket's
    end: either it is there or it is not, and each of the two cases has a hull of its own with tighter corners and
    bound. The case with the largest bound is split next, until nothing is left between the best buckets and the bound
    (then they are optimal), or the work is done; the bound holds in any case. None if no buckets are within the budget.
    """
    free = np.zeros(len(ladder.rungs) + 1, dtype=np.int8)
    root = Hull(ladder, worth, floor=floor, rule=free).around(budget)
    if root is None:
        return None
    best = spent(root.below, ladder, worth, budget, floor=floor)
    waiting: list[tuple[float, int, Bracket, Rule]] = [(-worth.attainable(root.most), 0, root, free)]
    branches = 0
    limit = max(_FEWEST, min(_MOST, _WORK // len(ladder.rungs)))
    while waiting and branches < limit:
        most, _, bracket, rule = waiting[0]
        if -most <= best.worth + _slack(best.worth):
            break
        heapq.heappop(waiting)
        for kept in (1, -1):
            branches += 1
            child = rule.copy()
            child[_end(bracket)] = kept
            part = Hull(ladder, worth, floor=floor, rule=child).around(budget, near=bracket)
            if part is None:
                continue
            best = max(best, spent(part.below, ladder, worth, budget, floor=floor), key=lambda corner: corner.worth)
            bound = worth.attainable(min(part.most, bracket.most))
            if part.above is not None and bound > best.worth + _slack(best.worth):
                heapq.heappush(waiting, (-bound, branches, part, child))
    most = max(-waiting[0][0], best.worth) if waiting and root.above is not None else best.worth
    return best, most


def spent(corner: Corner, ladder: Ladder, worth: Worth, budget: float, *, floor: int) -> Corner:
    """The buckets after what a corner leaves of the budget is spent: ends are moved, or removed, one at a time, each
    time to where most worth is gained, until nothing is.
    """
    from minleak._kernels import bucketing as kernel

    hull = Hull(ladder, worth, floor=floor)
    for _ in range(_MOVES):
        left = budget - corner.overhead
        b, j, gain = kernel.best_move(corner.cuts, ladder.rungs, ladder.mass, worth.tables, left, floor)
        if b < 0 or gain <= _slack(corner.worth):
            break
        cuts = corner.cuts.copy()
        cuts[b] = j
        moved = hull.measured(np.unique(cuts[cuts > 0]))
        if not fits(moved.overhead, budget) or moved.worth <= corner.worth:  # by rounding
            break
        corner = moved
    return corner


def _end(bracket: Bracket) -> int:
    """An end of a bucket on one side of the budget but not on the other: the one highest up, where padding costs."""
    above = bracket.above.cuts if bracket.above is not None else bracket.below.cuts
    return int(np.setxor1d(bracket.below.cuts, above)[-1])


def _slack(worth: float) -> float:
    return _ROUNDING * max(1.0, abs(worth))
