"""Theorems behind privacy to the last digit."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import minleak as ml
from minleak.lab._optimise.private import as_privacy


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), epsilon=st.floats(0.01, 20), noise=st.sampled_from([0.0, 1e-9, 1e-3, 1.0]))
def test_what_is_kept_is_private(seed, epsilon, noise):
    """Raised by the others and filled up by shares of one row, every matrix is private, with rows that sum to one; and
    one that was private stays as it is.
    """
    rng = np.random.default_rng(seed)
    at = rng.random((6, 2))
    d = np.linalg.norm(at[:, None] - at, axis=2)
    d[:3, 3:] = d[3:, :3] = np.inf if seed % 3 == 0 else d[:3, 3:]
    d = np.minimum(d, d.T)
    privacy = as_privacy((epsilon, d), 6)
    private = privacy.least @ rng.random((6, 4)) + 0.0
    private = privacy.make_private(np.maximum(private, 1e-12))
    given_matrix = private * (1 + noise * rng.random((6, 4)))
    kept = privacy.make_private(given_matrix)
    assert abs(kept.sum(axis=1) - 1).max() <= 1e-12
    assert ml.lab.d_privacy(kept, d) <= epsilon * (1 + 1e-9) + 1e-13 / d[d > 0].min()
    if noise == 0:
        np.testing.assert_allclose(kept, private, rtol=1e-9)
