"""certify(channel): how far any channel is from the least leakage possible under a cap, exactly for Fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import CORES, CUBES, HARD, LAYOUTS, names, posteriors, target, total_variation

import minleak as ml
from minleak.errors import InvalidChannel, InvalidParameter
from minleak.lab.paper import algorithm_1
from minleak.testing import capped_channels, channels, entropies, priors

CAP, LEMMA, POSTERIOR = "at most", "(Lemma 1)", "every posterior is pi"


def verdicts(certificate):
    """Whether each of the three checks holds; the lemma is about capped channels only."""
    return {what: check.ok for check in certificate.checks for what in (CAP, LEMMA, POSTERIOR) if what in check.what}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_optimal_channels(weights, layout):
    """Certified at every k: exactly with gaps of zero in Fractions, within rounding in floats and sparse."""
    for k in range(1, len(weights) + 1):
        plan = ml.design(weights, k, layout=layout)
        exact = ml.certify(plan.channel(exact=True), weights, k=k, entropies=CORES)
        assert exact.ok
        assert exact.exact
        assert exact.gaps["posterior"] == 0.0
        assert exact.gaps == pytest.approx(dict.fromkeys(["posterior", *names(CORES)], 0.0), abs=1e-9)
        for form in (plan.channel(), plan.channel(dense=True)):
            certificate = ml.certify(form, weights, k=k)
            assert certificate.ok
            assert not certificate.exact
            assert certificate.gaps["posterior"] < 1e-12


def test_the_papers_algorithm_is_certified():
    """To the solver's tolerance."""
    assert ml.certify(algorithm_1([30, 28, 22, 20], 3), [30, 28, 22, 20], k=3, tolerance=1e-6)


@given(priors(max_size=6), st.data())
def test_every_capped_channel(prior, data):
    """Lemma 1 holds of all; gaps are never negative, and the posterior's is the largest total variation to pi."""
    k = data.draw(st.integers(1, len(prior)))
    channel = data.draw(capped_channels(len(prior), k))
    H = data.draw(entropies())
    certificate = ml.certify(channel, prior, k=k, entropies=[H])
    assert verdicts(certificate)[CAP]
    assert verdicts(certificate)[LEMMA]
    rounding = 1e-9 * max(1.0, abs(H(prior)) if math.isfinite(H(prior)) else 1.0)
    assert certificate.gaps[H.name] >= -rounding
    pi = target(prior.weights.tolist(), k)
    matrix = [[Fraction(c) for c in row] for row in channel.toarray().tolist()]
    width = len(prior)
    apart = [
        total_variation(q + [0] * (width - len(q)), pi + [0] * (width - len(pi)))
        for q in posteriors(prior.weights.tolist(), matrix)
    ]
    assert certificate.gaps["posterior"] == pytest.approx(float(max(apart)), abs=1e-12)
    assert certificate.ok == (max(apart) <= Fraction(1, 10**9))


@given(st.lists(st.integers(1, 9), min_size=2, max_size=5), st.data())
def test_exact_channels(weights, data):
    """Channels of Fractions are compared exactly: the lemma, and whether every posterior is pi."""
    k = data.draw(st.integers(1, len(weights)))
    floats = data.draw(capped_channels(len(weights), k)).toarray()
    counts = np.rint(floats / np.where(floats > 0, floats, 1).min(axis=1, keepdims=True)).astype(int)
    matrix = [[Fraction(int(c), int(row.sum())) for c in row] for row in counts]
    certificate = ml.certify(matrix, weights, k=k)
    assert certificate.exact
    assert verdicts(certificate)[LEMMA]
    optimal = all(posterior == target(weights, k) for posterior in posteriors(weights, matrix))
    assert certificate.ok == verdicts(certificate)[POSTERIOR] == optimal
    assert (certificate.gaps["posterior"] == 0) == optimal


def test_exactly_means_exactly():
    """One part in 10^30 off is off, in Fractions; in floats nobody can tell."""
    plan = ml.design([30, 28, 22, 20], 3)
    matrix = plan.channel(exact=True).exact.copy()
    first, second = np.flatnonzero(matrix[0])[:2]
    matrix[0, first] += Fraction(1, 10**30)
    matrix[0, second] -= Fraction(1, 10**30)
    certificate = ml.certify(matrix, [30, 28, 22, 20], k=3)
    assert not certificate
    assert 0 < certificate.gaps["posterior"] < 1e-29
    assert ml.certify(matrix.astype(float), [30, 28, 22, 20], k=3)


