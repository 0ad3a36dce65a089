"""Simplices cut in halves, to prove something of every distribution."""

from __future__ import annotations

import numpy as np

from minleak.core._arrays import Array


def halve(cells: Array) -> Array:
    """Each simplex, its corners as rows, cut at the middle of its longest edge.

    >>> halve(np.eye(2)[None]).tolist()
    [[[0.5, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]]]
    """
    apart = np.square(cells[:, :, None] - cells[:, None]).sum(axis=-1)
    first, second = np.unravel_index(apart.reshape(len(cells), apart.shape[1] ** 2).argmax(axis=1), apart.shape[1:])
    each = np.arange(len(cells))
    middle = (cells[each, first] + cells[each, second]) / 2
    one, other = cells.copy(), cells.copy()
    one[each, first], other[each, second] = middle, middle
    return np.concatenate([one, other])
