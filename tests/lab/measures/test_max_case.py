"""The worst observable, the worst pair of secrets, the worst gain: closed forms against the definitions."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from tests.plain import CHANNEL, CLOSE, FLOATS, PRIOR, WEIGHTS

import minleak as ml
from minleak import lab
from minleak.errors import InvalidParameter

RNG = np.random.default_rng(3)
P, C = RNG.dirichlet(np.ones(4)), RNG.dirichlet(np.full(5, 0.7), 4)
close = pytest.approx


# -- observable by observable ------------------------------------------------------------------------------------------


def test_max_case_leakage_from_the_definition():
    G = RNG.random((3, 4))
    posteriors = lab.posteriors(P, ml.Channel(C)).matrix
    assert lab.max_case_vulnerability(P, C) == close(posteriors.max(), rel=CLOSE)
    assert lab.max_case_vulnerability(P, C, gain=G) == close((G @ posteriors).max(), rel=CLOSE)
    assert lab.max_case_vulnerability(P, sp.csr_array(C), gain=-G) == close((-G @ posteriors).max(), rel=CLOSE)
    factor = (G @ posteriors).max() / (G @ P).max()
    assert lab.max_case_leakage(P, C, gain=G) == close(math.log2(factor), rel=CLOSE)
    assert lab.max_case_leakage(P, C, gain=G, base=math.e) == close(math.log(factor), rel=CLOSE)


def test_pointwise_maximal_leakage():
    """Ratios of posterior to prior; their exponentials have the mean of the maximal leakage."""
    found = lab.pointwise_maximal_leakage(P, C)
    ratios = (lab.posteriors(P, ml.Channel(C)).matrix / P[:, None]).max(axis=0)
    assert found.values == close(np.log2(ratios), rel=CLOSE)
    assert 2**found.maximal == close(found.probabilities @ ratios, rel=CLOSE)
    assert found.maximal == close(ml.lab.maximal_leakage(C), rel=CLOSE)
    assert found.largest == close(lab.max_case_capacity(C, prior=P), rel=CLOSE)
    assert found.mean <= found.maximal
    assert lab.pointwise_maximal_leakage(P, sp.csr_array(C)).values == close(found.values)


def test_its_quantiles():
    found = lab.pointwise_maximal_leakage(P, C)
    for share in (0, 0.1, 0.5, 0.9, 0.99, 1):
        value = found.quantile(share)
        assert found.probabilities[found.values <= value].sum() >= share - 1e-9
        assert found.probabilities[found.values < value].sum() <= share
    assert found.quantile(1) == found.largest
    for share in (-0.1, 1.1, math.nan, "x", True):
        with pytest.raises(InvalidParameter, match="from 0 to 1"):
            found.quantile(share)


def test_impossible_secrets_and_observables():
    found = lab.pointwise_maximal_leakage(WEIGHTS, FLOATS)
    assert list(found.outputs) == [0, 1, 2]
    assert 2**found.values == close([float(max(row[y] for row in CHANNEL[:3]) / q) for y, q in enumerate(_output())])


def _output():
    return [sum(p * row[y] for p, row in zip(PRIOR, CHANNEL, strict=True)) for y in range(3)]


def test_over_all_priors_it_is_local_differential_privacy():
    """No prior passes it, and one that leaves one secret nearly alone comes close."""
    worst = lab.max_case_capacity(C)
    assert worst == close(ml.lab.local_dp_epsilon(C) / math.log(2), rel=CLOSE)
    near = max(lab.max_case_capacity(C, prior=np.where(np.arange(4) == x, 1, 1e-9)) for x in range(4))
    assert near == close(worst, abs=1e-3)
    assert all(lab.max_case_capacity(C, prior=p) <= worst + 1e-12 for p in RNG.dirichlet(np.ones(4), 20))


# -- metrics -----------------------------------------------------------------------------------------------------------


def test_d_privacy_from_the_definition():
    D = RNG.random((4, 4)) + 0.1
    pairs = product(range(4), range(4), range(5))
    expected = max(math.log(C[x, y] / C[z, y]) / D[x, z] for x, z, y in pairs if x != z)
    assert ml.lab.d_privacy(C, D) == close(expected, rel=CLOSE)
    assert ml.lab.d_privacy(C, lambda x, z: D[x, z]) == close(expected, rel=CLOSE)
    assert ml.lab.d_privacy(C, np.ones((4, 4))) == close(ml.lab.local_dp_epsilon(C), rel=CLOSE)


def test_d_privacy_at_zeros_and_infinities():
    assert ml.lab.d_privacy(np.eye(2), np.ones((2, 2))) == math.inf
    assert ml.lab.d_privacy(np.eye(2), [[0, math.inf], [math.inf, 0]]) == 0
    assert ml.lab.d_privacy([[0.5, 0.5]] * 2, np.zeros((2, 2))) == 0
    assert ml.lab.d_privacy([[0.5, 0.5], [0.4, 0.6]], np.zeros((2, 2))) == math.inf
    assert ml.lab.d_privacy([[0.5, 0.5, 0], [0.25, 0.75, 0]], np.ones((2, 2))) == close(math.log(2))
    named = ml.Channel([[0.5, 0.5], [0.25, 0.75]], inputs=["a", "bb"])
    assert ml.lab.d_privacy(named, lambda x, y: abs(len(x) - len(y))) == close(math.log(2))


def test_channels_together_add_up():
    other = RNG.dirichlet(np.ones(3), 4)
    D = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    both = lab.Together([C, other])
    assert ml.lab.d_privacy(both, D) == close(ml.lab.d_privacy(lab.parallel(ml.Channel(C), other), D), rel=CLOSE)


@pytest.mark.parametrize(
    ("metric", "message"),
    [(np.ones((2, 3)), "shape"), ("x", "matrix of distances"), (lambda *_: "x", "is 'x': a number")]
    + [(np.full((4, 4), v), "distances are from 0 on") for v in (-1, math.nan)],
)
def test_metrics_that_are_none(metric, message):
    with pytest.raises(InvalidParameter, match=message):
        ml.lab.d_privacy(C, metric)


# -- additive capacity -------------------------------------------------------------------------------------------------


def test_additive_capacity_of_vulnerabilities():
    """Attained by the gains 1 - [x = w]/p(w), whose vulnerability is 0 at the prior and at most 1 everywhere."""
    found = ml.lab.additive_capacity(C, prior=P, spanning="vulnerabilities")
    assert found.value == close(1 - C.min(axis=0).sum(), rel=CLOSE)
    assert ml.lab.additive_leakage(P, C, gain=1 - np.diag(1 / P)) == close(found.value, rel=CLOSE)
    some = ml.lab.additive_capacity(C, prior=[1, 1, 0, 0], spanning="vulnerabilities")
    assert some.value == close(1 - C[:2].min(axis=0).sum(), rel=CLOSE)
    assert ml.lab.additive_capacity(sp.csr_array(C), spanning="vulnerabilities").value == close(found.value, rel=CLOSE)


def test_additive_capacity_of_gains():
    """Attained by one guess for each observable, worth one where it makes a secret likelier, levelled at the prior."""
    found = ml.lab.additive_capacity(C, prior=P, spanning="gains")
    up = (C > P @ C).T.astype(float)
    levelled = up - (up @ P)[:, None]
    assert np.ptp(levelled, axis=1).max() <= 1
    assert ml.lab.additive_leakage(P, C, gain=levelled) == close(found.value, rel=CLOSE)
    for _ in range(50):
        G = RNG.random((6, 4))
        assert ml.lab.additive_leakage(P, C, gain=G - (G @ P)[:, None]) <= found.value + 1e-12
    assert ml.lab.additive_capacity(sp.csr_array(C), prior=P).value == close(found.value, rel=CLOSE)


def test_additive_capacity_over_priors():
    """The bounds hold; they meet for two secrets and for deterministic channels."""
    found = ml.lab.additive_capacity(C)
    assert found.lower == close(ml.lab.additive_capacity(C, prior=found.prior).value, rel=1e-9)
    assert all(
        ml.lab.additive_capacity(C, prior=p).value <= found.upper + 1e-12 for p in RNG.dirichlet(np.ones(4), 200)
    )
    two = ml.lab.additive_capacity([[0.75, 0.25], [0.25, 0.75]])
    assert (two.status, two.value) == ("certified", close(0.25, abs=1e-9))
    function = ml.lab.additive_capacity(np.eye(3)[[0, 0, 1, 2, 2]])
    assert (function.status, function.value) == ("certified", close(2 / 3, abs=1e-9))
    assert ml.lab.additive_capacity([[0.5, 0.5]]).value == 0
    with pytest.raises(InvalidParameter, match="'gains' or 'vulnerabilities'"):
        ml.lab.additive_capacity(C, spanning="x")


# -- risk --------------------------------------------------------------------------------------------------------------


def test_bayes_security():
    """The ratio of risks at the prior of the capacity, and at no prior less."""
    security = lab.bayes_security(C)
    found = lab.bayes_risk_capacity(C)
    assert found.value == close(1 / security, rel=CLOSE)
    assert lab.risk_leakage(found.prior, C) == close(found.value, rel=CLOSE)
    assert all(lab.risk_leakage(p, C) <= found.value + 1e-12 for p in RNG.dirichlet(np.ones(4), 100))
    assert lab.bayes_security(np.eye(3)) == 0
    assert lab.bayes_risk_capacity(sp.eye_array(3)).value == math.inf
    assert lab.bayes_security([[0.5, 0.5]] * 3) == lab.bayes_security([[1.0]]) == 1
    assert lab.bayes_security(sp.csr_array(C)) == close(security, rel=CLOSE)


def test_bayes_security_of_a_predicate():
    """Only secrets of different values count."""
    values = ["a", "a", "b", "b"]
    pairs = [0.5 * np.abs(C[x] - C[y]).sum() for x in (0, 1) for y in (2, 3)]
    assert lab.bayes_security(C, predicate=values) == close(1 - max(pairs), rel=CLOSE)
    for bad in ([1, 2], 5):
        with pytest.raises(InvalidParameter, match="predicate"):
            lab.bayes_security(C, predicate=bad)


def test_risk_is_one_less_vulnerability_and_losses_are_gains():
    L = RNG.random((3, 4))
    assert lab.risk(P) == close(1 - P.max())
    assert lab.posterior_risk(P, C) == close(1 - ml.lab.posterior_vulnerability(P, C))
    assert lab.posterior_risk(P, C, loss=1 - np.eye(4)) == close(lab.posterior_risk(P, C), rel=CLOSE)
    assert lab.risk(P, loss=L) == close((L @ P).min(), rel=CLOSE)
    gain = L.max() - L
    assert lab.posterior_risk(P, C, loss=L) == close(L.max() - ml.lab.posterior_vulnerability(P, C, gain=gain))
    assert lab.risk_leakage(P, np.eye(4)) == math.inf
    assert lab.risk_leakage([1, 0], np.eye(2)) == 1
    with pytest.raises(InvalidParameter, match="below zero"):
        lab.risk_leakage(P, C, loss=-L)


def test_named_gains():
    assert lab.predicate_gain([True, False, True]).tolist() == [[1, 0, 1], [0, 1, 0]]
    pairs = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]]
    after = ml.lab.posterior_vulnerability(P, C, gain=pairs)
    assert after == close(1 - ml.GuessError(2).conditional(P, C), rel=CLOSE)
    for bad in ([], 7):
        with pytest.raises(InvalidParameter, match="predicate"):
            lab.predicate_gain(bad)
    with pytest.raises(InvalidParameter, match="losses are a matrix"):
        lab.risk(P, loss=[1, 2, 3, 4])


def test_gains_in_a_sparse_vector_are_a_diagonal():
    gain = np.array([1.0, 0, 2, 3])
    for channel in (C, sp.csr_array(C)):
        for measure in (lab.max_case_vulnerability, lab.max_case_leakage, lab.posterior_vulnerability):
            assert measure(P, channel, gain=sp.coo_array(gain)) == close(measure(P, channel, gain=gain))
        assert ml.leakage(P, channel, ml.Gain("shannon", sp.coo_array(gain))) == close(
            ml.leakage(P, channel, ml.Gain("shannon", gain))
        )
