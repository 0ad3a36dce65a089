"""What a certificate counts over the labels of a file."""

from __future__ import annotations

import numpy as np

from minleak.core._compiling import kernel


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
