"""qif (libqif) and minleak agree wherever both measure the same thing."""

from __future__ import annotations

import math

import numpy as np
import pytest
import qif
from tests.plain import CLOSE

import minleak as ml

RNG = np.random.default_rng(11)


def _random(n, m):
    return RNG.dirichlet(np.ones(n)), RNG.dirichlet(np.full(m, 0.5), size=n), RNG.random((n + 1, n))


SYSTEMS = [_random(n, m) for n, m in ((2, 2), (3, 7), (8, 3), (25, 40))]
SYSTEMS.append((np.array([0.5, 0.5, 0.0]), np.array([[0.25, 0.75, 0], [0.75, 0.25, 0], [0, 0.5, 0.5]]), np.eye(3)))

close = pytest.approx


@pytest.fixture(params=SYSTEMS, ids=lambda system: "x".join(map(str, system[1].shape)))
def system(request):
    """A prior, a channel and a gain matrix."""
    return request.param


def test_bayes_vulnerability(system):
    p, C, _ = system
    theirs = qif.measure.bayes_vuln
    assert ml.vulnerability(p) == close(theirs.prior(p), rel=CLOSE)
    assert ml.posterior_vulnerability(p, C) == close(theirs.posterior(p, C), rel=CLOSE)
    assert ml.GuessError(1).conditional(p, C) == close(qif.measure.bayes_risk.posterior(p, C), rel=CLOSE)
    assert ml.multiplicative_leakage(p, C) == close(theirs.mult_leakage(p, C), rel=CLOSE)
    assert ml.additive_leakage(p, C) == close(theirs.add_leakage(p, C), rel=CLOSE, abs=CLOSE)


def test_min_entropy_leakage(system):
    p, C, _ = system
    theirs = qif.measure.bayes_vuln.min_entropy_leakage(p, C)
    assert ml.leakage(p, C, "min-entropy") == close(theirs, rel=CLOSE, abs=CLOSE)


def test_multiplicative_capacity(system):
    _, C, _ = system
    assert 2 ** ml.capacity(C, "min-entropy").value == close(qif.measure.bayes_vuln.mult_capacity(C), rel=CLOSE)


def test_shannon(system):
    p, C, _ = system
    theirs = qif.measure.shannon
    assert ml.Shannon()(p) == close(theirs.prior(p), rel=CLOSE)
    assert ml.Shannon().conditional(p, C) == close(theirs.posterior(p, C), rel=CLOSE)
    assert ml.leakage(p, C, "shannon") == close(theirs.add_leakage(p, C), rel=CLOSE, abs=CLOSE)


def test_shannon_capacity(system):
    _, C, _ = system
    ours = ml.capacity(C)
    theirs, _ = qif.measure.shannon.add_capacity(C, md=1e-7)
    assert ours.lower - 1e-7 <= theirs <= ours.upper + 1e-7


def test_guesswork(system):
    p, C, _ = system
    theirs = qif.measure.guessing
    assert ml.Guesswork()(p) == close(theirs.prior(p), rel=CLOSE)
    assert ml.Guesswork().conditional(p, C) == close(theirs.posterior(p, C), rel=CLOSE)


def test_g_vulnerability(system):
    p, C, G = system
    theirs, H = qif.measure.g_vuln, ml.Gain(ml.MinEntropy(), G)
    assert H(p) == close(-math.log2(theirs.prior(G, p)), rel=CLOSE)
    assert H.conditional(p, C) == close(-math.log2(theirs.posterior(G, p, C)), rel=CLOSE)
    assert ml.posterior_vulnerability(p, C, gain=G) == close(theirs.posterior(G, p, C), rel=CLOSE)
    assert 2 ** ml.leakage(p, C, H) == close(theirs.mult_leakage(G, p, C), rel=CLOSE)
