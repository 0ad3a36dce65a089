"""The giants and the target: which secrets every set must contain, and the posterior that every set then shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]

# Weights in a block, of which the largest is looked at first.
_BLOCK = 256


@dataclass(frozen=True)
class Giants:
    """j* of the paper: `members` are the first j*-1 secrets, largest first; u places are left, for the weight
    `tail`.
    """

    members: Indices
    u: int
    tail: int


def find_giants(weights: npt.NDArray[np.int64], total: int, k: int) -> Giants:
    """The least j in 1..k with w_j (k-j+1) <= w_j + ... + w_n, weights sorted non-increasingly; exact integers.

    Only the k largest weights are looked at: O(n) to select them, O(k log k) to sort them. Secrets beyond the n-th
    count as weight zero, so k may exceed n; if at most k weights are positive, these are all giants and the tail is 0.
    """
    top = _largest(weights, k)
    top = top[np.lexsort((top, -weights[top]))]  # largest first, ties in input order
    left = total
    for j, weight in enumerate(weights[top].tolist()):
        if weight * (k - j) <= left:
            return Giants(top[:j].astype(np.int64), k - j, left)
        left -= weight
    return Giants(top.astype(np.int64), k - len(top), left)


def _largest(weights: npt.NDArray[np.int64], k: int) -> Indices:
    """Where the k largest weights are, in any order. One pass finds the largest of each block; the k-th largest of
    these is a floor, and k blocks that reach it, with all that pass it, hold what is looked for.
    """
    n = len(weights)
    if k >= n:
        return np.arange(n)
    if n <= k * _BLOCK:
        return np.argpartition(weights, n - k)[n - k :]
    peaks = np.maximum.reduceat(weights, np.arange(0, n, _BLOCK))
    floor = np.partition(peaks, len(peaks) - k)[len(peaks) - k]
    blocks = np.concatenate([np.flatnonzero(peaks > floor), np.flatnonzero(peaks == floor)[:k]])
    places = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
    places = places[places < n]  # the last block may be shorter
    return np.asarray(places[np.argpartition(weights[places], len(places) - k)[len(places) - k :]])
