"""Blocks: space split into parts that can each hold a plan of their own."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices
from minleak.near._pricing.caps import Caps


def split_space(points: Array, units: Indices, caps: Caps, u: int, *, size: int, slack: int = 1) -> list[Indices]:
    """Split the places in two, and the parts again, until none has more than `size` members or can be split.

    A part can be split if both halves can hold a plan: slack * u * (a member's weight) <= its total weight, and for a
    group at most its cap times that. With a slack of 1 the heaviest may have to be in every set of its part. The cut is
    across the direction in which the part is widest, as near the middle as is valid; if none is valid within the middle
    half, across the next direction. O(n log n) for each of about log2(n / size) levels.
    """
    found, waiting = [], [np.arange(len(units))]
    while waiting:
        part = waiting.pop()
        halves = _halve(part, points[part], units, caps, u, slack) if len(part) > size else None
        if halves is None:
            found.append(part)
        else:
            waiting += halves
    return found


def _halve(part: Indices, here: Array, units: Indices, caps: Caps, u: int, slack: int) -> list[Indices] | None:
    centred = here - here.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    best: tuple[int, list[Indices]] | None = None
    for direction in directions.T[::-1]:
        order = part[np.argsort(centred @ direction, kind="stable")]
        first, second = (_fits(line, units, caps, u, slack) for line in (order, order[::-1]))
        valid = np.flatnonzero(first[:-1] & second[::-1][1:]) + 1  # how many go to the first half
        if not len(valid):
            continue
        cut = int(valid[np.abs(valid - len(part) / 2).argmin()])
        balance = min(cut, len(part) - cut)
        if best is None or balance > best[0]:
            best = balance, [order[:cut], order[cut:]]
        if 4 * balance >= len(part):
            break
    return None if best is None else best[1]


def _fits(order: Indices, units: Indices, caps: Caps, u: int, slack: int) -> npt.NDArray[np.bool_]:
    """For each beginning of the order, whether it can hold a plan."""
    own = units[order]
    share = np.cumsum(own) // (u * slack)
    fits = np.maximum.accumulate(own) <= share
    for level in caps.chains:
        # what each member's group has up to it: members of a group one after the other, sums within
        groups = level[order]
        by_group = np.argsort(groups, kind="stable")
        sums = np.cumsum(own[by_group])
        starts = np.append(True, np.diff(groups[by_group]) != 0)
        sums -= np.repeat((sums - own[by_group])[starts], np.diff(np.append(np.flatnonzero(starts), len(order))))
        heavy = np.zeros_like(sums)
        inside = groups[by_group] >= 0
        heavy[by_group[inside]] = -(-sums[inside] // caps.most[groups[by_group[inside]]])
        fits &= np.maximum.accumulate(heavy) <= share
    return np.asarray(fits)
