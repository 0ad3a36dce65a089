"""Laying the residue of a plan by time, and joining its tracks to one line."""

from __future__ import annotations

import numpy as np

from minleak.core._compiling import kernel

_BLOCK = 64


@kernel()
def join_tracks(track_of, member_of, start_of, u, length):  # type: ignore[no-untyped-def]
    """The pieces of a schedule on one line, track after track, without those that gave way at once.

    Pieces come in order of their starts; each ends where the next on its track starts.
    """
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
    members, starts = np.empty(place[u], member_of.dtype), np.empty(place[u], np.int64)
    upcoming[:] = length
    for i in range(pieces - 1, -1, -1):
        track = track_of[i]
        if start_of[i] < upcoming[track]:
            place[track + 1] -= 1
            members[place[track + 1]] = member_of[i]
            starts[place[track + 1]] = track * length + start_of[i]
        upcoming[track] = start_of[i]
    return members, starts


@kernel()
def lazy_schedule(residues, order, u, length):  # type: ignore[no-untyped-def]
    """Lay members on u tracks from time 0 to `length`, member i for u * residues[i] units, in the given order.

    u members are on at a time. When one is used up, the next in order takes its track. A waiting member that needs all
    the time left enters at once, in place of the member that would be done first, which then waits at the front. Once
    entered so it stays to the end, so there are at most u such moments. Returns, for each piece in order of its start,
    its track, its member (of `order`) and its start. Needs u * max(residues) <= sum(residues) = length. Zeroes some of
    the residues on the way.
    """
    n = residues.shape[0]
    room = n + 3 * u + 1
    track_of, member_of, start_of = np.empty(room, np.int32), np.empty(room, order.dtype), np.empty(room, np.int64)
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
    return track_of[:pieces], member_of[:pieces], start_of[:pieces]


@kernel()
def _refresh(residues, peak, b):  # type: ignore[no-untyped-def]
    peak[b] = 0
    for i in range(b * _BLOCK, min(residues.shape[0], (b + 1) * _BLOCK)):
        peak[b] = max(peak[b], residues[i])


@kernel()
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


@kernel()
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
