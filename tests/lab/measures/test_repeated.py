"""Looks at a known channel: exact and simulated agree, numbers of looks are the least, and limits are said."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minleak as ml
from minleak.errors import Infeasible, InvalidChannel, InvalidParameter
from minleak.lab._measures import observations

PRIOR = [3, 2, 2, 1]
CHANNEL = [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6], [0.5, 0.3, 0.2]]  # the last shows what the first does


def test_exact_and_simulated_agree(monkeypatch):
    """Two ways, and a third by the library's own channel of several looks."""
    exact = ml.lab.repeated_success(PRIOR, CHANNEL, looks=[1, 3, 8])
    assert all(exact.exact)
    for t, success in zip(exact.looks, exact.success, strict=True):
        assert success == pytest.approx(ml.lab.posterior_vulnerability(PRIOR, ml.lab.repeated(ml.Channel(CHANNEL), t)))
    monkeypatch.setattr(observations, "_EXACT", 0)
    simulated = ml.lab.repeated_success(PRIOR, CHANNEL, looks=[1, 3, 8])
    assert not any(simulated.exact)
    for low, value, high in zip(simulated.low, exact.success, simulated.high, strict=True):
        assert low <= value <= high
        assert high - low < 0.02
    assert exact.most == simulated.most == pytest.approx(7 / 8)
    assert "exact" in str(exact)
    assert " .. " in str(simulated)


def test_zeros_are_certainties():
    """One look that another secret cannot show is enough; the number of looks until it comes is geometric."""
    channel = np.zeros((2, 102))
    channel[0, :101] = channel[1, 1:] = 1 / 101
    needed = ml.lab.observations_needed([1, 1], channel, success=0.9, trials=4000)
    least = math.ceil(math.log(0.2) / math.log(100 / 101))  # half of (100/101)^t is wrong
    assert needed.low <= least <= needed.high
    assert needed.high - needed.low < 30
    assert needed.exponent == pytest.approx(-math.log(100 / 101))


def test_the_least_number():
    needed = ml.lab.observations_needed([1, 1], [[0.6, 0.4], [0.4, 0.6]], success=0.9)
    before, after = ml.lab.repeated_success(
        [1, 1], [[0.6, 0.4], [0.4, 0.6]], looks=[needed.looks - 1, needed.looks]
    ).success
    assert before < 0.9 <= after
    assert needed.exact
    assert needed.low == needed.looks == needed.high
    assert ml.lab.observations_needed([1], [[0.5, 0.5]], success=0.99).looks == 1


def test_limits_and_refusals():
    with pytest.raises(Infeasible, match=r"secrets that show the same keep it at 0\.875"):
        ml.lab.observations_needed(PRIOR, CHANNEL, success=0.9)
    with pytest.raises(Infeasible, match="more than 1,000,000,000 looks"):
        ml.lab.observations_needed([1, 1], [[0.5, 0.5], [0.5000001, 0.4999999]], success=0.99)
    for call in (
        lambda: ml.lab.observations_needed(PRIOR, CHANNEL, success=1.0),
        lambda: ml.lab.repeated_success(PRIOR, CHANNEL, looks=[]),
        lambda: ml.lab.repeated_success(PRIOR, CHANNEL, looks=[0]),
        lambda: ml.lab.repeated_success(PRIOR, CHANNEL, looks=[10**10]),
        lambda: ml.lab.repeated_success(PRIOR, CHANNEL, trials=1),
        lambda: ml.lab.repeated_success(PRIOR, CHANNEL, seed=-1),
    ):
        with pytest.raises(InvalidParameter):
            call()
    with pytest.raises(InvalidChannel, match="4 secrets"):
        ml.lab.repeated_success(PRIOR, CHANNEL[:3])
