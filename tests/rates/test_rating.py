"""The compiled loops of mixtures against numpy."""

from __future__ import annotations

import numpy as np

from minleak.rates._rates import GRID, Mixtures
from minleak.rates._rating import draw_posteriors


def test_draws():
    """As by a search in the whole posterior; a count that nothing was seen of has one too, rows below 0 have none."""
    mixtures = Mixtures(np.array([1, 2, 3, 7, 40, 41, 200]), np.array([50, 20, 10, 10, 6, 4, 0]))
    weights = mixtures.fit(40)
    rng = np.random.default_rng(0)
    rows, uniforms, values = rng.integers(-1, 7, 2000), rng.random(2000), np.full(2000, -1.0)
    draw_posteriors(mixtures.likelihood, weights, GRID, rows, uniforms, values)
    posterior = np.cumsum(mixtures.likelihood.astype(np.float64) * weights, axis=1)
    for row, uniform, value in zip(rows, uniforms, values, strict=True):
        at = np.searchsorted(posterior[row], uniform * posterior[row, -1], side="right")
        assert value == (-1 if row < 0 else GRID[at])
    assert abs(values[rows == 6].mean() - 200) < 10
