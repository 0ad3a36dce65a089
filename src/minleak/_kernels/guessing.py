"""Guesswork of the columns of a block."""

from __future__ import annotations

import numba as nb
import numpy as np

_u64 = np.uint64


@nb.njit(cache=True, nogil=True)
def guesswork_sums(v, out):  # type: ignore[no-untyped-def]
    """For each column of non-negative floats the sum of i times the i-th largest entry.

    Floats that are not negative are ordered as their bits. Three passes of a radix sort order the upper 33 bits, and an
    insertion sort the rest; should too many entries share those bits, the column is sorted by comparing.
    """
    r, m = v.shape
    a, b = np.empty(r, np.uint64), np.empty(r, np.uint64)
    counts = np.empty((3, 2049), np.int64)
    for column in range(m):
        counts[:] = 0
        for i in range(r):
            value = v[i, column]
            bits = np.float64(value + 0.0).view(np.uint64)  # + 0.0 makes -0.0 a zero
            a[i] = bits
            counts[0, ((bits >> _u64(30)) & _u64(2047)) + _u64(1)] += 1
            counts[1, ((bits >> _u64(41)) & _u64(2047)) + _u64(1)] += 1
            counts[2, ((bits >> _u64(52)) & _u64(2047)) + _u64(1)] += 1
        for digit in range(3):
            shift = _u64(30 + 11 * digit)
            places = counts[digit]
            for value in range(2048):
                places[value + 1] += places[value]
            for i in range(r):
                at = (a[i] >> shift) & _u64(2047)
                b[places[at]] = a[i]
                places[at] += 1
            a, b = b, a
        moves = 0
        for i in range(1, r):
            key = a[i]
            j = i
            while j > 0 and a[j - 1] > key and moves <= 8 * r:
                a[j] = a[j - 1]
                j -= 1
                moves += 1
            a[j] = key
            if moves > 8 * r:
                break
        if moves > 8 * r:
            a.sort()
        total = 0.0
        values = a.view(np.float64)
        for i in range(r):
            total += (r - i) * values[i]
        out[column] = total
    return out
