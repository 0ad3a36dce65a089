"""Moments of guesswork, smooth min-entropy, and bounds on many observations: each by a second way."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

import minleak as ml
from minleak.errors import InvalidParameter

RNG = np.random.default_rng(7)
SYSTEMS = [
    (RNG.dirichlet(np.ones(n)), RNG.dirichlet(np.full(m, 0.6), size=n)) for n, m in [(2, 2), (3, 4), (4, 3), (5, 2)]
]


@pytest.mark.parametrize(("prior", "channel"), SYSTEMS)
@pytest.mark.parametrize("rho", [0.3, 1, 2.5])
def test_the_moment_is_the_least_over_all_orders_of_guessing(prior, channel, rho):
    """By every order at every observable; the first moment is the guesswork; Arikan's bounds hold."""
    joint = prior[:, None] * channel
    ranks = np.arange(1, len(prior) + 1) ** rho
    least = sum(
        min(ranks @ column[list(order)] for order in itertools.permutations(range(len(prior)))) for column in joint.T
    )
    found = ml.lab.guesswork_moment(prior, channel, rho=rho)
    assert found.value == pytest.approx(least, rel=1e-12)
    assert found.least <= found.value <= found.most
    arikan = sum((column ** (1 / (1 + rho))).sum() ** (1 + rho) for column in joint.T)
    assert found.most == pytest.approx(arikan, rel=1e-10)
    if rho == 1:
        assert found.value == pytest.approx(ml.entropy("guesswork").conditional(prior, channel), rel=1e-12)


def test_moments_before_an_observation():
    weights = np.array([5, 3, 0, 2])
    assert ml.lab.guesswork_moment(weights, rho=2).value == pytest.approx((5 + 3 * 4 + 2 * 9) / 10)
    certain = ml.lab.guesswork_moment([0, 1, 0], rho=3)
    assert (certain.least, certain.value, certain.most) == pytest.approx((1, 1, 1))
    for rho in (0, -1, math.nan, math.inf):
        with pytest.raises(InvalidParameter, match="rho is a finite number above 0"):
            ml.lab.guesswork_moment(weights, rho=rho)


def least_guess_by_programme(joint, epsilon, *, worst):
    """The least sum of caps, or the least cap on p(x given y), over what is kept of the joint: a linear programme."""
    n, m = joint.shape
    size = n * m
    caps = 1 if worst else m
    p = joint.sum(axis=0)
    rows = np.zeros((size + 1, size + caps))
    for x in range(n):
        for y in range(m):
            rows[x * m + y, x * m + y] = 1
            rows[x * m + y, size + (0 if worst else y)] = -p[y] if worst else -1
    rows[-1, :size] = -1
    limits = np.append(np.zeros(size), -(1 - epsilon))
    bounds = [(0, value) for value in joint.ravel()] + [(0, None)] * caps
    return linprog(np.append(np.zeros(size), np.ones(caps)), A_ub=rows, b_ub=limits, bounds=bounds).fun


@pytest.mark.parametrize(("prior", "channel"), SYSTEMS)
@pytest.mark.parametrize("worst", [False, True])
@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.2, 0.7])
def test_smooth_min_entropy_is_that_of_the_programme(prior, channel, worst, epsilon):
    """The joint with an event of probability epsilon left out; at epsilon = 0 the min-entropy, or its worst case."""
    joint = prior[:, None] * channel
    found = ml.lab.smooth_min_entropy(prior, channel, epsilon=epsilon, worst=worst)
    assert found == pytest.approx(-math.log2(least_guess_by_programme(joint, epsilon, worst=worst)), abs=1e-8)
    alone = ml.lab.smooth_min_entropy(prior, epsilon=epsilon, worst=worst)
    assert alone == pytest.approx(-math.log2(least_guess_by_programme(prior[:, None], epsilon, worst=False)), abs=1e-8)
    if epsilon == 0 and not worst:
        assert found == pytest.approx(ml.MinEntropy().conditional(prior, channel), abs=1e-12)
    if epsilon == 0 and worst:
        assert found == pytest.approx(-math.log2((joint / joint.sum(axis=0)).max()), abs=1e-12)


def test_smooth_min_entropy_at_its_ends():
    assert ml.lab.smooth_min_entropy([3, 1], epsilon=1) == math.inf
    assert ml.lab.smooth_min_entropy([3, 1], [[1, 0], [0, 1]], epsilon=1, worst=True) == math.inf
    assert ml.lab.smooth_min_entropy([1, 0], epsilon=0) == 0
    assert ml.lab.smooth_min_entropy([1, 1], epsilon=0, base=math.e) == pytest.approx(math.log(2))
    for epsilon in (-0.1, 1.1, math.nan):
        with pytest.raises(InvalidParameter, match="epsilon is a probability"):
            ml.lab.smooth_min_entropy([1, 1], epsilon=epsilon)


@pytest.mark.parametrize(("prior", "channel"), SYSTEMS)
@pytest.mark.parametrize("times", [1, 2, 5])
def test_no_repetition_leaks_more_than_the_bounds(prior, channel, times):
    """All sequences of observations, gone through; the number of types is counted."""
    bounds = ml.lab.repetition_bounds(channel, times)
    exact = ml.lab.maximal_leakage(ml.lab.repeated(ml.Channel(channel), times, ordered=True))
    assert exact <= bounds.bound + 1e-12
    m = channel.shape[1]
    types = len({tuple(sorted(seen)) for seen in itertools.product(range(m), repeat=times)})
    assert bounds.by_types == pytest.approx(math.log2(types))
    assert bounds.by_types <= bounds.by_counts == pytest.approx(m * math.log2(times + 1))
    leaked = ml.leakage(prior, ml.lab.repeated(ml.Channel(channel), times), "min-entropy")
    assert leaked <= bounds.bound + 1e-12


def test_compositions_leak_no_more_than_their_parts():
    """In parallel at most the sum, one after the other at most the least (Espinoza and Smith)."""
    for _, channel in SYSTEMS:
        first, second = ml.Channel(channel), ml.Channel(RNG.dirichlet(np.ones(3), size=len(channel)))
        both = ml.lab.maximal_leakage(ml.lab.parallel(first, second))
        parts = [ml.lab.maximal_leakage(part) for part in (first, second)]
        assert both <= sum(parts) + 1e-12
        after = ml.Channel(RNG.dirichlet(np.ones(3), size=channel.shape[1]))
        assert ml.lab.maximal_leakage(first @ after) <= min(parts[0], ml.lab.maximal_leakage(after)) + 1e-12


def test_what_tells_nothing_leaks_nothing_however_often():
    assert ml.lab.repetition_bounds([[0.5, 0.5], [0.5, 0.5]], 1000).bound == 0
    million = ml.lab.repetition_bounds(np.array([[0.9, 0.1], [0.1, 0.9]] * 3) + 0.0, 10**6)
    assert million.bound == million.by_secrets == 1
