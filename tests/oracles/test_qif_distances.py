"""qif (libqif) and minleak agree on distances of distributions and channels, and on what gains are made of."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import qif

import minleak as ml
from minleak import lab

RNG = np.random.default_rng(20)
close = pytest.approx


def line(x, y):
    return abs(x - y)


def _pair(n):
    return RNG.dirichlet(np.full(n, 0.5)), RNG.dirichlet(np.full(n, 0.5))


PAIRS = [_pair(n) for n in (2, 4, 9, 30)] + [(np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.25, 0.5]))]


@pytest.mark.parametrize(("p", "q"), PAIRS, ids=lambda p: str(len(p)))
def test_distributions(p, q):
    theirs = qif.metric
    assert lab.total_variation(p, q) == close(theirs.total_variation()(p, q), rel=1e-12)
    assert lab.multiplicative_distance(p, q) == close(theirs.mult_total_variation()(p, q), rel=1e-12)
    assert lab.convex_separation(p, q) == close(theirs.convex_separation()(p, q), rel=1e-12)
    one_way = lab.convex_separation(p, q, symmetric=False)
    assert one_way == close(theirs.convex_separation_quasi()(p, q), rel=1e-12)
    assert lab.kantorovich(p, q, line).value == close(theirs.kantorovich(line)(p, q), rel=1e-5)  # theirs in integers
    assert lab.multiplicative_kantorovich(p, q, line) == close(theirs.mult_kantorovich(line)(p, q), rel=1e-8)
    if (p > 0).all():
        assert lab.prior_epsilon(p, line) == close(qif.measure.d_privacy.prior(p, line), rel=1e-12)


@pytest.mark.parametrize("sizes", [(2, 2, 2), (3, 2, 4), (6, 5, 5)], ids=str)
def test_refinement_metric_and_its_bound(sizes):
    rng = np.random.default_rng(sizes)
    n, m, k = sizes
    p, A, B = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m), n), rng.dirichlet(np.ones(k), n)
    for first, second in ((A, B), (B, A), (A, A @ rng.dirichlet(np.ones(3), m))):
        found = lab.refinement_distance(p, first, second)
        assert found.bound - found.value < 1e-9  # libqif has no bound, and can be off by 1e-5 from ten secrets on
        assert found.value == close(qif.refinement.add_metric(p, first, second)[0], abs=1e-8)
        bound = lab.hyper_distance(p, first, second, metric="convex separation")
        assert bound.value == close(qif.refinement.add_metric_bound(p, first, second), abs=1e-8)


def test_gains_of_gains():
    rng = np.random.default_rng(20)
    p, C, G = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(4), 3), rng.normal(size=(2, 3))
    theirs = qif.measure.g_vuln
    assert lab.gain_sum(G, -G) == close(theirs.g_add(G, -G))
    assert lab.posterior_gain(G, C) == close(np.unique(theirs.g_from_posterior(G, C), axis=0))
    form, (rho, R, scale, offset) = lab.gain_to_bayes(p, np.abs(G)), theirs.g_to_bayes(np.abs(G), p)
    assert (form.scale, form.offset) == close((scale, offset))
    assert form.prior.p == close(rho)
    assert form.channel.toarray() == close(R)


def test_a_property_of_the_secret():
    rng = np.random.default_rng(20)
    p, C = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(3), 4)
    told = lab.Joint(p, C).of(["b", "a", "b", "a"])
    rho, R = qif.measure.pred_vuln.binary_channel(np.array([1, 0, 1, 0], dtype=np.uint32), p, C)
    assert told.prior.p == close(rho)
    assert told.channel.toarray() == close(R)


@pytest.mark.parametrize("exact", [True, False])
def test_left_factors(exact):
    """L A = B, or both say that there is none."""
    rng = np.random.default_rng(20)
    numbers = rng.integers(0, 6, (3, 4)) + np.eye(3, 4, dtype=int)
    A = np.array([[Fraction(int(v), int(row.sum())) for v in row] for row in numbers], dtype=object)
    L = np.array([[Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [0, Fraction(1, 4), Fraction(3, 4)]], dtype=object)
    B = L @ A
    one, two = (A, B) if exact else (A.astype(float), B.astype(float))
    found = ml.lab.left_factor(one, two)
    assert (found.exact is not None) is exact
    theirs = qif.channel.left_factorize(B.astype(float), A.astype(float))
    assert found.toarray() == close(theirs, abs=1e-9)
    assert found.toarray() == close(L.astype(float), abs=1e-9)
    assert ml.lab.left_factor(two, one) is None
    assert not qif.channel.left_factorize(A.astype(float), B.astype(float)).size
