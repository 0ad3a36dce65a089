"""Mechanisms with a parameter epsilon, and privacy curves under composition."""

import numpy as np
import pytest
from tests.abilities.names import geometric, leakage, local_dp_epsilon, privacy_curve, randomised_response


def test_geometric():
    ages = geometric(5, 0.5)
    matrix = np.asarray(ages.toarray())
    a = np.exp(-0.5)
    assert matrix[2, 2] == pytest.approx((1 - a) / (1 + a))
    assert matrix[2, 0] == pytest.approx(a**2 / (1 + a))
    assert ages.epsilon == pytest.approx(0.5)
    assert leakage([1, 2, 4, 2, 1], ages, "shannon") == pytest.approx(0.160353156, abs=1e-9)


def test_curve():
    answer = randomised_response(2, np.log(3))
    assert np.asarray(answer.toarray()).tolist() == [
        [pytest.approx(0.75), pytest.approx(0.25)],
        [pytest.approx(0.25), pytest.approx(0.75)],
    ]
    assert local_dp_epsilon(answer) == pytest.approx(np.log(3))
    curve = privacy_curve(answer)
    assert curve.delta(0) == pytest.approx(0.5)  # the total variation
    twice = curve.compose(2)
    # the losses are 2 log 3 with 9/16, 0 with 6/16, -2 log 3 with 1/16
    assert twice.delta(0.5) == pytest.approx(9 / 16 - np.exp(0.5) / 16, abs=1e-6)
