"""Guessing entropies in exact fractions: the attacker's best strategy, found by trying every one."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product

import pytest

import minleak as ml

# Every prior with weights 0, 1, 2, 5 on three secrets, and channels of eighths, which floats hold exactly.
PRIORS = [weights for weights in product((0, 1, 2, 5), repeat=3) if any(weights)]
_ROWS = [(8, 0, 0), (4, 4, 0), (1, 2, 5), (3, 3, 2)]
CHANNELS = [[[Fraction(c, 8) for c in row] for row in rows] for rows in product(_ROWS, repeat=3)][::5]


def columns(weights, channel):
    total = sum(weights)
    joint = [[Fraction(w, total) * c for c in row] for w, row in zip(weights, channel, strict=True)]
    return list(zip(*joint, strict=True))


def expected_guesses(column):
    """Of the best order in which to try the secrets."""
    return min(sum(i * v for i, v in enumerate(order, start=1)) for order in permutations(column))


def missed(column, l):
    """By the best set of l guesses."""
    return min(sum(column) - sum(guesses) for guesses in combinations(column, min(l, len(column))))


@pytest.mark.parametrize("weights", PRIORS, ids=str)
def test_no_strategy_is_better(weights):
    for channel in CHANNELS:
        after = columns(weights, channel)
        assert equal(ml.Guesswork().conditional(weights, channel), sum(map(expected_guesses, after)))
        for l in (1, 2, 3, 4):
            assert equal(ml.GuessError(l).conditional(weights, channel), sum(missed(v, l) for v in after))
        hit = sum(max(v) for v in after)
        assert equal(2 ** -ml.MinEntropy().conditional(weights, channel), hit)


@pytest.mark.parametrize("weights", PRIORS, ids=str)
def test_no_strategy_is_better_before_observing(weights):
    (before,) = columns(weights, [[1]] * 3)
    assert equal(ml.Guesswork()(weights), expected_guesses(before))
    for l in (1, 2, 3, 4):
        assert equal(ml.GuessError(l)(weights), missed(before, l))


def equal(found, exact):
    """To a few roundings of the exact value; zero is zero."""
    return abs(Fraction(found) - exact) <= exact * Fraction(1, 10**15)
