"""The few loops that numpy cannot express, compiled by numba on first use and cached on disk."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba as nb
import numpy as np

_u64 = np.uint64
_BLOCK = 64


@nb.njit(cache=True, inline="always")
def _hash_string(data, begin, end):  # type: ignore[no-untyped-def]
    """FNV-1a with a final mix."""
    h = _u64(14695981039346656037)
    for j in range(begin, end):
        h = (h ^ _u64(data[j])) * _u64(1099511628211)
    h ^= h >> _u64(33)
    h *= _u64(0xFF51AFD7ED558CCD)
    return h ^ (h >> _u64(33))


def hash_strings(offsets: Any, data: Any) -> Any:
    """64-bit hashes of the strings data[offsets[i]:offsets[i+1]], on two threads.

    Ordinary threads, made for this call: numba's own abort a process that uses them after a fork.
    """
    out = np.empty(len(offsets) - 1, np.uint64)
    middle = len(out) // 2
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(_hash_strings, offsets[: middle + 1], data, out[:middle])
        _hash_strings(offsets[middle:], data, out[middle:])
        first.result()
    return out


@nb.njit(cache=True, nogil=True)
def _hash_strings(offsets, data, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        out[i] = _hash_string(data, offsets[i], offsets[i + 1])


@nb.njit(cache=True)
def any_equal(hashes):  # type: ignore[no-untyped-def]
    """True if two of the hashes agree in their upper 63 bits.

    Hashes are first dealt into 1024 parts by their upper bits, so that the table of each part stays in cache.
    """
    parts, shift = 1024, _u64(54)
    ends = np.zeros(parts + 1, np.int64)
    for h in hashes:
        ends[(h >> shift) + _u64(1)] += 1
    for part in range(parts):
        ends[part + 1] += ends[part]
    place = ends[:parts].copy()
    dealt = np.empty_like(hashes)
    for h in hashes:
        part = h >> shift
        dealt[place[part]] = h
        place[part] += 1
    for part in range(parts):
        size = 16
        while size < 2 * (ends[part + 1] - ends[part]):
            size *= 2
        table = np.zeros(size, np.uint64)
        mask = _u64(size - 1)
        for i in range(ends[part], ends[part + 1]):
            key = dealt[i] | _u64(1)  # zero marks a free slot
            slot = (key >> _u64(1)) & mask
            while table[slot] != _u64(0):
                if table[slot] == key:
                    return True
                slot = (slot + _u64(1)) & mask
            table[slot] = key
    return False


# Large arrays are allocated by numpy and handed to the loops: it asks for huge pages, without which scattering over
# gigabytes waits for the page tables.


def sort_descending(weights: Any, positions: Any) -> Any:
    """The weights from the largest down, and the positions in that order, ties kept in order.

    One pass deals them into up to 1025 parts by their leading five bits; each part, which then fits in cache, is radix
    sorted by the bits in which its weights differ. Uses `positions` as work space.
    """
    dealt, places = np.empty_like(weights), np.empty_like(positions)
    _sort_descending(weights.copy(), positions, dealt, places)
    return dealt, places


@nb.njit(cache=True)
def _part(weight):  # type: ignore[no-untyped-def]
    """0 for 0, else from 1 on by the place of the leading bit and the four bits after it: the head of its float."""
    return (np.float64(weight).view(np.int64) >> 48) - 16367 if weight > 0 else np.int64(0)


@nb.njit(cache=True)
def _sort_descending(keys, positions, out, places):  # type: ignore[no-untyped-def]
    ends = np.zeros(1027, np.int64)
    for key in keys:
        ends[1026 - _part(key)] += 1
    for part in range(1026):
        ends[part + 1] += ends[part]
    at = ends[:1026].copy()
    for i in range(keys.shape[0]):
        part = 1025 - _part(keys[i])
        out[at[part]], places[at[part]] = keys[i], positions[i]
        at[part] += 1
    counts = np.empty(257, np.int64)
    for part in range(1026):
        begin, end = ends[part], ends[part + 1]
        if end - begin < 2:
            continue
        if end - begin <= 40:
            _insertion_descending(out, places, begin, end)
            continue
        differing = np.int64(0)
        for i in range(begin, end):
            differing |= out[i] ^ out[begin]
        shift = 0
        while shift < 63 and differing >> shift > 0:
            counts[:] = 0
            for i in range(begin, end):
                counts[256 - ((out[i] >> shift) & 255)] += 1
            for digit in range(256):
                counts[digit + 1] += counts[digit]
            for i in range(begin, end):
                digit = 255 - ((out[i] >> shift) & 255)
                to = begin + counts[digit]
                counts[digit] += 1
                keys[to], positions[to] = out[i], places[i]
            out[begin:end] = keys[begin:end]
            places[begin:end] = positions[begin:end]
            shift += 8


@nb.njit(cache=True)
def _insertion_descending(keys, positions, begin, end):  # type: ignore[no-untyped-def]
    for i in range(begin + 1, end):
        key, position = keys[i], positions[i]
        j = i
        while j > begin and keys[j - 1] < key:
            keys[j], positions[j] = keys[j - 1], positions[j - 1]
            j -= 1
        keys[j], positions[j] = key, position


def join_tracks(track_of: Any, member_of: Any, start_of: Any, u: int, length: int) -> Any:
    """The pieces of a schedule on one line, track after track, without those that gave way at once.

    Pieces come in order of their starts; each ends where the next on its track starts.
    """
    return _join_tracks(track_of, member_of, start_of, u, length, np.empty_like(member_of), np.empty_like(start_of))


@nb.njit(cache=True)
def _join_tracks(track_of, member_of, start_of, u, length, members, starts):  # type: ignore[no-untyped-def]
    pieces = track_of.shape[0]
    upcoming = np.full(u, length, np.int64)
    place = np.zeros(u + 1, np.int64)
    for i in range(pieces - 1, -1, -1):
        track = track_of[i]
        if start_of[i] < upcoming[track]:
            place[track + 1] += 1
        upcoming[track] = start_of[i]
    for track in range(u):
        place[track + 1] += place[track]
    members, starts = members[: place[u]], starts[: place[u]]
    upcoming[:] = length
    for i in range(pieces - 1, -1, -1):
        track = track_of[i]
        if start_of[i] < upcoming[track]:
            place[track + 1] -= 1
            members[place[track + 1]] = member_of[i]
            starts[place[track + 1]] = track * length + start_of[i]
        upcoming[track] = start_of[i]
    return members, starts


def lazy_schedule(residues: Any, order: Any, u: int, length: int) -> Any:
    """Lay members on u tracks from time 0 to `length`, member i for u * residues[i] units, in the given order.

    u members are on at a time. When one is used up, the next in order takes its track. A waiting member that needs all
    the time left enters at once, in place of the member that would be done first, which then waits at the front. Once
    entered so it stays to the end, so there are at most u such moments. Returns, for each piece in order of its start,
    its track, its member (of `order`) and its start. Needs u * max(residues) <= sum(residues) = length. Zeroes some of
    the residues on the way.
    """
    room = len(residues) + 3 * u + 1
    pieces = np.empty(room, np.int32), np.empty(room, order.dtype), np.empty(room, np.int64)
    count = _lazy_schedule(residues, order, u, length, *pieces)
    return tuple(part[:count] for part in pieces)


@nb.njit(cache=True)
def _lazy_schedule(residues, order, u, length, track_of, member_of, start_of):  # type: ignore[no-untyped-def]
    n = residues.shape[0]
    n_blocks = n // _BLOCK + 1
    peak = np.zeros(n_blocks, np.int64)  # the largest residue of each block of the order
    later = np.zeros(n_blocks + 1, np.int64)  # and of all blocks from there on
    for b in range(n_blocks - 1, -1, -1):
        _refresh(residues, peak, b)
        later[b] = max(later[b + 1], peak[b])
    pieces = 0
    done, who, where = np.empty(u, np.int64), np.empty(u, np.int64), np.empty(u, np.int64)  # those on, a heap by end
    size = 0
    again, needs = np.empty(u + 1, np.int64), np.empty(u + 1, np.int64)  # those that wait again, last in first out
    n_again = 0
    free = np.arange(u)[::-1].copy()
    n_free = u
    nxt = 0
    now = np.int64(0)
    while now < length:
        while n_free > 0:
            if n_again > 0:
                n_again -= 1
                position, need = again[n_again], needs[n_again]
            else:
                while nxt < n and residues[nxt] == 0:
                    nxt += 1
                if nxt == n:
                    break
                position, need = nxt, u * residues[nxt]
                nxt += 1
            n_free -= 1
            track_of[pieces], member_of[pieces], start_of[pieces] = free[n_free], order[position], now
            pieces += 1
            _push(done, who, where, size, now + need, position, free[n_free])
            size += 1
        end = done[0] if size > 0 else length
        # Does somebody waiting need to enter by then? First among those that wait again, then in order.
        urgent, most, slot = -1, length - end - 1, -1
        for i in range(n_again):
            if needs[i] > most:
                urgent, most, slot = again[i], needs[i], i
        if nxt < n and u * later[nxt // _BLOCK] > most:
            for b in range(nxt // _BLOCK, n_blocks):
                if u * later[b] <= most:
                    break
                if u * peak[b] > most:
                    for i in range(max(nxt, b * _BLOCK), min(n, (b + 1) * _BLOCK)):
                        if u * residues[i] > most:
                            urgent, most, slot = i, u * residues[i], -1
        if urgent < 0:
            now = end
            while size > 0 and done[0] == now:
                free[n_free] = where[0]
                n_free += 1
                _pop(done, who, where, size)
                size -= 1
            continue
        now = length - most
        if slot >= 0:
            n_again -= 1
            for i in range(slot, n_again):
                again[i], needs[i] = again[i + 1], needs[i + 1]
        else:
            b = urgent // _BLOCK
            residues[urgent] = 0
            _refresh(residues, peak, b)
            while b >= 0:
                later[b] = max(later[b + 1], peak[b])
                b -= 1
        track = where[0]
        if done[0] > now:
            again[n_again], needs[n_again] = who[0], done[0] - now
            n_again += 1
        _pop(done, who, where, size)
        track_of[pieces], member_of[pieces], start_of[pieces] = track, order[urgent], now
        pieces += 1
        _push(done, who, where, size - 1, length, urgent, track)
    return pieces


@nb.njit(cache=True)
def _refresh(residues, peak, b):  # type: ignore[no-untyped-def]
    peak[b] = 0
    for i in range(b * _BLOCK, min(residues.shape[0], (b + 1) * _BLOCK)):
        peak[b] = max(peak[b], residues[i])


@nb.njit(cache=True)
def _push(key, a, b, size, new_key, new_a, new_b):  # type: ignore[no-untyped-def]
    """Put an entry on a binary heap of `size` entries, least key first."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if key[parent] <= new_key:
            break
        key[i], a[i], b[i] = key[parent], a[parent], b[parent]
        i = parent
    key[i], a[i], b[i] = new_key, new_a, new_b


