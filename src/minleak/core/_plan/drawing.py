"""Looking positions up and drawing sets."""

from __future__ import annotations

import numpy as np

from minleak.core._compiling import kernel


@kernel(nogil=True)
def link_segments(members, first):  # type: ignore[no-untyped-def]
    """For each secret a segment of its own, and for each segment the next of the same secret, -1 where there is
    none.
    """
    following = np.empty_like(members)
    for segment in range(members.shape[0] - 1, -1, -1):
        following[segment] = first[members[segment]]
        first[members[segment]] = segment
    return first, following


@kernel(nogil=True)
def place_homes(homes, home_of):  # type: ignore[no-untyped-def]
    """For each secret the home that it is a member of."""
    for home in range(homes.shape[0]):
        for track in range(homes.shape[1]):
            home_of[homes[home, track]] = home
    return home_of


@kernel(nogil=True)
def guide_table(starts, shift, size, like):  # type: ignore[no-untyped-def]
    """For each stretch of 2^shift positions the last segment that starts at or before its first position."""
    guide = np.empty(size, like.dtype)
    segment, count = 0, starts.shape[0]
    for stretch in range(size):
        while segment + 1 < count and starts[segment + 1] <= stretch << shift:
            segment += 1
        guide[stretch] = segment
    return guide


@kernel(inline="always")
def _segment_at(position, starts, guide, shift):  # type: ignore[no-untyped-def]
    """The segment that a position of the line is in."""
    stretch = position >> shift
    low = np.int64(guide[stretch])
    high = np.int64(guide[stretch + 1]) if stretch + 1 < guide.shape[0] else starts.shape[0] - 1
    while high - low > 8:
        middle = (low + high + 1) >> 1
        if starts[middle] <= position:
            low = middle
        else:
            high = middle - 1
    while low < high and starts[low + 1] <= position:
        low += 1
    return low


# Numba's own threads abort a process that draws after a fork or, on some systems, from two threads at once. So this one
# lets go of the interpreter's lock, and whoever has many draws calls it from several threads.
@kernel(nogil=True, error_model="numpy")
def draw_sets(  # type: ignore[no-untyped-def]
    secrets,
    places,
    out,
    weights,
    giants,
    u,
    home_members,
    home_weights,
    home_of,
    home_ends,
    bases,
    lengths,
    starts,
    members,
    first,
    following,
    guide,
    shift,
    end,
):
    """The set at a place of each secret, members in increasing order; rows of secrets without weight are left alone.

    A place of a secret on rings counts its home first, then its segments; a place of a giant counts the phases of all
    homes, then of all rings. Returns whether every secret owns its place, which ends at one that does not.
    """
    n_giants = giants.shape[0]
    for row in range(secrets.shape[0]):
        secret, place = secrets[row], places[row]
        if weights[secret] == 0:
            continue
        home, position, ring, phase = np.int64(-1), np.int64(0), np.int64(-1), np.int64(0)
        is_giant = False
        for g in giants:
            is_giant |= g == secret
        if is_giant:
            at_home = home_ends[-1] if home_ends.shape[0] else np.int64(0)
            if place < at_home:
                home = np.searchsorted(home_ends, place, side="right")
            else:
                phase = place - at_home
                ring = np.int64(0)
                while ring < lengths.shape[0] and phase >= lengths[ring]:
                    phase -= lengths[ring]
                    ring += 1
                if ring == lengths.shape[0]:
                    return False
        else:
            if home_of.shape[0] and home_of[secret] >= 0:
                home = np.int64(home_of[secret])
                if place >= u * home_weights[home]:
                    place -= u * home_weights[home]
                    home = np.int64(-1)
            if home < 0:
                segment = np.int64(first[secret]) if first.shape[0] else np.int64(secret)
                while True:
                    if segment < 0 or segment >= starts.shape[0]:
                        return False
                    stop = starts[segment + 1] if segment + 1 < starts.shape[0] else end
                    if place < stop - starts[segment]:
                        break
                    place -= stop - starts[segment]
                    segment = np.int64(following[segment]) if following.shape[0] else np.int64(-1)
                position = starts[segment] + place
                ring = np.searchsorted(bases, position, side="right") - 1
                phase = (position - bases[ring]) % lengths[ring]
        for g in range(n_giants):
            out[row, g] = giants[g]
        for track in range(u):
            if home >= 0:
                member = np.int64(home_members[home, track])
            else:
                segment = _segment_at(bases[ring] + track * lengths[ring] + phase, starts, guide, shift)
                member = np.int64(members[segment]) if members.shape[0] else segment
            i = n_giants + track
            while i > 0 and out[row, i - 1] > member:
                out[row, i] = out[row, i - 1]
                i -= 1
            out[row, i] = member
    return True
