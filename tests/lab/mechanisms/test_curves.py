"""Approximate privacy: curves of one observation exactly, of many between bounds, beside enumeration."""

import math
from functools import reduce

import mpmath
import numpy as np
import pytest

from minleak import lab
from minleak.errors import InvalidParameter
from minleak.lab import mechanisms


def several(row, count):
    """The distribution of so many independent outputs."""
    return reduce(np.multiply.outer, [row] * count).ravel()


def pairs_of(C, count=1):
    rows = [several(np.asarray(row), count) for row in C]
    return [(p, q) for i, p in enumerate(rows) for j, q in enumerate(rows) if i != j]


def channel(seed, n=3, m=4):
    C = np.random.default_rng(seed).random((n, m)) + 0.2
    return C / C.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("epsilon", [0.0, 0.2, 0.7, 3.0])
def test_delta_of_one_observation_is_the_largest_hockey_stick(epsilon):
    C = channel(1)
    largest = max(lab.hockey_stick(p, q, math.exp(epsilon)) for p, q in pairs_of(C))
    assert mechanisms.privacy_curve(C).delta(epsilon) == pytest.approx(largest, abs=1e-15)


def test_pure_privacy_is_where_the_curve_ends():
    C = channel(2)
    curve = mechanisms.privacy_curve(C)
    assert curve.epsilon(0) == pytest.approx(lab.local_dp_epsilon(C))
    assert curve.epsilon(curve.delta(0.3)) == pytest.approx(0.3, abs=1e-8)
    assert curve.renyi(2) == pytest.approx(lab.local_renyi_epsilon(C, 2))
    assert curve.compose(7).renyi(2) == pytest.approx(7 * curve.renyi(2))


@pytest.mark.parametrize("count", [2, 5])
def test_many_observations_are_between_the_bounds(count):
    C = channel(3)
    curve = mechanisms.privacy_curve(C).compose(count)
    for epsilon in (0.0, 0.5, 1.5):
        exact = max(np.maximum(p - math.exp(epsilon) * q, 0).sum() for p, q in pairs_of(C, count))
        assert curve.least_delta(epsilon) <= exact <= curve.delta(epsilon)
        assert curve.delta(epsilon) - curve.least_delta(epsilon) < 1e-4


def test_randomised_response_of_many_rounds_is_binomial():
    epsilon, rounds = 0.5, 10
    curve = mechanisms.privacy_curve(mechanisms.randomised_response(2, epsilon)).compose(rounds)
    right = 1 / (1 + math.exp(-epsilon))
    for at in (1.0, 3.3, 4.9):
        exact = sum(
            math.comb(rounds, k) * right**k * (1 - right) ** (rounds - k) * max(0, -math.expm1(at - loss))
            for k in range(rounds + 1)
            if (loss := epsilon * (2 * k - rounds)) > at
        )
        assert curve.delta(at) == pytest.approx(exact, rel=1e-7)
    # dp-accounting 0.6.0, ten rounds of a loss of .5 at delta 1e-5: 4.9989
    assert curve.epsilon(1e-5) == pytest.approx(4.9989, abs=5e-5)


def test_trade_off_is_that_of_the_best_test():
    C = channel(4)
    for count in (1, 3):
        curve = mechanisms.privacy_curve(C).compose(count)
        for share in (0.0, 0.1, 0.5, 1.0):
            missed = 1.0
            for p, q in pairs_of(C, count):
                order = np.argsort(-p / q)
                found = np.interp(share, np.append(0, np.cumsum(q[order])), np.append(0, np.cumsum(p[order])))
                missed = min(missed, max(1 - found, 0.0))
            assert missed - 1e-4 <= curve.trade_off(share) <= missed + (1e-15 if count == 1 else 0)


@pytest.mark.parametrize("count", [2, 6, 50, 400])
def test_bounds_are_rounded_outward(count):
    """Lower bounds were above the truth by the rounding of the transforms, and above 1 for many observations."""
    curve = mechanisms.privacy_curve([[0.73, 0.27], [0.27, 0.73]]).compose(count)
    with mpmath.workdps(50):
        p, q = mpmath.mpf(0.73), mpmath.mpf(0.27)
        p, q = p / (p + q), q / (p + q)
        mass = [mpmath.binomial(count, k) * p**k * q ** (count - k) for k in range(count + 1)]
        losses = [(2 * k - count) * mpmath.log(p / q) for k in range(count + 1)]
        for share in (0.01, 0.2, 0.5, 0.9, 0.95):
            at = share * count
            exact = sum(m * -mpmath.expm1(at - loss) for m, loss in zip(mass, losses, strict=True) if loss > at)
            assert 0 <= curve.least_delta(at) <= exact <= curve.delta(at) <= 1
        under_q, found = mass[0], 1 - mass[count]  # the test that decides for x where all outputs are likelier there
        assert curve.trade_off(float(under_q)) <= found
    assert mechanisms.privacy_curve([[0.73, 0.27], [0.27, 0.73]]).compose(10**5).least_delta(0.1) <= 1


def test_what_is_told_for_sure_stays_in_delta():
    curve = mechanisms.privacy_curve([[1, 0], [0.5, 0.5]])
    assert curve.delta(50) == pytest.approx(0.5)
    assert curve.epsilon(0.2) == math.inf
    assert curve.compose(3).delta(50) == pytest.approx(1 - 0.5**3)
    assert mechanisms.privacy_curve([[1], [1]]).compose(4).delta(0) == pytest.approx(0, abs=1e-13)


def test_shuffling_bounds_the_exact_loss_of_randomised_response():
    """n answers of randomised response in random order are a count; one answer changes it by a shifted binomial."""
    from scipy.stats import binom

    epsilon, people, delta = 1.0, 20_000, 1e-6
    lie = 1 / (1 + math.exp(epsilon))
    others = binom.pmf(np.arange(people), people - 1, lie)
    ones, zeros = ((np.append(others, 0) * (1 - p) + np.append(0, others) * p) for p in (1 - lie, lie))
    bound = mechanisms.shuffled_epsilon(epsilon, n=people, delta=delta)
    assert bound < epsilon
    for p, q in ((ones, zeros), (zeros, ones)):
        assert np.maximum(p - math.exp(bound) * q, 0).sum() <= delta
    assert mechanisms.shuffled_epsilon(3.0, n=10, delta=delta) == 3.0


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: mechanisms.privacy_curve([[1.0]]), "two secrets"),
        (lambda: mechanisms.privacy_curve([[1, 0], [0, 1]], pairs=[(0, 5)]), "rows from 0 to 1"),
        (lambda: mechanisms.privacy_curve([[1, 0], [0, 1]]).epsilon(2), "from 0 to 1"),
        (lambda: mechanisms.privacy_curve([[1, 0], [0, 1]]).delta(math.nan), "epsilon"),
        (lambda: mechanisms.privacy_curve([[1, 0], [0, 1]]).compose(0), "observations"),
        (lambda: mechanisms.privacy_curve([[1, 0], [0, 1]]).compose(2).compose(2), "one observation"),
        (lambda: mechanisms.shuffled_epsilon(1, n=100, delta=0), "delta"),
    ],
)
def test_bad_input_is_refused_in_one_line(call, says):
    with pytest.raises(InvalidParameter, match=says):
        call()


def test_more_observations_than_fit_are_refused_in_a_line():
    curve = mechanisms.privacy_curve(mechanisms.randomised_response(3, 0.7))
    with pytest.raises(InvalidParameter, match=r"at most 8,388,607 observations, or renyi\(alpha\)"):
        curve.compose(10**8)
    assert curve.renyi(2) > 0
