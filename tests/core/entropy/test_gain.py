"""Gains: the identity changes nothing, diagonals are recognised, and g-leakage is what the field knows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests import plain
from tests.rounding import equal

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.lab._optimise.cores.of_entropy import gains_of
from minleak.lab.paper import Cachin
from minleak.testing import AWAY_FROM_ONE, entropies, gains, systems

PRIOR, CHANNEL = plain.WEIGHTS, np.array(plain.FLOATS)
GAIN = [[Fraction(1, 2), 0, 1, 2], [0, 3, 0, 1], [1, 1, 1, 0]]
FLOAT_GAIN = np.array(GAIN, dtype=float)


@given(entropies(), systems())
def test_the_identity_changes_nothing(H, system):
    """H_g = H for G the identity, given as a vector, a matrix or a sparse matrix."""
    prior, channel = system
    n = len(prior)
    for identity in (np.ones(n), np.eye(n), sp.eye_array(n)):
        Hg = ml.Gain(H, identity)
        assert equal(Hg(prior), H(prior))
        assert equal(Hg.conditional(prior, channel), H.conditional(prior, channel))


@given(entropies(), systems(), st.data())
def test_a_guess_at_random_is_a_distribution_again(H, system, data):
    """If each secret's gains sum to one, H_g is H of the distribution Gp, next to order 1 too."""
    prior, channel = system
    G = data.draw(gains(len(prior))) + 0.125
    G /= G.sum(axis=0)
    joint = G @ ml.lab.Joint(prior, channel).matrix()
    p = joint.sum(axis=1)
    assert equal(ml.Gain(H, G)(prior), H(p), tolerance=1e-11)
    assert equal(ml.Gain(H, G).conditional(prior, channel), H.conditional(p, joint / p[:, None]), tolerance=1e-11)


@given(entropies(orders=(*AWAY_FROM_ONE, 1.0)), systems(), st.data())
def test_every_way_to_give_gains_is_the_same(H, system, data):
    """Dense or sparse gains, dense or sparse channels."""
    prior, channel = system
    G = data.draw(gains(len(prior)))
    expected = ml.Gain(H, G).conditional(prior, channel)
    literally = H.eta(float(H.combine(H.perspective(G @ ml.lab.Joint(prior, channel).matrix()))))
    assert equal(expected, literally)
    for gain in (G, sp.csr_array(G)):
        for matrix in (channel, ml.Channel(sp.csc_array(channel.toarray()))):
            assert equal(ml.Gain(H, gain).conditional(prior, matrix), expected)


def test_gains_on_gains_are_their_product():
    """Matrices and vectors in any order; an entropy with gains equals itself alone, and has its entropy's direction."""
    first, second = FLOAT_GAIN[:, :3], FLOAT_GAIN[:, 1:]
    for inner in (first, first[0] + 1):
        for outer in (second, second[1] + 1):
            twice = ml.Gain(ml.Gain(ml.MinEntropy(), inner), outer)
            product = (np.diag(inner) if inner.ndim == 1 else inner) @ (np.diag(outer) if outer.ndim == 1 else outer)
            through = gains_of(twice)
            assert (np.diag(through) if through.ndim == 1 else through) == pytest.approx(product)
            assert twice.increasing == ml.MinEntropy().increasing
            assert twice == twice
            assert len({twice, twice, ml.Gain(twice.entropy, outer)}) == 2


def test_a_diagonal_is_recognised():
    gamma = np.array([1.0, 0.5, 0, 2])
    for gain in (gamma, np.diag(gamma), sp.diags_array(gamma)):
        Hg = ml.Gain(ml.Shannon(), gain)
        assert Hg.gain.ndim == 1
        assert (Hg.gain == gamma).all()
    assert ml.Gain(ml.Shannon(), FLOAT_GAIN).gain.ndim == 2
    assert ml.Gain(ml.Shannon(), [[0, 1], [1, 0]]).gain.ndim == 2


def test_min_entropy_gives_g_vulnerability():
    """2^-H_g is the attacker's expected gain, before and after, in exact fractions."""
    Hg = ml.Gain(ml.MinEntropy(), FLOAT_GAIN)
    before = plain.vulnerability(plain.PRIOR, GAIN)
    after = plain.posterior_vulnerability(plain.PRIOR, plain.CHANNEL, GAIN)
    assert 2 ** -Hg(PRIOR) == pytest.approx(float(before), rel=plain.CLOSE)
    assert 2 ** -Hg.conditional(PRIOR, CHANNEL) == pytest.approx(float(after), rel=plain.CLOSE)
    assert ml.lab.vulnerability(PRIOR, gain=FLOAT_GAIN) == pytest.approx(float(before), rel=plain.CLOSE)
    assert 2 ** ml.leakage(PRIOR, CHANNEL, Hg) == pytest.approx(float(after / before), rel=plain.CLOSE)
    by_factor = ml.lab.multiplicative_leakage(PRIOR, CHANNEL, gain=FLOAT_GAIN)
    assert by_factor == pytest.approx(float(after / before), rel=plain.CLOSE)
    assert ml.lab.additive_leakage(PRIOR, CHANNEL, gain=FLOAT_GAIN) == pytest.approx(float(after - before))


