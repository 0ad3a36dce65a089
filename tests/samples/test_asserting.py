"""assert_no_leak: it fails by chance as rarely as it says, and finds leaks that are planted."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import binom

from minleak.errors import InvalidParameter
from minleak.testing import assert_no_leak


def fails(f, **options):
    try:
        assert_no_leak(f, ["right", "wrong"], **options)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("shown", ["number", "name", "drift"])
def test_false_alarms_are_as_rare_as_alpha(shown):
    """100 runs at alpha = 0.1 where nothing leaks: more than the 99.99% quantile of binomial(100, 0.1) would tell of an
    error; also where what is seen drifts while the calls go on, or has few values.
    """
    rng = np.random.default_rng(7)
    calls = iter(range(10**9))
    see = {
        "number": lambda _: rng.normal(),
        "name": lambda _: str(rng.integers(3)),
        "drift": lambda _: next(calls) / 50 + rng.normal(),
    }[shown]
    alarms = sum(fails(see, alpha=0.1, events=120, seed=seed) for seed in range(100))
    assert alarms <= binom.ppf(0.9999, 100, 0.1)


@pytest.mark.parametrize("shift", [0.5, 1.0])
def test_a_planted_leak_is_found(shift):
    """Normal noise with a shift of half a deviation: 2,000 calls find it in each of ten runs."""
    rng = np.random.default_rng(8)
    assert all(fails(lambda x: rng.normal(shift * (x == "right")), seed=seed) for seed in range(10))


def test_the_message_has_figures_and_no_inputs():
    with pytest.raises(AssertionError, match=r"p = 0.0005 <= alpha = 0.01; a guess is right 100.0%") as refused:
        assert_no_leak(len, ["hidden", "hi"])
    assert "hidden" not in str(refused.value)
    assert not assert_no_leak(lambda _: 3, ["hidden", "hi"]).rejected


def test_time_is_what_is_seen_where_that_is_asked():
    def slow(x):
        total = 0
        for i in range(20_000 if x else 10):
            total += i

    with pytest.raises(AssertionError, match="tells the input"):
        assert_no_leak(slow, [False, True], seen="time", events=200)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"inputs": ["a"]}, "two or more"),
        ({"events": 10}, "events is a whole number from 40"),
        ({"alpha": 0}, "alpha is between"),
        ({"seen": "both"}, "'value' or 'time'"),
    ],
)
def test_what_cannot_be_tested_is_refused(given, said):
    with pytest.raises(InvalidParameter, match=said):
        assert_no_leak(len, **({"inputs": ["a", "bb"]} | given))


def test_it_needs_no_hypothesis():
    code = "import sys; sys.modules['hypothesis'] = None; import minleak.testing; minleak.testing.assert_no_leak"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_order_is_not_the_first_permutation_of_the_audit():
    """The two are drawn from one seed; were they the same numbers, the test would not be exact."""
    calls = []
    assert_no_leak(lambda x: calls.append(x) or True, [0, 1], events=200, seed=7)
    assert sorted(calls) == [0] * 100 + [1] * 100
    assert calls != np.random.default_rng(7).permutation(np.arange(200) % 2).tolist()
