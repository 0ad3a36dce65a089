"""The lower hull of leakage against mean overhead over all contiguous buckets, walked by a price on the overhead.

For a price lambda >= 0 the buckets with the largest worth - lambda * overhead are found exactly, by dynamic programming
over the rungs. Every such optimum is a corner of the hull, and proves for every budget B that no buckets with an
overhead of at most B are worth more than lambda * B + (worth - lambda * overhead).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Indices
from minleak._padding.ladder import Ladder
from minleak._padding.worth import Worth

Rule = npt.NDArray[np.int8]

# A corner that lies above the chord of its neighbours by no more than rounding, or than this part of what is open
# between the best buckets and the bound, ends the search.
_ROUNDING, _ENOUGH = 1e-12, 0.02
# Overheads that are the same up to rounding are the same.
_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Corner:
    """Contiguous buckets: bucket b is the rungs before cuts[b] that are in none before it; cuts[-1] is the top."""

    cuts: Indices
    overhead: float
    worth: float


@dataclass(frozen=True, eq=False)
class Bracket:
    """The neighbouring corners around a budget, the price at which both are optimal, and the most that any buckets
    within the budget can be worth. `above` is None where nothing costs more: the corner below is the best of all.
    """

    below: Corner
    above: Corner | None
    price: float
    most: float


class Hull:
    """Corners of one ladder in one entropy, no bucket with fewer than `floor` secrets.

    `rule[j]` is 1 where a bucket must end before rung j, -1 where none may, 0 where it is free. A corner costs O(m^2)
    for m rungs at worst, and far less where blocks of starts are ruled out together.
    """

    def __init__(self, ladder: Ladder, worth: Worth, *, floor: int = 1, rule: Rule | None = None) -> None:
        self.ladder, self.worth, self.floor = ladder, worth, floor
        self.rule = np.zeros(len(ladder.rungs) + 1, dtype=np.int8) if rule is None else rule

    def corner(self, price: float, *, use: float = 1.0) -> Corner | None:
        """The buckets with the least price * overhead - use * worth; None if rule and floor leave none."""
        from minleak._kernels import bucketing as kernel

        ladder = self.ladder
        start = kernel.best_buckets(
            ladder.rungs, ladder.mass, ladder.load, self.rule, self.worth.tables, price, use, self.floor
        )
        cuts = []
        j = len(ladder.rungs)
        while j > 0:
            cuts.append(j)
            j = int(start[j])
        return self.measured(np.array(cuts[::-1], dtype=np.int64)) if j == 0 else None

    def measured(self, cuts: Indices) -> Corner:
        """These buckets with their overhead and worth."""
        return Corner(cuts, overhead_of(self.ladder, cuts), self.worth.total(cuts))

    def cheapest(self) -> Corner | None:
        """The buckets of least overhead: as many as the rule allows, unless the floor forbids some."""
        if self.floor == 1:
            return self.measured(np.flatnonzero(self.rule[1:] >= 0).astype(np.int64) + 1)
        return self.corner(1.0, use=0.0)

    def coarsest(self) -> Corner | None:
        """The buckets worth most: those that the rule demands, since merging never loses worth."""
        ends = np.flatnonzero(self.rule > 0)
        cuts = np.append(ends[(ends > 0) & (ends < len(self.ladder.rungs))], len(self.ladder.rungs)).astype(np.int64)
        secrets = np.diff(self.ladder.ends[np.append(0, cuts)])
        return self.measured(cuts) if secrets.min() >= self.floor else None

    def keeps(self, corner: Corner) -> bool:
        """Whether these buckets keep the rule."""
        ends = np.zeros(len(self.rule), dtype=bool)
        ends[corner.cuts] = True
        return not ((self.rule > 0) & ~ends | (self.rule < 0) & ends).any()

    def around(self, budget: float, *, near: Bracket | None = None) -> Bracket | None:
        """Corners on both sides of a budget, and a bound; None if no buckets are within it.

        Prices go by turns to the slope between the two nearest corners, which ends the search when hardly anything lies
        above it, and to the middle of the prices of these corners, which halves what is left. `near` is the bracket of
        fewer rules to begin with: the one of its corners that keeps the rule is a corner here too.
        """
        above, below = self.coarsest(), self.cheapest()
        if above is None or below is None or not fits(below.overhead, budget):
            return None
        if fits(above.overhead, budget):
            return Bracket(above, None, 0.0, above.worth)
        low, high, most, turn = 0.0, math.inf, above.worth, 0
        if near is not None and near.above is not None:
            turn = 1
            if self.keeps(near.below):
                below, high = near.below, near.price
            else:
                above, low = near.above if self.keeps(near.above) else above, near.price
        while True:
            chord = (above.worth - below.worth) / (above.overhead - below.overhead)
            price = _between(low, high) if turn % 2 and (low > 0 or high < math.inf) else chord
            new = self.corner(price)
            if new is None:  # cannot be: `above` keeps rule and floor
                return None
            most = min(most, price * budget + new.worth - price * new.overhead)
            beyond = (new.worth - price * new.overhead) - (below.worth - price * below.overhead)
            if price == chord and beyond <= max(_ENOUGH * (most - below.worth), _ROUNDING * max(1.0, above.worth)):
                if fits(new.overhead, budget):
                    below = max(below, new, key=lambda corner: corner.worth)
                return Bracket(below, above, chord, max(most, below.worth))
            if fits(new.overhead, budget):
                high = price
                below = max(below, new, key=lambda corner: corner.worth)
            else:
                low = price
                above = min(above, new, key=lambda corner: corner.overhead)
            turn += 1


def _between(low: float, high: float) -> float:
    """The middle of two prices in their logarithms, or some way beyond the one that is known."""
    if low == 0:
        return high / 4
    return low * 4 if high == math.inf else math.sqrt(low * high)


def fits(overhead: float, budget: float) -> bool:
    """overhead <= budget, up to rounding."""
    return overhead <= budget * (1 + _TOLERANCE)


def overhead_of(ladder: Ladder, cuts: Indices) -> float:
    """sum of p(x) (size that x is padded to - size of x), added up without cancelling."""
    p = np.diff(ladder.mass)
    bucket = np.searchsorted(cuts, np.arange(len(p)), side="right")
    return float(p @ (ladder.rungs[cuts[bucket] - 1] - ladder.rungs))
