"""The shorter way gives the digits of the careful one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from minleak.core._columns import Columns
from minleak.core._entropy.means import light_shannon, log_ratios, shannon_sums

_RNG = np.random.default_rng(0)


@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e-29, 1e-200])
@pytest.mark.parametrize("skew", [0.1, 1.0, 12.0])
def test_both_ways_agree(scale, skew):
    """To 1e-13 relative, for spread and skewed columns of every size; also with zeros and with a heavy entry."""
    spread = scale * _RNG.random((1000, 17)) ** skew
    zeros, heavy = spread.copy(), spread.copy()
    zeros[::3] = 0.0
    heavy[0] = 10 * spread.sum(axis=0)
    for v in (spread, zeros, heavy):
        expected = -(v * log_ratios(v)[1].copy()).sum(axis=0)
        assert shannon_sums(v) == pytest.approx(expected, rel=1e-13, abs=0.0)


@pytest.mark.parametrize("shape", [(40, 1), (4, 9), (60, 50)])
def test_light_columns_have_the_digits_of_the_general_way(shape):
    """Where no entry is zero or most of its column, s log s - sum v log v is the entropy column by column."""
    v = np.random.default_rng(5).uniform(0.5, 1, shape) * np.logspace(-20, 0, shape[1])
    seen = Columns(v)
    assert seen.light
    general = -math.fsum((v * log_ratios(v)[1]).ravel())
    assert light_shannon(seen) == pytest.approx(general, rel=1e-13)
