"""Repeated draws of one secret: exact against sequences of the explicit channel, simulated against exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import HARD, LAYOUTS

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.rivals._intersections import _among
from minleak.testing import priors


@given(priors(max_size=6), st.integers(1, 6), st.sampled_from(LAYOUTS))
@settings(max_examples=60)
def test_exact_success_is_that_of_all_sequences(prior, k, layout):
    """The Bayes vulnerability of the channel used one, two and three times, never falling."""
    plan = ml.design(prior, k, layout=layout)
    found = ml.repeated(plan, [1, 2, 3], exact=True)
    channel = plan.channel()
    expected = [ml.lab.posterior_vulnerability(prior, ml.lab.repeated(channel, t)) for t in (1, 2, 3)]
    assert found.exact
    assert found.success == pytest.approx(expected, rel=1e-12)
    assert found.low == found.success == found.high
    assert list(found.success) == sorted(found.success)


@given(priors(min_size=2, max_size=6), st.integers(1, 5), st.data())
@settings(max_examples=40)
def test_with_gains_the_attacker_still_names_the_secret(prior, k, data):
    """Success is counted under the prior, also for secrets that are worth nothing."""
    gamma = data.draw(st.lists(st.integers(0, 3), min_size=len(prior), max_size=len(prior)))
    gamma[int(np.argmax(prior.weights))] += 1
    plan = ml.design(prior, k, gains=gamma)
    expected = [ml.lab.posterior_vulnerability(prior, ml.lab.repeated(plan.channel(), t)) for t in (1, 2)]
    assert ml.repeated(plan, [1, 2], exact=True).success == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_one_draw(weights, layout):
    """Corollary 1: max(1/k, p_max), exact and simulated; with one guess in a set nothing is left to chance."""
    top = max(weights) / sum(weights)
    for k in range(1, sum(w > 0 for w in weights) + 1):
        plan = ml.design(weights, k, layout=layout)
        for exact in (True, False):
            found = ml.repeated(plan, [1], trials=50, exact=exact)
            assert found.success == pytest.approx([max(1 / k, top)], rel=1e-12)


PLANS = {
    "flat": ([9, 8, 8, 7, 6, 5, 5, 4], 3),
    "skewed": ([100, 40, 20, 9, 5, 3, 2, 2], 4),
    "zeros": ([30, 0, 11, 7, 0, 5, 3], 2),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("weights", "k"), PLANS.values(), ids=PLANS)
def test_simulated_success_is_near_the_exact_one(weights, k, layout):
    """Within twice the half width of the 99% interval: by chance it fails in fewer than one of a million."""
    plan = ml.design(weights, k, layout=layout)
    exact = ml.repeated(plan, [2, 5], exact=True)
    found = ml.repeated(plan, [2, 5], trials=20_000, seed=1, exact=False)
    assert (exact.exact, found.exact, found.trials) == (True, False, 20_000)
    for value, success, low, high in zip(exact.success, found.success, found.low, found.high, strict=True):
        assert low <= success <= high
        assert abs(success - value) <= high - low <= 0.02


def test_intervals_hold_as_often_as_they_say():
    """Of 200 intervals of 99% at least 192 hold the truth: by chance fewer do so once in a thousand."""
    plan = ml.design([9, 8, 8, 7, 6, 5, 5, 4], 3, layout="circle")
    truth = ml.repeated(plan, [2], exact=True).success[0]
    found = [ml.repeated(plan, [2], trials=400, seed=seed, exact=False) for seed in range(200)]
    held = sum(one.low[0] <= truth <= one.high[0] for one in found)
    assert 192 <= held < 200


def test_success_does_not_fall_with_more_draws():
    """What was seen before is not forgotten; in a simulation up to its error."""
    plan = ml.design([100, 40, 20, 9, 5, 3, 2, 2], 3)
    found = ml.repeated(plan, [1, 2, 3, 4, 6, 10], exact=True)
    assert list(found.success) == sorted(found.success)
    simulated = ml.repeated(plan, [1, 2, 5, 20], exact=False, trials=2000)
    assert all(b >= a - 0.02 for a, b in zip(simulated.success, simulated.success[1:], strict=False))


def test_the_stable_layout_is_for_repeated_draws():
    """On a heavy-tailed prior of 5000 secrets, k = 8: both are optimal for one draw, one of them for two."""
    weights = np.random.default_rng(0).permutation((10**8 / np.arange(1, 5001) ** 0.8).astype(int))
    found = {layout: ml.repeated(ml.design(weights, 8, layout=layout), [1, 2, 5], trials=4000) for layout in LAYOUTS}
    for layout in LAYOUTS:
        assert found[layout].success[0] == pytest.approx(1 / 8, rel=1e-9)
    assert found["stable"].high[1] < 0.25 < 0.5 < found["circle"].low[1]
    assert found["stable"].high[2] < 0.35 < 0.8 < found["circle"].low[2]


def test_draws_in_any_order_and_twice():
    """One number for each that was asked for."""
    plan = ml.design([5, 4, 3, 2, 1], 2)
    for exact in (True, False):
        found = ml.repeated(plan, [3, 1, 3], exact=exact, trials=100)
        assert found.draws == (3, 1, 3)
        assert found.success[0] == found.success[2] >= found.success[1]


def test_it_prints_as_a_table():
    """A line for each number of draws."""
    plan = ml.design([5, 4, 3, 2, 1], 2)
    assert "exact" in str(ml.repeated(plan, [1, 2]))
    assert ".." in str(ml.repeated(plan, [1, 2], exact=False, trials=100))
    assert len(str(ml.repeated(plan, [1, 2, 5])).splitlines()) == 4


def test_exact_is_refused_where_it_would_not_end():
    """And left out where nobody asked for it."""
    plan = ml.design(range(1, 200), 5)
    with pytest.raises(InvalidParameter, match="too many sets"):
        ml.repeated(plan, [2], exact=True)
    assert not ml.repeated(plan, [2], trials=10).exact


@pytest.mark.parametrize("draws", [[], [0], [1, -2], [1.5], [True], 2, "12", [2, None]], ids=repr)
def test_draws_are_whole_numbers(draws):
    """From 1 on, at least one."""
    with pytest.raises(InvalidParameter, match=r"whole numbers? from 1 to"):
        ml.repeated(ml.design([2, 1], 2), draws)


@pytest.mark.parametrize("trials", [0, 1, -5, 2.5, True, "9"], ids=repr)
def test_trials_are_a_whole_number(trials):
    """From 2 on, for an interval needs two."""
    with pytest.raises(InvalidParameter, match="whole number from 2 to"):
        ml.repeated(ml.design([2, 1], 1), [1], trials=trials)


def test_draws_may_be_an_array():
    """Of integers."""
    assert ml.repeated(ml.design([2, 1], 2), np.array([1, 2])).draws == (1, 2)


def test_large_sets_are_intersected_by_sorting_as_small_ones_member_by_member():
    rng = np.random.default_rng(5)
    first, second = (np.array([rng.choice(300, 80, replace=False) for _ in range(20)]) for _ in range(2))
    assert np.array_equal(_among(first, second), (first[:, :, None] == second[:, None, :]).any(axis=2))
