"""The corollaries of Theorem 1: closed forms for guessing attackers, with two slips of the print put right."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import FIGURES, GUESSWORK, HARD, MIN_ENTROPY

import minleak as ml
from minleak.testing import priors

CAPS = st.integers(1, 10)
PRIORS = priors(max_size=9).map(lambda prior: prior.weights.tolist())


def probabilities(weights, k):
    """p_[1], p_[2], ..., with zeros up to the k-th at least."""
    return sorted((Fraction(w, sum(weights)) for w in weights), reverse=True) + [Fraction(0)] * k


def close(found, exact):
    return found == pytest.approx(float(exact), rel=1e-12, abs=1e-14)


def min_entropy(weights, k):
    """-log2 max(1/k, p_[1]), if k secrets are possible to fill a set with."""
    return -math.log2(max(Fraction(1, k), probabilities(weights, k)[0]))


def guess_error(weights, k, l):
    """1 - max over 0 <= j <= l of p_[1] + ... + p_[j] + (1 - p_[1] - ... - p_[j]) (l-j)/(k-j); at l >= k zero."""
    if l >= k:
        return Fraction(0)  # the print has 0/0 at l = k: l guesses in a set of k are never all wrong
    p = probabilities(weights, k)
    return 1 - max(sum(p[:j]) + (1 - sum(p[:j])) * Fraction(l - j, k - j) for j in range(l + 1))


def guesswork(weights, k):
    """min over 1 <= j <= k of the sum over i < j of i p_[i], plus (1 - p_[1] - ... - p_[j-1]) (k+j)/2."""
    p = probabilities(weights, k)
    giants = [sum(i * p[i - 1] for i in range(1, j)) for j in range(1, k + 1)]
    return min(giants[j - 1] + (1 - sum(p[: j - 1])) * Fraction(k + j, 2) for j in range(1, k + 1))


@given(PRIORS, CAPS)
def test_min_entropy(weights, k):
    """Corollary 1: the largest posterior min-entropy is -log max(1/k, p_[1]); zero leakage iff k p_[1] >= 1."""
    plan = ml.design(weights, k)
    assert close(plan.entropy(MIN_ENTROPY), min_entropy(weights, k))
    top = probabilities(weights, k)[0]
    assert close(plan.leakage(MIN_ENTROPY), 0 if k * top >= 1 else -math.log2(k * top))


@given(PRIORS, CAPS, st.integers(1, 11))
def test_guess_error(weights, k, l):
    """Corollary 2: the largest probability that l guesses are all wrong."""
    assert close(ml.design(weights, k).entropy(ml.GuessError(l)), guess_error(weights, k, l))


@given(PRIORS, CAPS)
def test_guesswork(weights, k):
    """Corollary 3: the largest expected number of guesses."""
    assert close(ml.design(weights, k).entropy(GUESSWORK), guesswork(weights, k))


@pytest.mark.parametrize("weights", [*HARD.values(), FIGURES], ids=[*HARD, "the paper's figures"])
def test_all_three_at_every_cap(weights):
    """On the hard priors, every k and every l."""
    for k in range(1, len(weights) + 2):
        plan = ml.design(weights, k)
        assert close(plan.entropy(MIN_ENTROPY), min_entropy(weights, k))
        assert close(plan.entropy(GUESSWORK), guesswork(weights, k))
        for l in range(1, min(k, 9) + 2):
            assert close(plan.entropy(ml.GuessError(l)), guess_error(weights, k, l))


@given(PRIORS, CAPS, st.data())
def test_zero_guess_leakage(weights, k, data):
    """The least l-guess leakage is zero iff p_[l] >= (p_[l] + ... + p_[n]) / (k-l+1), for l <= k.

    The print sums up to k only, which makes the condition true of every prior.
    """
    l = data.draw(st.integers(1, k))
    p = probabilities(weights, k)
    blind = 1 - sum(p[:l])
    assert (blind == guess_error(weights, k, l)) == (p[l - 1] >= sum(p[l - 1 :]) / (k - l + 1))
    assert p[l - 1] >= sum(p[l - 1 : k]) / (k - l + 1)
    assert close(ml.design(weights, k).leakage(ml.GuessError(l)), blind - guess_error(weights, k, l))


def test_the_printed_condition_for_zero_leakage_is_not_enough():
    """Two guesses against sets of three of four equal secrets leak, although the printed condition holds."""
    assert ml.design([1, 1, 1, 1], 3).leakage(ml.GuessError(2)) == pytest.approx(1 / 2 - 1 / 3)


# Reference values to ten digits, in bits, for each k.
FIGURE = {
    15: (0.7437328063, 0.4150374993, 0.0473057148),
    20: (0.3404993987, 0.1165683772, 0.0),
}


@pytest.mark.parametrize("k", FIGURE)
def test_reference_values_of_the_figures(k):
    """Shannon, log2 of guesswork and min-entropy leakage of p = (30, ..., 1)/465, in bits."""
    plan = ml.design(FIGURES, k)
    shannon, rank, least = FIGURE[k]
    assert plan.leakage("shannon") == pytest.approx(shannon, abs=5e-11)
    assert math.log2(GUESSWORK(FIGURES) / plan.entropy(GUESSWORK)) == pytest.approx(rank, abs=5e-11)
    assert plan.leakage("min-entropy") == pytest.approx(least, abs=5e-11)


def test_min_entropy_leaks_nothing_from_sixteen_on():
    """465/30 is 15.5."""
    assert [k for k in range(1, 31) if ml.design(FIGURES, k).leakage("min-entropy") == 0] == list(range(16, 31))
