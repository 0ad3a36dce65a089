"""What a certificate counts over weights and segments."""

from __future__ import annotations

import numba as nb
import numpy as np


@nb.njit(cache=True)
def survey_weights(weights, giants):  # type: ignore[no-untyped-def]
    """The least weight, the largest of those not among the giants (sorted positions), the number of zeros, and the sum
    as high * 2^31 + low.
    """
    least, largest = weights[0], np.int64(0)
    zeros, high, low, g = 0, np.int64(0), np.int64(0), 0
    for i in range(weights.shape[0]):
        weight = weights[i]
        least = min(least, weight)
        zeros += weight == 0
        high += weight >> 31
        low += weight & 0x7FFFFFFF
        if g < giants.shape[0] and giants[g] == i:
            g += 1
        else:
            largest = max(largest, weight)
    return least, largest, zeros, high, low


@nb.njit(cache=True)
def measure_segments(starts, end, length, members, owned, times):  # type: ignore[no-untyped-def]
    """Add each segment's size to what its member owns, and count its member's segments (up to 2).

    Returns whether all sizes are positive and none passes the length of a track.
    """
    tiled, short = True, True
    count = starts.shape[0]
    for i in range(count):
        stop = starts[i + 1] if i + 1 < count else end
        size = stop - starts[i]
        tiled &= stop > starts[i]  # not size > 0: a difference can go round
        short &= size <= length
        owned[members[i]] += size
        times[members[i]] = min(times[members[i]] + 1, 2)
    return tiled, short


@nb.njit(cache=True)
def measure_line(starts, end, length, u, weights):  # type: ignore[no-untyped-def]
    """For a ring with one segment for every secret, in order: whether all sizes are positive, none passes the length
    of a track, and each is u times the secret's weight.
    """
    tiled, short, owned = True, True, True
    count = starts.shape[0]
    for i in range(count):
        stop = starts[i + 1] if i + 1 < count else end
        size = stop - starts[i]
        tiled &= stop > starts[i]  # not size > 0: a difference can go round
        short &= size <= length
        owned &= size == u * weights[i]
    return tiled, short, owned
