"""Whether counts differ by more than chance: right rates, the error rate that is stated, and power where it matters."""

from __future__ import annotations

import numpy as np
import pytest

from minleak.rates._rates import Mixtures, fit_one_rate


def truncated(rates, rng):
    """Distinct counts that are not zero, and how many there are of each."""
    counts = rng.poisson(rates)
    return np.unique(counts[counts > 0], return_counts=True)


@pytest.mark.parametrize(("rate", "n"), [(0.1, 3000), (0.4, 300), (0.4, 5000), (3.0, 100), (40.0, 1000), (5000.0, 200)])
def test_one_rate_is_rejected_as_often_as_said(rate, n):
    """At 5%, in 8 to 35 of 400 runs: beyond that with probability .01 at exactly 5%. The rate is right, too."""
    found = [fit_one_rate(*truncated(np.full(n, rate), np.random.default_rng(run))) for run in range(400)]
    assert 8 <= sum(p <= 0.05 for _, p in found) <= 35
    assert np.mean([fitted for fitted, _ in found]) == pytest.approx(rate, rel=0.03)


def test_several_rates_are_seen():
    """Two that differ by four, and lognormal ones, at a few events each."""
    rng = np.random.default_rng(1)
    for rates in (np.tile([0.8, 3.2], 500), rng.lognormal(0, 1, 500), np.tile([9000.0, 10000.0], 50)):
        assert not Mixtures(*truncated(rates, rng)).one_rate[1]


@pytest.mark.parametrize("counts", [[1], [7], [2**53]])
def test_counts_that_are_all_equal_are_alike(counts):
    """However many: nothing is divided by zero."""
    for times in (1, 2, 10**6):
        rate, alike = Mixtures(np.array(counts), np.array([times])).one_rate
        assert alike
        assert rate == pytest.approx(counts[0], rel=0.01)
