"""Rounding: from a solution in floats to sets in integers that own exactly what every secret must own."""

from __future__ import annotations

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._plan.distances import Distances
from minleak.near._pricing.caps import Caps
from minleak.near._pricing.peeling import Sets, join_sets, peel_sets

# Values this close below an integer are taken for it, in units.
_NEARLY = 1e-6


def round_down(
    members: Indices, values: Array, units: Indices, *, caps: Caps, distances: Distances, secrets: Indices
) -> Sets:
    """Every value rounded down, and what is then left of the `units` peeled off in near sets.

    What is left can always be peeled: with f the fractions cut off, a group has left the sum of f over sets times its
    members there, which is at most its cap times R, the sum of all f, and R is (units left) / u. Values of a solver
    break this by their last digits; then sets give back a few units more. The units left are at most one for each set,
    so rounding costs next to nothing where weights are large; where they are a few units each, it may cost more than
    the solver's digits. Values that are integers but for such digits are taken as these.
    """
    u = members.shape[1]
    nearest = Sets(members, np.rint(values).astype(np.int64))
    if np.array_equal(nearest.units_owned(len(units)), units):
        kept = nearest.lengths > 0
        return Sets(members[kept], nearest.lengths[kept]).merge()
    lengths = np.floor(values + _NEARLY).astype(np.int64)
    _give_back_excess(members, lengths, units)
    left = units - Sets(members, lengths).units_owned(len(units))
    _give_back_others(members, lengths, left, caps)
    rest = peel_sets(left, caps, u, distances, secrets)
    kept = lengths > 0
    return join_sets([Sets(members[kept], lengths[kept]), rest], u).merge()


def _give_back_excess(members: Indices, lengths: Indices, units: Indices) -> None:
    """Shorten sets until no member owns more than its units, the longest of a member's sets first."""
    owned = Sets(members, lengths).units_owned(len(units))
    for i in np.flatnonzero(owned > units).tolist():
        for s in sorted(np.flatnonzero((members == i).any(axis=1)).tolist(), key=lambda s: -int(lengths[s])):
            less = min(int(owned[i] - units[i]), int(lengths[s]))
            if less <= 0:
                break
            lengths[s] -= less
            owned[members[s]] -= less


def _give_back_others(members: Indices, lengths: Indices, left: Indices, caps: Caps) -> None:
    """Shorten sets that have few of a group, or not a member, that has more left than its share, until it has not."""
    u = members.shape[1]
    own = np.arange(len(left))
    levels = [(own, np.ones(len(left), dtype=np.int64)), *((chain, caps.most) for chain in caps.chains)]
    for group_of, most in levels:
        while True:
            heavy = np.zeros(len(most) + 1, dtype=np.int64)
            np.add.at(heavy, group_of, left)  # the last place is for those in no group
            over = heavy[:-1] - most * (int(left.sum()) // u)
            g = int(over.argmax())
            missing = int(over[g])
            if missing <= 0:
                break
            freed = most[g] - (group_of[members] == g).sum(axis=1)
            able = np.flatnonzero((lengths > 0) & (freed > 0))
            for s in able[np.lexsort((lengths[able], -freed[able]))].tolist():
                less = min(-(-missing // int(freed[s])), int(lengths[s]))
                lengths[s] -= less
                left[members[s]] += less
                missing -= less * int(freed[s])
                if missing <= 0:
                    break
