"""The integer grid: what fits is taken as it is, what does not comes close, and how close is said."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import total_variation

import minleak as ml
from minleak.core._plan.fields import LIMIT


def check(given_weights, k):
    """The promises that hold for every prior."""
    prior = ml.Prior(given_weights)
    grid = prior.on_grid(LIMIT // k)
    assert grid.weights.dtype == np.int64
    assert grid.total == sum(grid.weights.tolist())
    assert k * grid.total <= LIMIT
    assert ((grid.weights > 0) == (np.array(prior.weights.tolist(), dtype=object) > 0)).all()
    exact = total_variation(grid.weights.tolist(), prior.weights.tolist())
    assert float(abs(Fraction(grid.distance) - exact)) <= 1e-15 * len(prior)
    return grid


@pytest.mark.parametrize("weights", [[5, 3, 0, 2], [1], [2**61 - 1, 1], [2**62 - 1, 1]], ids=str)
def test_integers_that_fit_are_themselves(weights):
    """k times the total may reach 2^62."""
    grid = check(weights, 1)
    assert grid.weights.tolist() == weights
    assert grid.distance == 0.0


def test_fractions_are_over_their_common_denominator():
    """Exactly."""
    assert check([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], 2).weights.tolist() == [3, 2, 1]


HUGE = {
    "one beyond": ([2**62, 1], 1),
    "k makes the difference": ([2**61, 3, 2**60], 3),
    "the total passes 64 bits": ([2**63 - 1] * 5, 2),
    "beyond 64 bits": ([2**70, 2**69 + 1, 1, 0], 3),
    "far beyond floats": ([10**400, 3 * 10**399, 10**60, 1], 2),
}


@pytest.mark.parametrize(("weights", "k"), HUGE.values(), ids=HUGE)
def test_larger_integers_are_cut_off(weights, k):
    """As little as a unit each, and nothing positive vanishes."""
    grid = check(weights, k)
    assert grid.total > LIMIT // k // 3
    assert grid.distance <= 2 * len(weights) / grid.total + 1e-15


def test_powers_of_two_lose_nothing():
    """What is cut off was zero."""
    assert check([2**70, 2**69, 2**68], 3).distance == 0.0


@pytest.mark.parametrize("weights", [[0.5, 0.25, 0.125, 0.125], [0.75, 0.25, 0.0], [1.0], [3.0, 1.0]], ids=str)
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_dyadic_floats_are_exact(weights, k):
    """Multiples of a power of two are on the grid."""
    assert check(weights, k).distance == 0.0


def test_tiny_floats_keep_a_unit():
    """1e-300 is far below a unit, and yet possible; how far off that is, is said."""
    grid = check([1.0, 1e-300, 1e-300, 0.0], 2)
    assert grid.weights[1:].tolist() == [1, 1, 0]
    assert 0 < grid.distance < 1e-17


def test_floats_whose_sum_is_no_float():
    """Weights are only compared with each other."""
    grid = ml.Prior([1e308, 1e308, 1e308]).on_grid(LIMIT // 2)
    assert len(set(grid.weights.tolist())) == 1
    assert grid.distance == pytest.approx(0, abs=1e-15)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=8).filter(any), st.integers(1, 8))
def test_random_floats(weights, k):
    """All promises, whatever the floats; a unit each at most."""
    grid = check(weights, k)
    assert grid.distance <= 2 * len(weights) / grid.total + 1e-15 * len(weights)


@given(st.lists(st.integers(0, 2**80), min_size=1, max_size=8).filter(any), st.integers(1, 8))
def test_random_integers(weights, k):
    """The same for integers of any size."""
    check(weights, k)
