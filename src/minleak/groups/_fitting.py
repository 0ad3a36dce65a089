"""Dealing secrets into sets under caps on nested groups, by first fit."""

from __future__ import annotations

import numpy as np

from minleak.core._compiling import kernel


@kernel()
def first_fit(groups, parents, caps, size):  # type: ignore[no-untyped-def]
    """The number of the set of each secret, which come in order and are in these groups: the first that has fewer than
    `size` members, and room in the secret's group and in all that it lies in. Returns these, and how many members each
    set has.

    A group's members go to sets of increasing numbers, so that one pointer for each group, and how many of it are
    there, tells where it has room; sets that are full are skipped by a forest. About O(n) in all. Where groups are
    nested, sets before the pointer of an outer group are left to other groups, so that the fit is the next one.
    """
    n = groups.shape[0]
    number_of = np.empty(n, np.int32)
    filled, onward = np.zeros(n + 1, np.int32), np.empty(n + 1, np.int32)
    for i in range(n + 1):
        onward[i] = i
    state = np.zeros((parents.shape[0], 4), np.int32)  # pointer, how many are there, cap, parent: one line of cache
    for group in range(parents.shape[0]):
        state[group, 2], state[group, 3] = min(caps[group], size), parents[group]
    many, opened = np.int32(0), np.int32(0)  # all sets before `opened` are full
    for i in range(n):
        at, group = opened, groups[i]
        while group >= 0:
            room = state[group, 0] + (state[group, 1] >= state[group, 2])
            if room > at:
                at = room
            group = state[group, 3]
        root = at
        while onward[root] != root:
            root = onward[root]
        while onward[at] != root:
            onward[at], at = root, onward[at]
        group = groups[i]
        while group >= 0:
            if state[group, 0] != root:
                state[group, 0], state[group, 1] = root, 0
            state[group, 1] += 1
            group = state[group, 3]
        number_of[i] = root
        filled[root] += 1
        if filled[root] == size:
            onward[root] = root + 1
            while filled[opened] == size:
                opened += np.int32(1)
        if root >= many:
            many = np.int32(root + 1)
    return number_of, filled[:many]
