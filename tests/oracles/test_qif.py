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
    assert ml.lab.vulnerability(p) == close(theirs.prior(p), rel=CLOSE)
    assert ml.lab.posterior_vulnerability(p, C) == close(theirs.posterior(p, C), rel=CLOSE)
    assert ml.GuessError(1).conditional(p, C) == close(qif.measure.bayes_risk.posterior(p, C), rel=CLOSE)
    assert ml.lab.multiplicative_leakage(p, C) == close(theirs.mult_leakage(p, C), rel=CLOSE)
    assert ml.lab.additive_leakage(p, C) == close(theirs.add_leakage(p, C), rel=CLOSE, abs=CLOSE)


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
    assert ml.lab.posterior_vulnerability(p, C, gain=G) == close(theirs.posterior(G, p, C), rel=CLOSE)
    assert 2 ** ml.leakage(p, C, H) == close(theirs.mult_leakage(G, p, C), rel=CLOSE)


def test_risks_and_ratios(system):
    p, C, G = system
    theirs = qif.measure
    assert ml.lab.risk_leakage(p, C) == close(theirs.bayes_risk.mult_leakage(p, C), rel=1e-9)
    assert ml.lab.bayes_risk_capacity(C).value == close(theirs.bayes_risk.mult_capacity(C)[0], rel=1e-9)
    assert ml.lab.posterior_risk(p, C, loss=G) == close(theirs.l_risk.posterior(G, p, C), rel=CLOSE)
    if theirs.l_risk.posterior(G, p, C) > 0:  # where nothing is lost theirs is 0/0
        assert ml.lab.risk_leakage(p, C, loss=G) == close(theirs.l_risk.mult_leakage(G, p, C), rel=CLOSE)
    table = ml.leakage_table(p, C, ["shannon", "guesswork"])
    assert table["shannon"].ratio == close(theirs.shannon.mult_leakage(p, C), rel=CLOSE)
    assert table["guesswork"].ratio == close(theirs.guessing.mult_leakage(p, C), rel=CLOSE)


def test_predicates(system):
    p, C, _ = system
    P = (np.arange(len(p)) % 2).astype(np.uint32)
    gain = ml.lab.predicate_gain(P.tolist())
    assert ml.lab.posterior_vulnerability(p, C, gain=gain) == close(qif.measure.pred_vuln.posterior(P, p, C), rel=CLOSE)
    security = ml.lab.bayes_security(C, predicate=P.tolist())
    assert 2 - security == close(qif.measure.pred_vuln.mult_capacity(P, C)[0], rel=1e-9)
    if security > 0:
        assert 1 / security == close(qif.measure.pred_risk.mult_capacity(P, C)[0], rel=1e-9)


def test_additive_capacities_and_privacy(system):
    p, C, _ = system
    for spanning, one in (("vulnerabilities", False), ("gains", True)):
        ours = ml.lab.additive_capacity(C, prior=p, spanning=spanning).value
        assert ours == close(qif.measure.g_vuln.add_capacity(p, C, one), rel=1e-9)
    D = np.abs(np.subtract.outer(np.arange(len(p)), np.arange(len(p)))).astype(float)
    metric = qif.metric.from_distance_matrix(D)
    assert ml.lab.d_privacy(C, D) == close(qif.measure.d_privacy.smallest_epsilon(C, metric), rel=1e-9)


def test_refinement_hypers_and_reduced_channels(system):
    p, C, _ = system
    R = RNG.dirichlet(np.ones(4), C.shape[1])
    other = RNG.dirichlet(np.ones(3), len(p))
    for B in (C @ R, other):
        assert ml.lab.refined_by(C, B).ok == bool(qif.refinement.refined_by(C, B))
        assert ml.lab.max_refined_by(C, B).ok == bool(qif.refinement.max_refined_by(C, B))
        private = ml.lab.d_privacy(B, ml.lab.induced_metric(C)) <= 1
        assert private == bool(qif.refinement.priv_refined_by(C, B))
    assert np.sort(ml.lab.hyper(p, ml.Channel(C)).outers) == close(np.sort(qif.channel.hyper(C, p)[0]))
    split = np.concatenate([C / 4, C * 3 / 4], axis=1)
    assert np.sort(ml.lab.reduced(ml.Channel(split)).toarray()) == close(np.sort(qif.channel.reduced(split)))
