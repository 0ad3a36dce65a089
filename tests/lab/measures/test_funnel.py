"""The privacy funnel: by closed forms, by a linear programme on a fine grid, and against random channels."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter
from minleak.lab._measures.funnel import _Funnel, halve

PRIOR, CHANNEL = [3, 2], [[0.7, 0.2, 0.1], [0.1, 0.4, 0.5]]


def information(joint):
    p = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / p[seen])).sum())


def least_on_a_grid(prior, channel, utility, steps):
    """The best mixture of all posteriors whose entries are multiples of 1/steps, or p itself."""
    p_s = np.asarray(prior) / np.sum(prior)
    J = p_s[:, None] * np.asarray(channel)
    p = J.sum(axis=0)
    n = len(p)
    cuts = itertools.combinations(range(steps + n - 1), n - 1)
    grid = np.array([np.diff([-1, *cut, steps + n - 1]) - 1 for cut in cuts]) / steps
    grid = np.vstack([grid, p])
    entropy = np.vectorize(lambda v: -v * math.log2(v) if v > 0 else 0.0)
    told = entropy(p_s).sum() - entropy(grid @ (J / p).T).sum(axis=1)
    spread = entropy(grid).sum(axis=1)
    room = entropy(p).sum() - utility
    return linprog(told, A_ub=spread[None], b_ub=[room], A_eq=grid.T, b_eq=p, method="highs").fun


@pytest.mark.parametrize("utility", [0.0, 0.3, 0.8, 1.0])
def test_a_symmetric_bit_is_erased(utility):
    """Of a uniform bit behind a binary symmetric channel the best is to tell all or nothing: R (1 - h(error))."""
    error = 0.1
    capacity = 1 + error * math.log2(error) + (1 - error) * math.log2(1 - error)
    found = ml.lab.privacy_funnel([1, 1], ml.lab.binary_symmetric(error), utility=utility)
    assert found.leakage == pytest.approx(utility * capacity, abs=1e-6)
    assert found.gap < 1e-6
    assert found.utility == pytest.approx(utility, abs=1e-6)


@pytest.mark.parametrize(
    ("prior", "channel", "utility", "steps"),
    [([3, 2], [[0.8, 0.2], [0.1, 0.9]], 0.4, 2000), (PRIOR, CHANNEL, 0.6, 90), (PRIOR, CHANNEL, 1.4, 90)],
)
def test_the_least_is_that_of_a_fine_grid(prior, channel, utility, steps):
    """A grid is a bound from above, and close to the least; the bound of the result is below both."""
    found = ml.lab.privacy_funnel(prior, channel, utility=utility)
    grid = least_on_a_grid(prior, channel, utility, steps)
    assert found.bound <= found.leakage <= grid + 1e-6
    assert found.leakage == pytest.approx(grid, abs=2e-3)
    assert found.gap < 1e-6


def test_the_channel_is_what_is_said_of_it():
    """Both informations from the matrix itself; the labels are those of X; the same seed finds the same."""
    given = ml.Channel(CHANNEL, outputs=["a", "b", "c"])
    found = ml.lab.privacy_funnel(PRIOR, given, utility=0.7)
    J = np.array(PRIOR)[:, None] / 5 * np.array(CHANNEL)
    C = found.channel.toarray()
    assert list(found.channel.inputs) == ["a", "b", "c"]
    assert information(J @ C) == pytest.approx(found.leakage, abs=1e-9)
    assert information(J.sum(axis=0)[:, None] * C) == pytest.approx(found.utility, abs=1e-9)
    assert found.utility >= 0.7 - 1e-9
    assert ml.lab.privacy_funnel(PRIOR, given, utility=0.7).leakage == found.leakage


def test_no_channel_of_that_utility_is_below_the_bound():
    J = np.array(PRIOR)[:, None] / 5 * np.array(CHANNEL)
    p = J.sum(axis=0)
    rng = np.random.default_rng(2)
    utilities = np.linspace(0.2, 1.3, 4)
    bounds = [ml.lab.privacy_funnel(PRIOR, CHANNEL, utility=utility).bound for utility in utilities]
    assert bounds == sorted(bounds)
    behind = sum(-v * math.log2(v / row.sum()) for row in J for v in row)  # H(X|S)
    for bound, utility in zip(bounds, utilities, strict=True):
        assert bound >= utility - behind - 1e-12
    for _ in range(2000):
        C = rng.dirichlet(np.full(4, rng.choice([0.05, 0.2, 1.0])), size=3)
        told, leaked = information(p[:, None] * C), information(J @ C)
        assert all(leaked >= bound - 1e-9 for bound, utility in zip(bounds, utilities, strict=True) if told >= utility)


def test_what_is_said_of_a_simplex_holds_in_it():
    """The bound is below the reduced cost at random points of random simplices, and close to it in small ones."""
    rng = np.random.default_rng(5)
    problem = _Funnel.of(ml.lab.Joint(PRIOR, CHANNEL), 0.6)
    for size in (1.0, 0.1, 1e-3):
        start = rng.dirichlet(np.ones(3), size=(50, 1))
        cells = start + size * (rng.dirichlet(np.ones(3), size=(50, 3)) - start)
        mu, nu = float(rng.random()), rng.normal(size=3)
        below = problem._below(cells, mu, nu)
        for weights in rng.dirichlet(np.ones(3), size=20):
            reduced = problem.reduced(np.einsum("i,kij->kj", weights, cells), mu, nu)
            assert (below <= reduced + 1e-12).all()
            assert (reduced - below < 20 * size).all()


def test_halves_cover_a_simplex():
    """Each of the two has half of the volume, and the corners of the whole but one."""
    cells = np.eye(4)[None]
    for _ in range(4):
        halves = halve(cells)
        volumes = np.abs(np.linalg.det(halves))
        assert volumes.sum() == pytest.approx(1.0)
        assert volumes == pytest.approx(np.full(len(halves), 1 / len(halves)))
        cells = halves


def test_what_cannot_be_is_refused():
    with pytest.raises(Infeasible, match="all of X are 1: ask for at most that"):
        ml.lab.privacy_funnel([1, 1], [[1, 0], [0, 1]], utility=1.5)
    for utility in (-1, math.nan):
        with pytest.raises(InvalidParameter, match="a number of bits, from 0 on"):
            ml.lab.privacy_funnel([1, 1], [[1, 0], [0, 1]], utility=utility)
