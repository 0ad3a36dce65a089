"""Adversaries: how often each names the secret, by direct enumeration, ties and impossible observables included."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests import plain
from tests.plain import CHANNEL, CLOSE, FLOATS, PRIOR, WEIGHTS

import minleak as ml
from minleak.core import _columns as columns
from minleak.errors import InvalidChannel, InvalidParameter
from minleak.testing import priors, systems

KINDS = {"dense": np.array, "sparse": sp.csr_array}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def made(request):
    return lambda matrix: ml.Channel(request.param(np.array(matrix, dtype=float)))


def both(channel):
    return channel, ml.Channel(sp.csr_array(channel.toarray()))


def optimal(p, c, tries):
    """For every observable the best set of guesses, of all sets."""
    sets = list(combinations(range(len(p)), min(tries, len(p))))
    return sum(max(sum(column[x] for x in guesses) for guesses in sets) for column in plain.columns(plain.joint(p, c)))


def uniform(p, c):
    """Every secret, every observable, every guess in its pre-image."""
    success = 0
    for y, column in enumerate(plain.columns(plain.joint(p, c))):
        preimage = [x for x in range(len(p)) if c[x][y] > 0]
        success += sum(column[x] / len(preimage) for x in preimage)
    return success


def mismatched(p, q, c):
    """He guesses among the most likely under q, or in the pre-image where q says impossible, and is paid under p."""
    success = 0
    for y in range(len(c[0])):
        preimage = [x for x in range(len(p)) if c[x][y] > 0]
        best = max((q[x] * c[x][y] for x in preimage), default=0)
        guesses = [x for x in preimage if q[x] * c[x][y] >= best * (1 - 1e-12)]
        success += sum(p[x] * c[x][y] for x in guesses) / max(len(guesses), 1)
    return success


@pytest.mark.parametrize("tries", [1, 2, 3, 9])
def test_the_optimal_adversary_of_the_small_system(made, tries):
    """The best sets of guesses, found by trying them all."""
    success = ml.lab.OptimalAdversary(tries=tries).success(WEIGHTS, made(FLOATS))
    assert success == pytest.approx(float(optimal(PRIOR, CHANNEL, tries)), rel=CLOSE)


def test_the_uniform_adversary_of_the_small_system(made):
    """The mean of one over the size of the pre-image."""
    assert ml.lab.UniformAdversary().success(WEIGHTS, made(FLOATS)) == pytest.approx(float(uniform(PRIOR, CHANNEL)))


BELIEFS = {
    "the truth": WEIGHTS,
    "all equal": (1, 1, 1, 1),
    "the reverse": (0, 2, 3, 5),
    "sure and wrong": (0, 0, 0, 1),
    "ties": (2, 4, 2, 4),
}


@pytest.mark.parametrize("belief", BELIEFS.values(), ids=BELIEFS)
def test_the_mismatched_adversary_of_the_small_system(made, belief):
    """Ties are shared, and what he thinks impossible he guesses in the pre-image, dense and sparse alike."""
    q = [Fraction(w, sum(belief)) for w in belief]
    success = ml.lab.MismatchedAdversary(belief).success(WEIGHTS, made(FLOATS))
    assert success == pytest.approx(float(mismatched(PRIOR, q, CHANNEL)), rel=CLOSE)


def test_a_tie_is_shared_evenly(made):
    """Three secrets look alike to him: he is right a third of the time, whoever is likely in truth."""
    adversary = ml.lab.MismatchedAdversary([1, 1, 1])
    assert adversary.success([8, 1, 1], made([[1], [1], [1]])) == pytest.approx(1 / 3, rel=CLOSE)
    nearly = ml.lab.MismatchedAdversary([1, 1 + 1e-14, 1])
    assert nearly.success([8, 1, 1], made([[1], [1], [1]])) == pytest.approx(1 / 3, rel=CLOSE)


@given(systems(), st.data())
def test_adversaries_of_random_systems(system, data):
    """All three against the enumerations; knowing more never hurts."""
    prior, channel = system
    belief = data.draw(priors(min_size=len(prior), max_size=len(prior)))
    tries = data.draw(st.integers(1, 4))
    p, q, c = prior.p.tolist(), belief.p.tolist(), channel.toarray().tolist()
    for form in both(channel):
        best = ml.lab.OptimalAdversary().success(prior, form)
        assert ml.lab.OptimalAdversary(tries=tries).success(prior, form) == pytest.approx(
            optimal(p, c, tries), rel=1e-11
        )
        blind = ml.lab.UniformAdversary().success(prior, form)
        assert blind == pytest.approx(uniform(p, c), rel=1e-11)
        wrong = ml.lab.MismatchedAdversary(belief).success(prior, form)
        assert wrong == pytest.approx(mismatched(p, q, c), rel=1e-11, abs=1e-15)
        assert ml.lab.MismatchedAdversary(prior).success(prior, form) == pytest.approx(best, rel=1e-10)
        assert max(blind, wrong) <= best + 1e-12


def test_the_mismatched_adversary_over_many_blocks(made, monkeypatch):
    """What he earns does not depend on how the columns are cut."""
    whole = ml.lab.MismatchedAdversary([1, 2, 3, 4]).success(WEIGHTS, made(FLOATS))
    monkeypatch.setattr(columns, "BLOCK", 1)
    monkeypatch.setattr(columns, "_STORED", 1)
    assert ml.lab.MismatchedAdversary([1, 2, 3, 4]).success(WEIGHTS, made(FLOATS)) == pytest.approx(whole, rel=CLOSE)


def test_beliefs_are_matched_by_label():
    """A belief about other secrets is refused, and so is a prior in another order."""
    channel = ml.Channel([[0.6, 0.4], [0.4, 0.6]], inputs=["flu", "cold"])
    believed = ml.lab.MismatchedAdversary([5, 1]).success([1, 3], channel)
    assert ml.lab.MismatchedAdversary({"cold": 1, "flu": 5}).success([1, 3], channel) == believed
    with pytest.raises(InvalidChannel, match="is not the channel's row 0"):
        ml.lab.MismatchedAdversary(ml.Prior([1, 5], labels=["cold", "flu"])).success([1, 3], channel)
    with pytest.raises(InvalidChannel, match="1 secrets are missing"):
        ml.lab.MismatchedAdversary({"gout": 1, "flu": 5}).success([1, 3], channel)


@pytest.mark.parametrize("tries", [0, -1, 1.5, True], ids=repr)
def test_tries_are_a_whole_number(tries):
    """From 1 on."""
    with pytest.raises(InvalidParameter, match="whole number from 1 to"):
        ml.lab.OptimalAdversary(tries=tries)


# -- the best guess ------------------------------------------------------------------------------------------------


def first_best(p, c, gain):
    """The first guess that earns most for each observable; -1 for those that cannot occur."""
    found = []
    for column in plain.columns(plain.joint(p, c)):
        earned = plain.gains(column, gain)
        found.append(earned.index(max(earned)) if any(column) else -1)
    return found


GAINS = {
    "none": None,
    "vector": [1, 2, 3, 4],
    "losses": [-1, -2, -4, -1],
    "signed vector": [-1, 0, 2, -1],
    "tied": [[0, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]],
    "signed": [[-1, 1, 0, 0], [0, 0, 0, 0], [1, -2, -1, 0]],
    "all negative": [[-1, -1, -4, -1], [-2, -1, -1, -1]],
}


@pytest.mark.parametrize("gain", GAINS.values(), ids=GAINS)
def test_best_guesses_of_the_small_system(made, gain):
    """First of the best, against loops over Fractions; gains of any sign, dense and sparse on dense and sparse."""
    if gain is None:
        rows = plain.identity(4)
    else:
        rows = gain if isinstance(gain[0], list) else [[g * (w == x) for x in range(4)] for w, g in enumerate(gain)]
    expected = first_best(PRIOR, CHANNEL, rows)
    forms = [None] if gain is None else [gain, sp.csr_array(np.array(rows, dtype=float))]
    for form in forms:
        found = ml.lab.best_guesses(WEIGHTS, made(FLOATS), gain=form)
        assert found.tolist() == expected
        assert found.dtype == np.int64


@given(systems(), st.data())
def test_best_guesses_earn_the_vulnerability(system, data):
    """What the guesses earn adds up to the posterior vulnerability; without a gain the first of equals is named."""
    prior, channel = system
    n = len(prior)
    entry = st.integers(-3, 3).map(float)
    gain = data.draw(st.lists(st.lists(entry, min_size=n, max_size=n), min_size=1, max_size=4))
    p, c = prior.p.tolist(), channel.toarray().tolist()
    earned = [plain.gains(column, gain) for column in plain.columns(plain.joint(p, c))]
    best = plain.posterior_vulnerability(p, c, gain)
    for form in both(channel):
        assert ml.lab.best_guesses(prior, form).tolist() == first_best(p, c, plain.identity(n))
        for as_given in (gain, sp.csr_array(gain)):
            guesses = ml.lab.best_guesses(prior, form, gain=as_given).tolist()
            total = sum(values[w] for values, w in zip(earned, guesses, strict=True) if w >= 0)
            assert total == pytest.approx(best, rel=CLOSE, abs=1e-12)
