"""What a certificate counts over weights and segments."""

from __future__ import annotations

import numpy as np

from minleak._kernels.compiling import kernel


@kernel()
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


@kernel()
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


@kernel()
def follow_segments(members, first, following):  # type: ignore[no-untyped-def]
    """Whether the segments of every secret are those that its chain leads to, from its first on, each once: all lead on
    to segments of the same secret, and to each leads exactly one of the chains.
    """
    count = members.shape[0]
    reached = np.zeros(count, np.uint8)
    for secret in range(first.shape[0]):
        segment = first[secret]
        if segment >= 0:
            if segment >= count or members[segment] != secret or reached[segment]:
                return False
            reached[segment] = 1
    for segment in range(count):
        after = following[segment]
        if after >= 0:
            if not segment < after < count or members[after] != members[segment] or reached[after]:
                return False
            reached[after] = 1
    return reached.sum() == count


@kernel()
def guides_lead(guide, shift, starts):  # type: ignore[no-untyped-def]
    """Whether every stretch of 2^shift positions is led to the segment that its first position is in."""
    count = starts.shape[0]
    for stretch in range(guide.shape[0]):
        segment, position = guide[stretch], stretch << shift
        if not 0 <= segment < count or starts[segment] > position:
            return False
        if segment + 1 < count and starts[segment + 1] <= position:
            return False
    return True


@kernel()
def labels_found(offsets, data, slots, most):  # type: ignore[no-untyped-def]
    """Whether every label leads, by its hash, to its own position before a free slot or one of the same label, in at
    most so many steps in all.

    The hash is FNV-1a of the label's bytes, mixed; written out again, apart from what fills the slots.
    """
    mask = np.uint64(slots.shape[0] - 1)
    steps = 0
    for position in range(offsets.shape[0] - 1):
        h = np.uint64(14695981039346656037)
        for i in range(offsets[position], offsets[position + 1]):
            h = (h ^ np.uint64(data[i])) * np.uint64(1099511628211)
        h = (h ^ (h >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
        at = (h ^ (h >> np.uint64(33))) & mask
        while slots[at] != position:
            steps += 1
            if slots[at] < 0 or steps > most:
                return False
            begin, end = offsets[slots[at]], offsets[slots[at] + 1]
            size, same = offsets[position + 1] - offsets[position], True
            for i in range(size if end - begin == size else 0):
                same &= data[begin + i] == data[offsets[position] + i]
            if same and end - begin == size:
                return False
            at = (at + np.uint64(1)) & mask
    return True