def test_renyi_with_gains_is_the_norm_of_gp():
    """H_{a,g}(X) = a/(1-a) log |Gp|_a, the paper's family."""
    p = np.array(PRIOR) / 10
    for a in (0.5, 2, 7):
        norm = ((FLOAT_GAIN @ p) ** a).sum() ** (1 / a)
        assert ml.Gain(ml.Arimoto(a), FLOAT_GAIN)(PRIOR) == pytest.approx(a / (1 - a) * math.log2(norm), rel=1e-14)


def test_scaling_the_gains_shifts_the_g_entropy():
    for factor in (0.25, 8):
        scaled = ml.Gain(ml.MinEntropy(), factor * FLOAT_GAIN)
        assert scaled(PRIOR) == pytest.approx(ml.Gain(ml.MinEntropy(), FLOAT_GAIN)(PRIOR) - math.log2(factor))


def test_gains_within_gains_multiply():
    outer = np.array([[1, 2, 0], [0, 1, 1]])
    twice = ml.Gain(ml.Gain(ml.Shannon(), outer), FLOAT_GAIN)
    once = ml.Gain(ml.Shannon(), outer @ FLOAT_GAIN)
    assert twice.conditional(PRIOR, CHANNEL) == pytest.approx(once.conditional(PRIOR, CHANNEL), rel=1e-14)
    inside = ml.Gain(ml.Gain(ml.Shannon(), outer @ FLOAT_GAIN), np.eye(4))
    assert inside(PRIOR) == pytest.approx(once(PRIOR), rel=1e-14)


def test_digits_are_kept_under_the_identity():
    """An almost sure guess, and an order next to 1."""
    assert ml.Gain(ml.MinEntropy(), np.eye(2))([1, 1e-20]) == ml.MinEntropy()([1, 1e-20]) > 0
    assert ml.Gain(ml.Arimoto(1 + 1e-14), np.eye(3))([5, 3, 2]) == pytest.approx(ml.Shannon()([5, 3, 2]), abs=1e-12)


def test_a_secret_without_gain_may_be_all_there_is():
    """Where nothing can be gained the g-entropy is infinite, before and after, and nothing leaks."""
    Hg = ml.Gain(ml.MinEntropy(), [0, 1])
    assert Hg([1, 0]) == math.inf
    assert ml.leakage([1, 0], np.eye(2), Hg) == 0


@pytest.mark.parametrize(
    ("gain", "says"),
    [
        ([1, -1], "not be negative"),
        (sp.csr_array([[1, -1.0]]), "not be negative"),
        ([0, 0], "all gains are zero"),
        ([[0, 0]], "all gains are zero"),
        ([math.nan, 1], "finite"),
        ([math.inf, 1], "finite"),
        (["1", "2"], "numbers"),
        ([True, False], "numbers"),
        ([], "vector or a matrix"),
        ([[]], "vector or a matrix"),
        ([[[1]]], "vector or a matrix"),
        (1, "vector or a matrix"),
    ],
    ids=repr,
)
def test_what_is_no_gain_is_refused(gain, says):
    with pytest.raises(InvalidParameter, match=says):
        ml.Gain(ml.Shannon(), gain)


def test_gains_are_for_as_many_secrets():
    for gain in ([1, 2], [[1, 2]], sp.csr_array([[1.0, 2]])):
        with pytest.raises(InvalidParameter, match="for 2 secrets, and there are 3"):
            ml.Gain(ml.Shannon(), gain)([1, 1, 1])


@pytest.mark.parametrize("H", [Cachin(2)], ids=repr)
def test_gains_go_with_entropies_of_the_papers_form(H):
    """By name too."""
    assert ml.Gain("min-entropy", [1, 2])([1, 1]) == 0
    with pytest.raises(InvalidParameter, match="eta"):
        ml.Gain(H, [1, 1])


def test_gains_on_gains_must_fit():
    """Convex design multiplies them, which is refused in words where guesses and secrets differ in number."""
    inner = ml.Gain(ml.MinEntropy(), np.ones(4))
    with pytest.raises(InvalidParameter, match="inner gains are for 4 guesses, and the outer have 3"):
        ml.lab.optimise([3, 2, 1], entropy=inner, gains=[1, 2, 3])
