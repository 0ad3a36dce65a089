"""Where the print of the paper is wrong: each test shows that, and the library right. See docs/research/errata.md."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import paper

import minleak as ml
from minleak.testing import priors, systems

PRIOR = [2, 1, 1]
CHANNEL = [[1, 0], [0, 1], [0, 1]]
ERRATA = Path(__file__).parents[2] / "docs" / "research" / "errata.md"


def printed_sharma_mittal(a, b):
    """H_{a,b}(X|Y) of the remark on Sharma-Mittal, in nats, with digits to spare for b next to 1."""
    return float(paper.sharma_mittal(paper.observed(PRIOR, CHANNEL), a, b))


def test_sharma_mittal_tends_to_hayashi_not_to_arimoto():
    with mpmath.workdps(40):
        near = printed_sharma_mittal(2, 1 + 1e-9)
    hayashi, arimoto = (form(2, base=math.e).conditional(PRIOR, CHANNEL) for form in (ml.lab.Hayashi, ml.Arimoto))
    assert near == pytest.approx(hayashi, abs=1e-8)
    assert abs(near - arimoto) > 0.02
    assert ml.lab.SharmaMittal(2, 1).conditional(PRIOR, CHANNEL) == hayashi
    assert ml.lab.SharmaMittal(2, 1 + 1e-9).conditional(PRIOR, CHANNEL) == pytest.approx(near, rel=1e-14)


def printed_tsallis(p, a):
    return (1 - sum(x**a for x in p)) / (1 - a)


def test_tsallis_is_positive():
    half = [Fraction(1, 2)] * 2
    assert printed_tsallis(half, 2) == Fraction(-1, 2)
    assert ml.lab.Tsallis(2)(half) == 0.5
    sharma_mittal = ml.lab.SharmaMittal(2, 2)
    assert sharma_mittal(half) == 0.5  # what the print's own definition of H_{a,b} gives at b = a


@given(priors(min_size=2), st.sampled_from([0.5, 2.0, 3.0]))
def test_tsallis_as_printed_is_never_positive(prior, a):
    """The printed value is minus the entropy."""
    assert printed_tsallis(prior.p[prior.p > 0], a) == pytest.approx(-ml.lab.Tsallis(a)(prior), abs=1e-12)


def condition(p, k, l, last):
    """p_[l] >= (p_[l] + ... + p_[last]) / (k-l+1), said to make the least l-guess leakage zero."""
    p = sorted(p, reverse=True)
    return p[l - 1] * (k - l + 1) >= sum(p[l - 1 : last])


@given(priors(min_size=2), st.data())
def test_the_printed_condition_for_zero_leakage_says_nothing(prior, data):
    """With the sum up to k it compares the largest of k-l+1 numbers with their mean."""
    k = data.draw(st.integers(1, len(prior) - 1))
    l = data.draw(st.integers(1, k))
    assert condition(prior.weights.tolist(), k, l, last=k)


def from_sets(p, sets):
    """The paper's Algorithm 1 without giants, or with: p(y_M given i) in proportion to v_M, its joint exact."""
    return [[v / p[i] if i in M else Fraction(0) for M, v in sets] for i in range(len(p))]


def test_zero_leakage_needs_the_whole_tail():
    """k = 3, two guesses: with the sum up to n the condition tells the toy priors p_1 and p_3 apart."""
    k, l, H = 3, 2, ml.GuessError(2)

    flat = [Fraction(w, 100) for w in (30, 28, 22, 20)]
    assert condition(flat, k, l, last=k)
    assert not condition(flat, k, l, last=len(flat))
    third = Fraction(1, 300)
    sets = [({0, 1, 2}, 40 * third), ({0, 1, 3}, 34 * third), ({0, 2, 3}, 16 * third), ({1, 2, 3}, 10 * third)]
    best = ml.Channel(from_sets(flat, sets))
    # Two guesses among three secrets hit with 2/3 at least, whatever the channel; this one leaves them no more.
    assert H.conditional(flat, best) == pytest.approx(1 - l / k)
    assert ml.leakage(flat, best, H) == pytest.approx(0.42 - 1 / 3)

    skewed = [Fraction(w, 100) for w in (40, 35, 15, 10)]
    assert condition(skewed, k, l, last=len(skewed))
    hidden = ml.Channel([[0.6, 0.4], [0.6, 0.4], [1, 0], [0, 1]])
    assert max(hidden.preimage_sizes) == k
    assert ml.leakage(skewed, hidden, H) == pytest.approx(0, abs=1e-15)


