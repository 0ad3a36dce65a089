"""The shorter way gives the digits of the careful one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from minleak.core._entropy.forms import renyi_columns

_RNG = np.random.default_rng(0)


def by_hand(v):
    """The entropy of each column, every term as log1p of the others over the entry, added up exactly."""
    shares = []
    for column in v.T.tolist():
        terms = [x * math.log1p((math.fsum(column[:i] + column[i + 1 :])) / x) for i, x in enumerate(column) if x > 0]
        shares.append(math.fsum(terms) / math.fsum(column))
    return shares


@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e-29, 1e-200])
@pytest.mark.parametrize("skew", [0.1, 1.0, 12.0])
def test_both_ways_agree(scale, skew):
    """To 1e-13 relative, for spread and skewed columns of every size; also with zeros and with a heavy entry."""
    spread = scale * _RNG.random((60, 17)) ** skew
    zeros, heavy = spread.copy(), spread.copy()
    zeros[::3] = 0.0
    heavy[0] = 10 * spread.sum(axis=0)
    for v in (spread, zeros, heavy):
        before = v.copy()
        assert renyi_columns(v, 1)[1] == pytest.approx(by_hand(v), rel=1e-13, abs=0.0)
        assert np.array_equal(v, before)


@pytest.mark.parametrize("shape", [(40, 1), (4, 9), (60, 50)])
def test_columns_of_very_different_size(shape):
    v = np.random.default_rng(5).uniform(0.5, 1, shape) * np.logspace(-20, 0, shape[1])
    s, nats = renyi_columns(v, 1)
    assert nats == pytest.approx(by_hand(v), rel=1e-13)
    assert s == pytest.approx(v.sum(axis=0), rel=1e-14)
