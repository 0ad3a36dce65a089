"""Pricing sets by their centres, peeling sets off weights, and laying sets along tracks."""

from __future__ import annotations

import numba as nb
import numpy as np


@nb.njit(cache=True, nogil=True)
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
            while place > 0 and best[place - 1] > value:
                best[place], who[place] = best[place - 1], who[place - 1]
                place -= 1
            best[place], who[place] = value, i
        total = 0.0
        for j in range(u):
            total += best[j]
            sets[z, j] = who[j]
        values[z] = total


@nb.njit(cache=True, nogil=True)
def peel(units, groups, n_groups, rows, points, u, sets, lengths):  # type: ignore[no-untyped-def]
    """Peel sets of near members, of different groups, off `units` until nothing is left; returns how many,
    or -1 if a group has more than its share.

    With S the sum of the units over u, every group has at most S. Take the heaviest group's heaviest member and the
    nearest members of other groups, those groups that have just S among them, for as long as no other group comes to
    have more than what is left of S. Nearness is `rows[i]`, or where that is empty the distance between points.
    """
    n = units.shape[0]
    alive = np.flatnonzero(units > 0)
    n_alive = alive.shape[0]
    heavy = np.zeros(n_groups, np.int64)
    left = np.int64(0)
    for i in range(n):
        heavy[groups[i]] += units[i]
        left += units[i] // u
    rest = np.int64(0)
    for i in range(n):
        rest += units[i] % u
    left += rest // u
    near, chosen = np.empty(n_groups), np.empty(n_groups, np.int64)
    best, who = np.empty(u), np.empty(u, np.int64)
    count = 0
    while left > 0:
        seed_group, kept = -1, 0
        for a in range(n_alive):  # drop those used up, find the heaviest group
            i = alive[a]
            if units[i] > 0:
                alive[kept] = i
                kept += 1
                near[groups[i]] = np.inf
                if seed_group < 0 or heavy[groups[i]] > heavy[seed_group]:
                    seed_group = groups[i]
        n_alive = kept
        seed = -1
        for a in range(n_alive):
            i = alive[a]
            if groups[i] == seed_group and (seed < 0 or units[i] > units[seed]):
                seed = i
        for a in range(n_alive):
            i = alive[a]
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
        for a in range(n_alive):
            i = alive[a]
            g = groups[i]
            if chosen[g] != i:
                continue
            value = -2.0 if heavy[g] == left else near[g]
            if size == u and value >= best[u - 1]:
                continue
            if size < u:
                size += 1
            place = size - 1
            while place > 0 and best[place - 1] > value:
                best[place], who[place] = best[place - 1], who[place - 1]
                place -= 1
            best[place], who[place] = value, i
        length = left
        if size < u or count == lengths.shape[0]:
            return -1
        for j in range(u):
            length = min(length, units[who[j]])
            near[groups[who[j]]] = -3.0  # marks the groups taken
        for a in range(n_alive):
            g = groups[alive[a]]
            if near[g] != -3.0:
                length = min(length, left - heavy[g])
        if length <= 0:
            return -1
        for j in range(u):
            units[who[j]] -= length
            heavy[groups[who[j]]] -= length
            sets[count, j] = who[j]
        lengths[count] = length
        left -= length
        count += 1
    return count


@nb.njit(cache=True)
def keep_tracks(sets, tracks):  # type: ignore[no-untyped-def]
    """Order each set's members by track, a member staying on the track that it had in the set before."""
    u = sets.shape[1]
    free = np.empty(u, np.bool_)
    for s in range(sets.shape[0]):
        free[:] = True
        waiting = 0
        for j in range(u):
            member, place = sets[s, j], -1
            if s > 0:
                for t in range(u):
                    if tracks[s - 1, t] == member:
                        place = t
            if place >= 0:
                tracks[s, place] = member
                free[place] = False
            else:
                sets[s, waiting] = member
                waiting += 1
        j = 0
        for t in range(u):
            if free[t]:
                tracks[s, t] = sets[s, j]
                j += 1
