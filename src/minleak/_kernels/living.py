"""Loops over the homes of a plan whose weights have changed: who stays, who must leave, who takes a free place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np

from minleak._kernels.compiling import kernel

# What the attacker gets of weight that is not at home, and how much more a part that was split off costs (MATH 14).
AWAY, _SPLIT = 0.7, 1.5
# With fewer members than this a thread takes longer to start than it saves.
_MANY = 50_000


def settle(members: Any, moved: Any, weights: Any, u: int) -> tuple[Any, Any, Any, Any, Any]:
    """For each home its members that are still loose, and their weights; how many of them stay and how many must leave;
    and which of the old secrets had a home.

    `moved` is where each secret now is, -1 if it is nowhere (None if all are where they were), and `weights` are zero
    for those that are not loose. Those who leave are the lightest: as many as lowers what the attacker gets, and as
    pass u. In homes that are as they were the heaviest comes first and the lightest last, in others all are in order.
    On two threads; what is known of an old secret is put together first, so that it is fetched at once.
    """
    n = len(weights) if moved is None else len(moved)
    known = np.empty((0 if moved is None else n, 2), np.int64)
    count, width = len(members), max(u, members.shape[1])
    rows, own = np.empty((count, width), members.dtype), np.empty((count, width), np.int64)
    stay, leave = np.empty(count, np.int64), np.empty(count, np.int64)
    housed, half, middle = np.zeros(n, np.bool_), n // 2, count // 2
    with ThreadPoolExecutor(2) as pool:
        both = pool.map if members.size >= _MANY else map
        if moved is not None:
            list(both(_look_up, (moved[:half], moved[half:]), repeat(weights), (known[:half], known[half:])))
        made = ((part[:middle], part[middle:]) for part in (rows, own, stay, leave))
        homes = members[:middle], members[middle:]
        list(both(_settle, homes, repeat(known), repeat(weights), repeat(u), *made, repeat(housed)))
    return rows, own, stay, leave, housed


@kernel(nogil=True)
def _look_up(moved, weights, known):  # type: ignore[no-untyped-def]
    for i in range(moved.shape[0]):
        known[i, 0] = moved[i]
        known[i, 1] = weights[moved[i]] if moved[i] >= 0 else 0


@kernel(nogil=True)
def _settle(members, known, weights, u, rows, own, stay, leave, housed):  # type: ignore[no-untyped-def]
    stays, width = known.shape[0] == 0, rows.shape[1]
    for row in range(members.shape[0]):
        size, total, low, high = 0, 0.0, 0, 0
        for member in members[row]:
            x = np.int64(member) if stays else known[member, 0]
            weight = weights[member] if stays else known[member, 1]
            housed[member] = True
            if weight == 0:
                continue
            rows[row, size], own[row, size] = x, weight
            if weight <= own[row, low]:
                low = size
            if weight > own[row, high]:
                high = size
            size += 1
            total += weight
        leaving = max(size - u, 0)
        wide = size > 0 and AWAY * (total - size * own[row, low]) > _SPLIT * own[row, low]
        if size == u and not wide:
            _swap(rows[row], own[row], high, 0)
            _swap(rows[row], own[row], high if low == 0 else low, size - 1)
        else:
            _sort(rows[row], own[row], size)
            if leaving or wide:
                leaving = _leaving(own[row, :size], total, leaving)
            for at in range(size, width):
                rows[row, at], own[row, at] = -1, 0
        stay[row], leave[row] = size - leaving, leaving


@kernel(inline="always")
def _swap(row, own, i, j):  # type: ignore[no-untyped-def]
    row[i], row[j] = row[j], row[i]
    own[i], own[j] = own[j], own[i]


@kernel()
def _sort(row, own, size):  # type: ignore[no-untyped-def]
    """The heaviest first, those of one weight as they come."""
    for i in range(1, size):
        member, weight, at = row[i], own[i], i
        while at > 0 and own[at - 1] < weight:
            row[at], own[at] = row[at - 1], own[at - 1]
            at -= 1
        row[at], own[at] = member, weight


@kernel()
def _leaving(own, total, least):  # type: ignore[no-untyped-def]
    """How many of the lightest leave, at least `least`, so that the attacker gets least: weight at home counts once,
    weight on rings `AWAY` times, and what those who leave make of both `_SPLIT` times.
    """
    size = own.shape[0]
    best, found, out = np.inf, least, 0.0
    for leaving in range(size):
        staying = size - leaving
        if leaving >= least:
            low = own[staying - 1]
            cost = AWAY * (total - out - staying * low) + low
            if leaving:
                cost += _SPLIT * (AWAY * (out - leaving * own[size - 1]) + own[size - 1])
            if cost < best:
                best, found = cost, leaving
        out += own[staying - 1]
    return found


@kernel()
def take_in(pieces, rows, stay, singles, weights, u):  # type: ignore[no-untyped-def]
    """Fill the free places of homes, given heaviest first, by single secrets, heaviest first too: the next heavier ones
    within half of the home's weight, else lighter ones that lower it by less than splitting it would cost. Returns
    which singles have found a place; homes that are not full are as they were.
    """
    taken = np.zeros(singles.shape[0], np.bool_)
    above = np.empty(singles.shape[0], np.int64)  # singles heavier than the home, free ones, the lightest last
    n_above, nxt = 0, 0
    for row in pieces:
        low = weights[rows[row, stay[row] - 1]]
        while nxt < singles.shape[0] and weights[singles[nxt]] >= low:
            if not taken[nxt]:
                above[n_above] = nxt
                n_above += 1
            nxt += 1
        free = u - stay[row]
        from_above = 0
        while from_above < min(free, n_above) and weights[singles[above[n_above - 1 - from_above]]] <= low + low // 2:
            from_above += 1
        below, last = 0, nxt
        while below < free - from_above and last < singles.shape[0]:
            if u * (low - weights[singles[last]]) > low:
                break
            below += not taken[last]
            last += 1
        if from_above + below < free:
            continue
        for i in range(from_above):
            single = above[n_above - 1 - i]
            rows[row, stay[row] + i], taken[single] = singles[single], True
        n_above -= from_above
        at = stay[row] + from_above
        for single in range(nxt, last):
            if not taken[single]:
                rows[row, at], taken[single] = singles[single], True
                at += 1
        stay[row] = u
    return taken


@kernel()
def sort_rows(which, rows, weights):  # type: ignore[no-untyped-def]
    """Bring the members of some homes into order, heaviest first, those of one weight as they come."""
    for row in which:
        _sort(rows[row], weights[rows[row]], rows.shape[1])
