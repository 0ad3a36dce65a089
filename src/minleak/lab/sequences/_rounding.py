"""Dependent rounding: a matrix of integers from 0 to D becomes one of 0 and D, each entry right in the mean."""

from __future__ import annotations

import numpy as np

from minleak.core._compiling import kernel

# What one step writes down of itself for whoever checks it, before the nodes of its cycle or path.
TRACED = 6


@kernel()
def chance(p, q, words, at):  # type: ignore[no-untyped-def]
    """True with probability p/q exactly, for 0 <= p <= q <= 2^63: the bits of a random word are compared with those of
    p/q, all of them, and the first that differ decide. So a chance takes one word whatever p/q is and however it comes
    out; once in 2^64 times another. `at` counts the words; -1 if there are not enough.
    """
    found, open_ = False, True
    while open_:
        if at >= words.shape[0]:
            return False, -1
        word = words[at]
        at += 1
        for place in range(64):
            p <<= np.uint64(1)
            bit = p >= q
            p -= q * np.uint64(bit)
            differs = bit != ((word >> np.uint64(place)) & np.uint64(1) == np.uint64(1))
            found |= open_ & differs & bit
            open_ &= not differs
    return found, at


@kernel()
def _find_path(entries, active, d, parents, queue, path):  # type: ignore[no-untyped-def]
    """A cycle, or a path between two columns of one fractional entry each: its nodes in order into `path`, and their
    number; 0 if there is none. Rows are nodes 0..k-1, slots of columns k and on; the newest slots are tried first.
    """
    k = entries.shape[1]
    for node in range(k + active):
        parents[node] = -2
    for root in range(k + active - 1, k - 1, -1):
        if parents[root] != -2:
            continue
        parents[root] = -1
        queue[0] = root
        first, last, leaf = 0, 1, -1
        while first < last:
            node = queue[first]
            first += 1
            degree = 0
            for other in range(k) if node >= k else range(k, k + active):
                value = entries[node - k, other] if node >= k else entries[other - k, node]
                if value == 0 or value == d:
                    continue
                degree += 1
                if other == parents[node]:
                    continue
                if parents[other] != -2:
                    return _join_in_tree(node, other, parents, path)
                parents[other] = node
                queue[last] = other
                last += 1
            if node >= k and degree == 1:
                if leaf >= 0:
                    return _join_in_tree(leaf, node, parents, path)
                leaf = node
    return 0


@kernel()
def _join_in_tree(a, b, parents, path):  # type: ignore[no-untyped-def]
    """The nodes from a to b through the tree."""
    depth_a, depth_b = 0, 0
    node = a
    while parents[node] >= 0:
        node = parents[node]
        depth_a += 1
    node = b
    while parents[node] >= 0:
        node = parents[node]
        depth_b += 1
    head, back = 0, path.shape[0]
    while a != b:
        if depth_a >= depth_b:
            path[head] = a
            head += 1
            a = parents[a]
            depth_a -= 1
        else:
            back -= 1
            path[back] = b
            b = parents[b]
            depth_b -= 1
    path[head] = a
    head += 1
    for at in range(back, path.shape[0]):
        path[head] = path[at]
        head += 1
    return head


