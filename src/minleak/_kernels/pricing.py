"""Pricing sets by their centres, and peeling sets off weights."""

from __future__ import annotations

import numpy as np

from minleak._kernels.compiling import kernel


@kernel(nogil=True)
def price_stars(distances, duals, groups, u, values, sets):  # type: ignore[no-untyped-def]
    """For each centre z the u members of different groups with least d(z,i) - lambda_i: `sets[z]`, and their sum.

    Taking the least of each group and then the u least groups is exact: at most one of each group is a matroid.
    """
    centres, n = distances.shape
    grouped = groups.shape[0] > 0
    best, who = np.empty(u), np.empty(u, np.int64)
    for z in range(centres):
        size = 0
        for i in range(n):
            value = distances[z, i] - duals[i]
            if size == u and value >= best[u - 1]:
                continue
            place = -1
            if grouped:
                for j in range(size):
                    if groups[who[j]] == groups[i]:
                        place = j
            if place >= 0:
                if value >= best[place]:
                    continue
            else:
                if size < u:
                    size += 1
                place = size - 1
            _put(best, who, place, value, i)
        sets[z] = who
        values[z] = best.sum()


@kernel(nogil=True)
def _put(best, who, place, value, i):  # type: ignore[no-untyped-def]
    """Put a value and its owner in order, the one at `place` being the first that goes."""
    while place > 0 and best[place - 1] > value:
        best[place], who[place] = best[place - 1], who[place - 1]
        place -= 1
    best[place], who[place] = value, i


@kernel(nogil=True)
def peel(units, groups, n_groups, rows, points, u, sets, lengths):  # type: ignore[no-untyped-def]
    """Peel sets of near members, of different groups, off `units` until nothing is left; returns how many,
    or -1 if a group has more than its share.

    With S the sum of the units over u, every group has at most S. Take the heaviest group's heaviest member and the
    nearest members of other groups, those groups that have just S among them, for as long as no other group comes to
    have more than what is left of S. Nearness is `rows[i]`, or where that is empty the distance between points.
    """
    n = units.shape[0]
    heavy = np.zeros(n_groups, np.int64)
    for i in range(n):
        heavy[groups[i]] += units[i]
    left, count, alive = units.sum() // u, 0, np.arange(n)
    near, chosen = np.empty(n_groups), np.empty(n_groups, np.int64)
    best, who = np.empty(u), np.empty(u, np.int64)
    while left > 0:
        alive = alive[units[alive] > 0]
        near[:] = np.inf
        seed = alive[0]
        for i in alive:  # the heaviest of the heaviest group
            mine, others = heavy[groups[i]], heavy[groups[seed]]
            if mine > others or (groups[i] == groups[seed] and units[i] > units[seed]):
                seed = i
        for i in alive:
            if rows.shape[0]:
                distance = rows[seed, i]
            else:
                distance = 0.0
                for axis in range(points.shape[1]):
                    distance += (points[seed, axis] - points[i, axis]) ** 2
            if i == seed:
                distance = -1.0
            if distance < near[groups[i]]:
                near[groups[i]], chosen[groups[i]] = distance, i
        size = 0
        for i in alive:
            g = groups[i]
            value = -2.0 if heavy[g] == left else near[g]
            if chosen[g] == i and (size < u or value < best[u - 1]):
                size = min(size + 1, u)
                _put(best, who, size - 1, value, i)
        if size < u or count == lengths.shape[0]:
            return -1
        length = min(left, units[who].min())
        near[groups[who]] = -3.0  # marks the groups taken
        for g in groups[alive]:
            if near[g] != -3.0:
                length = min(length, left - heavy[g])
        if length <= 0:
            return -1
        units[who] -= length
        heavy[groups[who]] -= length
        sets[count], lengths[count] = who, length
        left -= length
        count += 1
    return count