@nb.njit(cache=True)
def _pop(key, a, b, size):  # type: ignore[no-untyped-def]
    """Take the least entry off a binary heap of `size` entries."""
    size -= 1
    new_key, new_a, new_b = key[size], a[size], b[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and key[child + 1] < key[child]:
            child += 1
        if new_key <= key[child]:
            break
        key[i], a[i], b[i] = key[child], a[child], b[child]
        i = child
    key[i], a[i], b[i] = new_key, new_a, new_b


@nb.njit(cache=True)
def sweep_cells(first, tracks, members, density, giants, order):  # type: ignore[no-untyped-def]
    """For the first cell of a ring and after each change: the sum of the densities of its members and of the giants,
    and the Renyi entropy of their shares, in nats.

    Sums are carried from cell to cell, and formed anew every u changes so that rounding does not pile up, and where
    most of one went away, and with it the digits of what is left.
    """
    u, changes = first.shape[0], tracks.shape[0]
    current = np.empty(u, np.float64)
    for i in range(u):
        current[i] = density[first[i]]
    base_sum, base_power, base_top = 0.0, 0.0, 0.0
    for value in giants:
        base_sum += value
        base_power += _term(value, order)
        base_top = max(base_top, value)
    sums = np.empty(changes + 1, np.float64)
    entropies = np.empty(changes + 1, np.float64)
    total, power, top = 0.0, 0.0, 0.0
    most_total, most_power = 0.0, 0.0  # since the sums were last formed
    for cell in range(changes + 1):
        anew = cell % u == 0
        if cell > 0:
            track = tracks[cell - 1]
            old, new = current[track], density[members[cell - 1]]
            current[track] = new
            total += new - old
            power += _term(new, order) - _term(old, order)
            most_total, most_power = max(most_total, total), max(most_power, power)
            anew |= 16.0 * total < most_total or (order != 1.0 and 16.0 * power < most_power)
            if new >= top:
                top = new
            elif old == top:
                top = base_top
                for value in current:
                    top = max(top, value)
        if anew:
            total, power, top = base_sum, base_power, base_top
            for value in current:
                total += value
                power += _term(value, order)
                top = max(top, value)
            most_total, most_power = total, power
        sums[cell] = total
        entropies[cell] = 0.0
        if (total > 0.0 and power > 0.0) or (order == 1.0 and total > 0.0):
            if order == np.inf:
                entropies[cell] = np.log(total / top)
            elif order == 1.0:
                entropies[cell] = np.log(total) - power / total
            elif order == 0.0:
                entropies[cell] = np.log(power)
            else:
                entropies[cell] = (np.log(power) - order * np.log(total)) / (1.0 - order)
            entropies[cell] = max(entropies[cell], 0.0)
    return sums, entropies


@nb.njit(cache=True)
def _term(value, order):  # type: ignore[no-untyped-def]
    if value <= 0.0:
        return 0.0
    if order == 1.0:
        return value * np.log(value)
    if order == 0.0 or order == np.inf:
        return 1.0
    return value**order


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


@nb.njit(cache=True)
def link_segments(members, first):  # type: ignore[no-untyped-def]
    """For each secret a segment of its own, and for each segment the next of the same secret, -1 where there is
    none.
    """
    following = np.empty_like(members)
    for segment in range(members.shape[0] - 1, -1, -1):
        following[segment] = first[members[segment]]
        first[members[segment]] = segment
    return first, following


@nb.njit(cache=True)
def guide_table(starts, shift, size, like):  # type: ignore[no-untyped-def]
    """For each stretch of 2^shift positions the last segment that starts at or before its first position."""
    guide = np.empty(size, like.dtype)
    segment, count = 0, starts.shape[0]
    for stretch in range(size):
        while segment + 1 < count and starts[segment + 1] <= stretch << shift:
            segment += 1
        guide[stretch] = segment
    return guide


@nb.njit(cache=True, inline="always")
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
@nb.njit(nogil=True, error_model="numpy", cache=True)
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
    homes, then of all rings.
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
                while phase >= lengths[ring]:
                    phase -= lengths[ring]
                    ring += 1
        else:
            if home_of.shape[0] and home_of[secret] >= 0:
                home = np.int64(home_of[secret])
                if place >= u * home_weights[home]:
                    place -= u * home_weights[home]
                    home = np.int64(-1)
            if home < 0:
                segment = np.int64(first[secret]) if first.shape[0] else np.int64(secret)
                while True:
                    stop = starts[segment + 1] if segment + 1 < starts.shape[0] else end
                    if place < stop - starts[segment]:
                        break
                    place -= stop - starts[segment]
                    segment = np.int64(following[segment])
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


@nb.njit(cache=True)
def fill_slots(offsets, data, slots):  # type: ignore[no-untyped-def]
    """Put the positions of the strings into an open-addressing table whose size is a power of two; -1 is a free slot.

    Positions are first dealt into up to 1024 parts of the table, so that filling it stays in cache. Hashed here in one
    thread on the way.
    """
    hashes = np.empty(offsets.shape[0] - 1, np.uint64)
    for i in range(hashes.shape[0]):
        hashes[i] = _hash_string(data, offsets[i], offsets[i + 1])
    size = slots.shape[0]
    mask = _u64(size - 1)
    shift = _u64(0)
    while size >> np.int64(shift) > 1024:
        shift += _u64(1)
    ends = np.zeros(1025, np.int64)
    for h in hashes:
        ends[((h & mask) >> shift) + _u64(1)] += 1
    for part in range(1024):
        ends[part + 1] += ends[part]
    dealt = np.empty(hashes.shape[0], slots.dtype)
    for position in range(hashes.shape[0]):
        part = (hashes[position] & mask) >> shift
        dealt[ends[part]] = position
        ends[part] += 1
    for position in dealt:
        at = hashes[position] & mask
        while slots[at] >= 0:
            at = (at + _u64(1)) & mask
        slots[at] = position
    return slots


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
