"""The compiled sort of long columns gives what sorting by comparison gives."""

from __future__ import annotations

import numpy as np
import pytest

from minleak._kernels import guessing

_RNG = np.random.default_rng(0)
COLUMNS = {
    "spread": _RNG.random((2000, 5)),
    "skewed": _RNG.random((2000, 5)) ** 40,
    "tied": np.round(_RNG.random((2000, 5)), 2),
    "alike in their upper bits": 1 + 1e-10 * _RNG.random((2000, 5)),
    "zeros": np.zeros((2000, 2)),
    "sparse": _RNG.random((2000, 5)) * (_RNG.random((2000, 5)) < 0.1),
    "over all magnitudes": 10.0 ** _RNG.uniform(-300, 0, (2000, 5)),
    "falling": np.sort(_RNG.random((2000, 5)), axis=0)[::-1].copy(),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_sums_by_rank(name):
    """The sum of i times the i-th largest, whatever the entries look like; the columns are left as they were."""
    v = COLUMNS[name].copy()
    found = guessing.guesswork_sums(v, np.empty(v.shape[1]))
    assert found == pytest.approx(np.arange(len(v), 0, -1.0) @ np.sort(v, axis=0), rel=1e-13)
    assert (v == COLUMNS[name]).all()
