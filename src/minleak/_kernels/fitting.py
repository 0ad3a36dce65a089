"""Dealing secrets into sets under caps on nested groups, by first fit."""

from __future__ import annotations

import numpy as np

from minleak._kernels.compiling import kernel


@kernel()
def first_fit(secrets, group_of, parents, caps, size):  # type: ignore[no-untyped-def]
    """The number of the set of each of the secrets, which come in order: the first that has fewer than `size` members,
    and room in the secret's group and in all that it lies in. Returns these, and how many members each set has.

    A group's members go to sets of increasing numbers, so that one pointer for each group, and how many of it are
    there, tells where it has room; sets that are full are skipped by a forest. About O(n) in all. Where groups are
    nested, sets before the pointer of an outer group are left to other groups, so that the fit is the next one.
    """
    n = secrets.shape[0]
    number_of = np.empty(n, np.int32)
    filled, onward = np.zeros(n + 1, np.int32), np.arange(n + 1).astype(np.int32)
    pointer, count = np.zeros(parents.shape[0], np.int32), np.zeros(parents.shape[0], np.int32)
    many, opened = np.int32(0), np.int32(0)  # all sets before `opened` are full
    for i in range(n):
        leaf = group_of[secrets[i]]
        at, group = opened, leaf
        while group >= 0:
            at = max(at, pointer[group] + (1 if count[group] >= caps[group] else 0))
            group = parents[group]
        root = at
        while onward[root] != root:
            root = onward[root]
        while onward[at] != root:
            onward[at], at = root, onward[at]
        group = leaf
        while group >= 0:
            if pointer[group] != root:
                pointer[group], count[group] = root, 0
            count[group] += 1
            group = parents[group]
        number_of[i] = root
        filled[root] += 1
        if filled[root] == size:
            onward[root] = root + 1
            while filled[opened] == size:
                opened += 1
        if root >= many:
            many = np.int32(root + 1)
    return number_of, filled[:many]