@pytest.mark.parametrize("H", CORES, ids=names(CORES))
def test_fixed_buckets_leak_more(H):
    """A gap in every entropy, as large as what they leak above the plan."""
    weights, channel = [9, 7, 4, 3, 1, 1], ml.Channel.deterministic([0, 0, 1, 1, 2, 2])
    certificate = ml.certify(channel, weights, k=2, entropies=[H])
    assert not certificate
    assert verdicts(certificate) == {CAP: True, LEMMA: True, POSTERIOR: False}
    above = ml.leakage(weights, channel, H) - ml.design(weights, 2).leakage(H)
    assert certificate.gaps[H.name] == pytest.approx(above, abs=1e-9)
    blind = {"hartley", "arimoto:0", "hayashi:0", "guess-error:2"}  # every set is of two, seen or not
    assert (above > 1e-3) == (H.name not in blind)


@given(channels(4), st.integers(1, 3))
def test_a_cap_that_is_not_respected(channel, k):
    """Is said, with the size of the largest pre-image; the lemma has nothing to say then."""
    certificate = ml.certify(channel, [4, 3, 2, 1], k=k)
    most = int(channel.preimage_sizes.max())
    assert verdicts(certificate)[CAP] == (most <= k)
    assert (LEMMA in verdicts(certificate)) == (most <= k)
    assert f"the most is {most}" in str(certificate)
    if most > k:
        assert not certificate


def test_one_set_for_all_is_beyond_any_cap_below_n():
    """It leaks less than possible, for it does what is not allowed."""
    certificate = ml.certify([[1], [1], [1]], [3, 2, 1], k=2)
    assert not certificate
    assert certificate.gaps["shannon"] < 0


def test_impossible_secrets_and_observables():
    """A zero-probability secret counts for the cap, and an observable that nobody causes for nothing."""
    assert ml.certify([[1, 0], [1, 0], [0, 1]], [1, 1, 0], k=2)
    assert not ml.certify([[1, 0, 0], [1, 0, 0], [1, 0, 0]], [1, 1, 0], k=2)
    assert ml.certify([[1, 0, 0], [1, 0, 0]], [1, 1], k=2)


def test_matrices_of_any_kind():
    """Lists, arrays, sparse; entropies by name or by object."""
    for matrix in ([[1, 0], [1, 0], [0, 1], [0, 1]], np.repeat(np.eye(2), 2, axis=0)):
        for form in (matrix, sp.csr_array(np.array(matrix, dtype=float)), ml.Channel(matrix)):
            certificate = ml.certify(form, [1, 1, 1, 1], k=2, entropies=["collision", CUBES])
            assert certificate
            assert list(certificate.gaps) == ["posterior", "collision", "cubes"]


@pytest.mark.parametrize("k", [0, -1, True, 2.0, "3"], ids=repr)
def test_caps_are_checked(k):
    """As everywhere, for plans and channels."""
    for subject in (ml.design([1, 1], 1), [[1, 0], [0, 1]]):
        with pytest.raises(InvalidParameter, match="whole number from 1 on"):
            ml.certify(subject, [1, 1], k=k)


def test_a_channel_is_judged_by_a_cap():
    """Which has to be given."""
    with pytest.raises(InvalidParameter, match="give the cap k"):
        ml.certify([[1, 0], [0, 1]], [1, 1])


@pytest.mark.parametrize("entry", [float, Fraction])
@pytest.mark.parametrize("prior", [[1], [1, 1, 1]], ids=str)
def test_priors_must_fit(entry, prior):
    """As many secrets as rows, whatever the entries."""
    with pytest.raises(InvalidChannel, match="they must be the same"):
        ml.certify([[entry(1), entry(0)], [entry(0), entry(1)]], prior, k=1, entropies=[])


def test_what_is_no_channel_is_refused():
    """Before it is judged."""
    with pytest.raises(InvalidChannel, match="sums to"):
        ml.certify([[0.5, 0.4], [0.5, 0.5]], [1, 1], k=2)


@pytest.mark.parametrize("tolerance", [float("nan"), -1, 2, "x", True], ids=repr)
def test_a_tolerance_is_checked_for_plans_too(tolerance):
    for subject in (ml.design([3, 2, 1], 2), [[1, 0], [1, 0], [0, 1]]):
        with pytest.raises(InvalidParameter, match="the tolerance is a number from 0 to 1"):
            ml.certify(subject, [3, 2, 1], k=2, tolerance=tolerance)
