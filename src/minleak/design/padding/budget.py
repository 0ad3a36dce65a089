"""The best contiguous buckets within a budget: between two corners of the hull, by branching on where buckets end."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from minleak.design.padding.frontier import Bracket, Corner, Hull, Rule, fits
from minleak.design.padding.ladder import Ladder
from minleak.design.padding.worth import Worth

# Branches are looked at as long as rungs times branches is within this; at least a few are.
_WORK, _FEWEST, _MOST = 160_000, 4, 400
# Worths this close are the same up to rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Best:
    """The best buckets found within a budget, and the most that any are worth."""

    corner: Corner
    most: float
    branches: int


def best_within(ladder: Ladder, worth: Worth, budget: float, *, floor: int) -> Best | None:
    """Maximise the worth over contiguous buckets with overhead <= budget and at least `floor` secrets in each.

    The corners of the hull around the budget give buckets within it and a bound on all. They differ in some bucket's
    end: either it is there or it is not, and each of the two cases has a hull of its own with tighter corners and
    bound. The case with the largest bound is split next, until nothing is left between the best buckets and the bound
    (then they are optimal), or the work is done; the bound holds in any case. None if no buckets are within the budget.
    """
    free = np.zeros(len(ladder.rungs) + 1, dtype=np.int8)
    root = Hull(ladder, worth, floor=floor, rule=free).around(budget)
    if root is None:
        return None
    best = root.below
    waiting: list[tuple[float, int, Bracket, Rule]] = [(-root.most, 0, root, free)]
    branches = 0
    limit = max(_FEWEST, min(_MOST, _WORK // len(ladder.rungs)))
    while waiting and branches < limit:
        _, _, bracket, rule = waiting[0]
        if bracket.most <= best.worth + _slack(best.worth):
            break
        heapq.heappop(waiting)
        for kept in (1, -1):
            branches += 1
            child = rule.copy()
            child[_end(bracket)] = kept
            part = Hull(ladder, worth, floor=floor, rule=child).around(budget, near=bracket)
            if part is None:
                continue
            if part.below.worth > best.worth and fits(part.below.overhead, budget):
                best = part.below
            if part.above is not None and part.most > best.worth + _slack(best.worth):
                tighter = Bracket(part.below, part.above, part.price, min(part.most, bracket.most))
                heapq.heappush(waiting, (-tighter.most, branches, tighter, child))
    most = max(-waiting[0][0], best.worth) if waiting and root.above is not None else best.worth
    return Best(best, most, branches)


def _end(bracket: Bracket) -> int:
    """An end of a bucket on one side of the budget but not on the other: the one highest up, where padding costs."""
    above = bracket.above.cuts if bracket.above is not None else bracket.below.cuts
    return int(np.setxor1d(bracket.below.cuts, above)[-1])


def _slack(worth: float) -> float:
    return _ROUNDING * max(1.0, abs(worth))