def printed_guesswork(prior, channel):
    """The posterior guesswork of the numerical section: the sum over y without p(y)."""
    return sum(ml.Guesswork()(posterior) for posterior in ml.lab.posteriors(prior, channel).matrix.T)


def test_posterior_guesswork_is_a_mean():
    nothing = ml.Channel([[0.5, 0.5], [0.5, 0.5]])
    assert printed_guesswork([1, 1], nothing) == 3  # guesses, to find one of two secrets
    assert ml.Guesswork().conditional([1, 1], nothing) == ml.Guesswork()([1, 1]) == 1.5


@given(systems())
def test_posterior_guesswork_as_printed_counts_observables(system):
    """Every observable adds one guess at least, so the print is no less than their number."""
    prior, channel = system
    seen = len(ml.lab.posteriors(prior, channel).probabilities)
    assert printed_guesswork(prior, channel) >= seen * (1 - 1e-12)
    assert ml.Guesswork().conditional(prior, channel) <= len(prior) * (1 + 1e-12)


def test_fehr_berens_does_not_tend_to_shannon():
    shannon = ml.Shannon().conditional(PRIOR, CHANNEL)
    assert shannon == 0.5
    for a in (1 - 1e-9, 1 + 1e-9):
        with mpmath.workdps(60):
            arimoto, hayashi, fehr_berens = (
                float(formula(paper.observed(PRIOR, CHANNEL), a) / mpmath.log(2))
                for formula in (paper.arimoto, paper.hayashi, paper.fehr_berens)
            )
        assert arimoto == pytest.approx(shannon, abs=1e-8)
        assert hayashi == pytest.approx(shannon, abs=1e-8)
        assert fehr_berens == pytest.approx(0.4150374993, abs=1e-8)  # -log2(3/4)
        assert ml.lab.FehrBerens(a).conditional(PRIOR, CHANNEL) == pytest.approx(fehr_berens, rel=1e-12)
    assert ml.lab.FehrBerens(1).conditional(PRIOR, CHANNEL) == pytest.approx(0.4150374993, abs=1e-9)


@given(st.data())
def test_entropies_by_gains_are_core_concave(data):
    """Fhat(Gp) at a mean of two priors is at least the mean, in Fractions for one guess, in floats for Shannon."""
    weights = st.lists(st.integers(0, 20), min_size=3, max_size=3)
    G = [data.draw(weights) for _ in range(3)]
    p, q = (data.draw(weights.filter(any)) for _ in range(2))
    p, q = ([Fraction(w, sum(prior)) for w in prior] for prior in (p, q))
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]

    def missed(prior):  # the perspective of the one-guess error, of Gp
        images = [sum((g * x for g, x in zip(row, prior, strict=True)), Fraction(0)) for row in G]
        return sum(images) - max(images)

    assert missed(middle) >= (missed(p) + missed(q)) / 2
    if any(map(any, G)):
        H = ml.Gain(ml.Shannon(), G)
        assert H(middle) >= (H(p) + H(q)) / 2 - 1e-9


@pytest.mark.parametrize("rare", [Fraction(1, 1000), Fraction(1, 2), Fraction(999, 1000)])
def test_arimoto_at_order_zero_is_no_mean(rare):
    """Supports of 1 and m: log m however rare the second observable is, and so is the limit of small orders."""
    for m in (2, 3):
        prior, channel = [1 - rare, *[rare / m] * m], [[1, 0], *[[0, 1]] * m]
        assert ml.Hartley().conditional(prior, channel) == pytest.approx(math.log2(m), abs=1e-12)
        small = ml.Arimoto(1e-4).conditional(prior, channel)
        assert small == pytest.approx(math.log2(m), abs=2e-3)


def test_every_erratum_names_its_tests():
    """The page and this file speak of the same tests."""
    named = set(re.findall(r"`(test_\w+)`", ERRATA.read_text()))
    here = {name for name in globals() if name.startswith("test_")} - {"test_every_erratum_names_its_tests"}
    assert named == here
