"""Pricing sets by their centres, and peeling sets off weights."""

from __future__ import annotations

import numpy as np

from minleak.core._compiling import kernel


@kernel(nogil=True)
def price_stars(distances, duals, chains, most, u, values, sets):  # type: ignore[no-untyped-def]
    """For each centre z the u members with least d(z,i) - lambda_i that keep the caps of the groups `chains`:
    `sets[z]`, and their sum.

    Nested caps are a matroid, so taking members one by one is exact: one that does not fit takes the place of the worst
    of its innermost full group, if it is better.
    """
    centres, n = distances.shape
    best, who = np.empty(u), np.empty(u, np.int64)
    for z in range(centres):
        size = 0
        for i in range(n):
            value = distances[z, i] - duals[i]
            if size < u or value < best[u - 1]:
                size = _take(best, who, size, u, value, i, chains, most)
        sets[z] = who
        values[z] = best.sum()


@kernel(nogil=True)
def _take(best, who, size, u, value, i, chains, most):  # type: ignore[no-untyped-def]
    """Take a member among the best u that keep the caps, or not; returns how many there are."""
    for level in range(chains.shape[0]):
        group = chains[level, i]
        count, last = 0, -1
        for j in range(size if group >= 0 else 0):
            if chains[level, who[j]] == group:
                count, last = count + 1, j
        if group >= 0 and count == most[group]:
            if value < best[last]:
                _put(best, who, last, value, i)
            return size
    if size < u:
        size += 1
    elif value >= best[u - 1]:
        return size
    _put(best, who, size - 1, value, i)
    return size


@kernel(nogil=True)
def _put(best, who, place, value, i):  # type: ignore[no-untyped-def]
    """Put a value and its owner in order, the one at `place` being the first that goes."""
    while place > 0 and best[place - 1] > value:
        best[place], who[place] = best[place - 1], who[place - 1]
        place -= 1
    best[place], who[place] = value, i


@kernel(nogil=True)
def peel(units, chains, most, rows, points, u, sets, lengths):  # type: ignore[no-untyped-def]
    """Peel sets of near members that keep the caps off `units` until nothing is left or `sets` is full; returns the
    number of sets, or -1 if a group or a member has more than its share.

    With S the sum of the units over u, every member has at most S and every group at most its cap times S. Take the
    heaviest member, those that must be taken so that what is left is within the shares of S - 1, and the nearest
    others, for as long as nobody comes to have more than a share. Nearness is `rows[i]`, or where that is empty the
    distance between points.
    """
    n, levels = chains.shape[1], chains.shape[0]
    heavy, taken = np.zeros(most.shape[0], np.int64), np.zeros(most.shape[0], np.int64)
    for level in range(levels):
        for i in range(n):
            if chains[level, i] >= 0:
                heavy[chains[level, i]] += units[i]
    left, count, alive = units.sum() // u, 0, np.arange(n)
    near, best, who = np.empty(n), np.empty(u), np.empty(u, np.int64)
    while left > 0 and count < lengths.shape[0]:
        alive = alive[units[alive] > 0]
        seed = alive[0]
        for i in alive:
            if units[i] > units[seed]:
                seed = i
        size = 0
        taken[:] = 0
        for i in alive:
            if rows.shape[0]:
                near[i] = rows[seed, i]
            else:
                near[i] = 0.0
                for axis in range(points.shape[1]):
                    near[i] += (points[seed, axis] - points[i, axis]) ** 2
            if units[i] >= left:  # it is in every set from now on
                if size == u:
                    return -1
                size = _must(best, who, size, i, near, chains, taken)
        for level in range(levels):
            for first in alive:
                group = chains[level, first]
                while group >= 0 and taken[group] < most[group] - (most[group] * left - heavy[group]):
                    nearest = -1
                    for i in alive:
                        if chains[level, i] == group and near[i] >= 0 and (nearest < 0 or near[i] < near[nearest]):
                            fits = True
                            for inner in range(level):
                                inside = chains[inner, i]
                                fits &= inside < 0 or taken[inside] < most[inside]
                            if fits:
                                nearest = i
                    if nearest < 0 or size == u:
                        return -1
                    size = _must(best, who, size, nearest, near, chains, taken)
        for i in alive:
            if near[i] >= 0 and (size < u or near[i] < best[u - 1]):
                size = _take(best, who, size, u, near[i], i, chains, most)
        if size < u:
            return -1
        near[who] = -2.0  # marks those taken
        taken[:] = 0
        length = left
        for i in alive:
            length = min(length, units[i] if near[i] == -2.0 else left - units[i])
        for level in range(levels):
            for i in who:
                if chains[level, i] >= 0:
                    taken[chains[level, i]] += 1
        for group in range(most.shape[0]):
            if taken[group] > most[group]:
                return -1
            if taken[group] < most[group]:
                length = min(length, (most[group] * left - heavy[group]) // (most[group] - taken[group]))
        if length <= 0:
            return -1
        units[who] -= length
        for group in range(most.shape[0]):
            heavy[group] -= length * taken[group]
        sets[count], lengths[count] = who, length
        left -= length
        count += 1
    return count


@kernel(nogil=True)
def _must(best, who, size, i, near, chains, taken):  # type: ignore[no-untyped-def]
    """Take a member that nobody can take the place of; returns how many there are."""
    _put(best, who, size, -1.0, i)
    near[i] = -1.0
    for level in range(chains.shape[0]):
        if chains[level, i] >= 0:
            taken[chains[level, i]] += 1
    return size + 1
