"""Draws from many posteriors on one grid: a likelihood for each, and the weights that they have in common."""

from __future__ import annotations

import numpy as np

from minleak.core._compiling import kernel

# Places of a row's table that say where a search begins.
_GUIDES = 128


@kernel(nogil=True)
def draw_posteriors(likelihood, weights, grid, rows, uniforms, values):  # type: ignore[no-untyped-def]
    """`values[i]` becomes the point of the grid at which the posterior of row `rows[i]`, the normalised product of its
    likelihood and the weights, passes uniforms[i] in [0, 1). Values of rows below 0 are left as they are.

    Each row's table of guides makes the search take about one step, however long the grid is.
    """
    size, points = likelihood.shape
    passed = np.empty((size, points))
    guides = np.empty((size, _GUIDES), np.int32)
    for r in range(size):
        total = 0.0
        for j in range(points):
            total += likelihood[r, j] * weights[j]
            passed[r, j] = total
        j = 0
        for g in range(_GUIDES):
            while j < points - 1 and passed[r, j] * _GUIDES <= g * total:
                j += 1
            guides[r, g] = j
    for i in range(rows.shape[0]):
        r = rows[i]
        if r >= 0:
            j = guides[r, int(uniforms[i] * _GUIDES)]
            at = uniforms[i] * passed[r, points - 1]
            while j < points - 1 and passed[r, j] <= at:
                j += 1
            values[i] = grid[j]
