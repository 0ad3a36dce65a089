"""What holds of samples: an attack's successes are dominated by a binomial, counts look worse than they are, a test of
fixed beliefs is exact, and mistakes fall as Chernoff says. By enumeration."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, multinomial

import minleak as ml
from minleak.lab._measures.observations import chernoff
from minleak.samples._attacks import Beliefs
from minleak.samples._bounds import at_least, at_least_by_blocks, at_most, entropy_at_least, most_frequent_at_least
from minleak.samples._permuting import p_of_no_leakage

JOINT = np.array([[0.35, 0.15, 0.1], [0.05, 0.15, 0.2]])
BEST = float(JOINT.max(axis=0).sum())
PAIRS = [(x, y) for x in range(2) for y in range(3)]


def sequences(events):
    """All sequences of events, with their probabilities."""
    for pairs in itertools.product(PAIRS, repeat=events):
        yield pairs, math.prod(JOINT[pair] for pair in pairs)


def successes(pairs):
    """Test, then train: the best so far of two attacks (the most frequent secret of the observable, or of all) goes
    next.
    """
    right = [0, 0]
    total = 0
    for i, (x, y) in enumerate(pairs):
        before = pairs[:i]
        guesses = [
            max((0, 1), key=lambda guess: sum(p == (guess, y) for p in before)),
            max((0, 1), key=lambda guess: sum(p[0] == guess for p in before)),
        ]
        total += guesses[int(right[1] > right[0])] == x
        for a, guess in enumerate(guesses):
            right[a] += guess == x
    return total


def test_test_then_train_is_dominated_by_a_binomial():
    """P(S >= s) <= P(Bin(N, V) >= s) for every s, with the choice among attacks made on the way; so a bound at error e
    is above V with probability at most e.
    """
    events = 5
    tail = np.zeros(events + 1)
    for pairs, p in sequences(events):
        tail[: successes(pairs) + 1] += p
    allowed = binom.sf(np.arange(events + 1) - 1, events, BEST)
    assert (tail <= allowed + 1e-12).all()
    for error in (0.05, 0.2, 0.5):
        wrong = [s for s in range(events + 1) if at_least(s, events, error) > BEST]
        assert (tail[min(wrong)] if wrong else 0.0) <= error + 1e-12


def test_the_bound_is_clopper_and_pearsons():
    """At the bound exactly so many successes or more have the probability of the error."""
    for successes_, tests, error in [(1, 10, 0.05), (530, 1000, 0.025), (10, 10, 0.1)]:
        assert binom.sf(successes_ - 1, tests, at_least(successes_, tests, error)) == pytest.approx(error)
    assert at_least(0, 10, 0.05) == 0


@pytest.mark.parametrize("l", [1, 2])
def test_counts_look_worse_than_they_are(l):
    """E[plug-in] >= V, and the upper bound is below V with probability at most the error: three secrets, two
    observables, seven events.
    """
    joint = np.array([[0.3, 0.05], [0.15, 0.15], [0.1, 0.25]])
    truth = float(np.sort(joint, axis=0)[-l:].sum())
    events, mean, wrong = 7, 0.0, Counter()
    for counts in itertools.product(range(events + 1), repeat=5):
        if sum(counts) > events:
            continue
        table = np.array([*counts, events - sum(counts)])
        p = math.factorial(events) * float(np.prod(joint.ravel() ** table / [math.factorial(c) for c in table]))
        plug_in = float(np.sort(table.reshape(3, 2), axis=0)[-l:].sum()) / events
        mean += p * plug_in
        for error in (0.05, 0.3):
            wrong[error] += p * (at_most(plug_in, events, error) < truth - 1e-12)
    assert mean >= truth
    assert all(p <= error for error, p in wrong.items())


def test_blocks_count_as_tests():
    """Shares of blocks with mean at most V: the bound is above V with probability at most the error. Blocks whose
    events all go the same way are the worst; also others.
    """
    for shares in ((0.0, 1.0), (0.2, 0.9), (0.5, 0.7)):
        low, high = shares
        p = (0.6 - low) / (high - low)  # of the higher share, so that the mean is .6
        for error in (0.05, 0.3):
            wrong = sum(
                binom.pmf(k, 12, p)
                for k in range(13)
                if at_least_by_blocks(np.array([high] * k + [low] * (12 - k)), error) > 0.6
            )
            assert wrong <= error
    assert at_least_by_blocks(np.array([1.0, 0.5, 1.0, 0.75]), 0.1) == at_least(
        3, 4, 0.1 / math.e
    )  # Bentkus's constant


def test_the_likeliest_are_bounded_from_below_by_the_most_frequent():
    """Over all counts of 24 events the bound is above the probability of the l likeliest with probability at most the
    error, also where secrets of many more are never seen; and it is not nothing.
    """
    counts = [c for c in itertools.product(range(25), repeat=4) if sum(c) == 24]
    for p in ([0.25] * 4, [0.4, 0.35, 0.2, 0.05], [0.9, 0.05, 0.03, 0.02]):
        mass = multinomial.pmf(counts, 24, p)
        for l, error in itertools.product((1, 2), (0.02, 0.2)):
            bounds = [most_frequent_at_least(sum(sorted(c)[-l:]), 24, error, l, 4) for c in counts]
            truth = sum(sorted(p)[-l:])
            assert float(mass @ (np.array(bounds) > truth)) <= error
            assert float(mass @ np.array(bounds)) > 0.45 * truth
    rng = np.random.default_rng(5)
    many = [int(np.bincount(rng.integers(0, 500, 1000)).max()) for _ in range(400)]
    assert sum(most_frequent_at_least(c, 1000, 0.1) > 1 / 500 for c in many) <= binom.ppf(0.9999, 400, 0.1)


def test_the_entropy_of_counts_is_bounded_from_below():
    """Over all counts of 24 events the bound is above H(X) with probability at most the error, and is not nothing."""
    p = np.array([0.6, 0.3, 0.1])
    truth, found = -float(p @ np.log(p)), []
    for a, b in itertools.product(range(25), repeat=2):
        if a + b <= 24:
            counts = np.array([a, b, 24 - a - b])
            found.append((multinomial.pmf(counts, 24, p), counts))
    for error in (0.05, 0.5):
        assert sum(mass for mass, counts in found if entropy_at_least(counts, error) > truth) <= error
    assert sum(mass for mass, counts in found if entropy_at_least(100 * counts, 0.5) > truth) > 0.1


def test_permutations_are_exact():
    """Whatever was believed, over all orders of the secrets p is at most a with probability at most a: five events, all
    permutations drawn many times.
    """
    rng = np.random.default_rng(1)
    rows = rng.dirichlet([1, 1, 1], 6)
    x = np.array([0, 0, 1, 1, 2, 2])
    orders = sorted(set(itertools.permutations(x.tolist())))
    found = []
    for order in orders:
        beliefs = Beliefs(0, rows, np.array(order), np.arange(6), np.ones(6, dtype=np.int64), np.arange(6))
        found.append(p_of_no_leakage([beliefs], None, None, np.full(3, 1 / 3), permutations=199, rng=rng))
    for a in (0.05, 0.1, 0.25, 0.5):  # 90 orders; the drawn permutations err by .02 at two standard deviations
        assert np.mean(np.array(found) <= a) <= a + 0.04
    assert np.mean(np.array(found) <= 0.25) > 0.1


def test_mistakes_fall_as_chernoff_says():
    """-ln(1 - V_t) / t goes to the least Chernoff information of two rows; here for two observables, where V_t is a sum
    of binomials, in exact fractions.
    """
    rows = [[Fraction(3, 5), Fraction(2, 5)], [Fraction(1, 4), Fraction(3, 4)]]
    found = ml.lab.repeated_success([1, 1], [[float(c) for c in row] for row in rows], looks=[5, 40, 400])
    for t, success in zip(found.looks, found.success, strict=True):
        exact = sum(math.comb(t, k) * max(row[0] ** k * row[1] ** (t - k) for row in rows) / 2 for k in range(t + 1))
        assert success == pytest.approx(float(exact), abs=1e-12)
    t = 1000
    wrong = sum(math.comb(t, k) * min(row[0] ** k * row[1] ** (t - k) for row in rows) for k in range(t + 1)) / 2
    rate = -(math.log(wrong.numerator) - math.log(wrong.denominator)) / t
    assert found.exponent == pytest.approx(rate, rel=0.06)


def test_the_exponent_is_the_least_of_all_pairs():
    """Two ways: pruned by Bhattacharyya's distance, and a grid of s for all pairs."""
    rng = np.random.default_rng(2)
    for _ in range(10):
        rows = rng.dirichlet(np.full(5, 0.5), 6)
        rows[rows < 0.02] = 0
        rows /= rows.sum(axis=1, keepdims=True)
        grid = np.linspace(0.001, 0.999, 999)[:, None]
        with np.errstate(divide="ignore"):
            best = min(
                max(-np.log(np.where((a > 0) & (b > 0), a**grid * b ** (1 - grid), 0).sum(axis=1)))
                for a, b in itertools.combinations(rows, 2)
            )
        assert chernoff(rows) == pytest.approx(best, rel=1e-3)
    assert chernoff(np.eye(3)) == math.inf