@kernel()
def round_columns(matrix, d, true_row, true_column, words, chosen, trace):  # type: ignore[no-untyped-def]
    """The column that each row gets, into `chosen`, and the random words used, -1 if there are too few.

    `matrix` is m x k: m columns of the coupling with an entry for each of its k rows, whose sums are d. Columns are
    added one by one to a forest of fractional entries; whatever becomes a cycle, or a path between two columns with
    one fractional entry each, is moved along, up or down, until an entry is 0 or d. Which one is moved depends on the
    entries alone. The law is that of the rounding given that the entry at (true_row, true_column) becomes d.
    `trace` has a row for each move if it has rows: how many nodes, whether they are a cycle, the moves up and down,
    the true entry before, whether it went up; then the nodes, rows as 0..k-1 and columns as k and on.
    """
    m, k = matrix.shape
    entries, names = np.zeros((k + 2, k), np.int64), np.empty(k + 2, np.int64)
    parents, queue = np.empty(2 * k + 2, np.int64), np.empty(2 * k + 2, np.int64)
    path = np.empty(2 * k + 2, np.int64)
    used, active, moves = 0, 0, 0
    true_value = matrix[true_column, true_row]
    chosen[:] = -1
    for column in range(m):
        fractional = False
        for row in range(k):
            value = matrix[column, row]
            entries[active, row] = value
            fractional |= 0 < value < d
            if value == d:
                chosen[row] = column
        if not fractional:
            continue
        names[active] = column
        active += 1
        while True:
            count = _find_path(entries, active, d, parents, queue, path)
            if count == 0:
                break
            edges = count if path[0] < k or path[count - 1] < k else count - 1
            up, down, side = _moves(entries, names, d, path[:count], edges, true_row, true_column)
            lost = down if side > 0 else up if side < 0 else 0
            away = np.uint64(up if side > 0 else down)
            first, used = chance(away, np.uint64(up + down), words, used)
            if used < 0:
                return -1
            second, used = chance(np.uint64(true_value - lost), np.uint64(true_value), words, used)
            if used < 0:
                return -1
            # the move that makes the true entry smaller is made only if both say so
            rises = not (first and second) if side > 0 else (first and second) if side < 0 else first
            if trace.shape[0]:
                trace[moves, 0], trace[moves, 1], trace[moves, 2] = count, edges == count, up
                trace[moves, 3], trace[moves, 4], trace[moves, 5] = down, true_value, rises
                for node in range(count):
                    trace[moves, TRACED + node] = path[node] if path[node] < k else k + names[path[node] - k]
            moves += 1
            move = up if rises else -down
            true_value += side * move
            _move(entries, names, d, path[:count], edges, move, chosen)
            active = _keep_fractional(entries, names, active, d)
    return used


@kernel()
def _moves(entries, names, d, path, edges, true_row, true_column):  # type: ignore[no-untyped-def]
    """How far the entries along a cycle or path can go, every other up and the rest down, and the other way round; and
    whether the true entry then rises (1), falls (-1) or is not among them (0).
    """
    k, up, down, side = entries.shape[1], d, d, 0
    for edge in range(edges):
        a, b = path[edge], path[(edge + 1) % path.shape[0]]
        slot, row = max(a, b) - k, min(a, b)
        value = entries[slot, row]
        if edge % 2 == 0:
            up, down = min(up, d - value), min(down, value)
        else:
            up, down = min(up, value), min(down, d - value)
        if row == true_row and names[slot] == true_column:
            side = 1 if edge % 2 == 0 else -1
    return up, down, side


@kernel()
def _move(entries, names, d, path, edges, move, chosen):  # type: ignore[no-untyped-def]
    """Every other entry along a cycle or path goes up by `move`, the rest down; rows that come to d are chosen."""
    k = entries.shape[1]
    for edge in range(edges):
        a, b = path[edge], path[(edge + 1) % path.shape[0]]
        slot, row = max(a, b) - k, min(a, b)
        entries[slot, row] += move if edge % 2 == 0 else -move
        if entries[slot, row] == d:
            chosen[row] = names[slot]


@kernel()
def _keep_fractional(entries, names, active, d):  # type: ignore[no-untyped-def]
    """How many columns are left when those without a fractional entry are gone; the others keep their order."""
    left = 0
    for slot in range(active):
        for row in range(entries.shape[1]):
            if 0 < entries[slot, row] < d:
                if left < slot:
                    names[left] = names[slot]
                    entries[left] = entries[slot]
                left += 1
                break
    return left


@kernel()
def bin_columns(matrix, d):  # type: ignore[no-untyped-def]
    """Where bins of consecutive columns begin whose entries, over all rows, are at most d; a larger column is alone."""
    starts = np.empty(matrix.shape[0], np.int64)
    bins, room = 0, np.int64(-1)
    for column in range(matrix.shape[0]):
        room = _room(room, matrix[column])
        if room < 0:
            starts[bins] = column
            bins += 1
            room = _room(np.int64(d), matrix[column])
    return starts[:bins]


@kernel()
def _room(room, entries):  # type: ignore[no-untyped-def]
    """What the entries leave, -1 where they do not fit; their sum may pass 64 bits."""
    for value in entries:
        if room < value:
            return np.int64(-1)
        room -= value
    return room
