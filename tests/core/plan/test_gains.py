"""Gains: the paper's Proposition on diag(gamma), against its definition, with secrets that are worth nothing."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import CORES, HARD, LAYOUTS, OTHERS, names, posteriors, target
from tests.rounding import at_most, equal

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.testing import AWAY_FROM_ONE, capped_channels, entropies, priors

# Near order one eta multiplies rounding by 1/(1 - alpha) where gains do not sum to one, in every way of computing.
MEASURES = entropies(orders=AWAY_FROM_ONE)


def worth(weights, gamma):
    return [Fraction(w) * Fraction(g) for w, g in zip(weights, gamma, strict=True)]


@st.composite
def valued(draw, max_size=7):
    """A prior, gains of halves with zeros among them that leave something to gain, and a cap."""
    prior = draw(priors(max_size=max_size))
    gamma = draw(st.lists(st.integers(0, 6), min_size=len(prior), max_size=len(prior)))
    gamma[int(np.argmax(prior.weights))] += 1
    return prior, [g / 2 for g in gamma], draw(st.integers(1, len(prior)))


@given(MEASURES, valued(), st.sampled_from(LAYOUTS))
def test_the_value_is_the_definitions(H, system, layout):
    """H_g(X|Y) = eta(sum over y of Fhat(diag(gamma) J[:,y])) of the plan's own channel, and its leakage too."""
    prior, gamma, k = system
    plan = ml.design(prior, k, layout=layout, gains=gamma)
    channel, seen = plan.channel(), ml.Gain(H, gamma)
    assert channel.preimage_sizes.max() <= k
    assert equal(plan.entropy(H), seen.conditional(prior, channel))
    assert equal(plan.leakage(H), seen(prior) - seen.conditional(prior, channel))


@given(MEASURES, valued(), st.data())
def test_no_capped_channel_beats_the_plan(H, system, data):
    """Proposition 4 A: |pre-images| <= k implies H_g(X|Y) <= eta(Fhat(pi)), pi made from gamma_x p(x)."""
    prior, gamma, k = system
    channel = data.draw(capped_channels(len(prior), k))
    assert at_most(ml.Gain(H, gamma).conditional(prior, channel), ml.design(prior, k, gains=gamma).entropy(H))


@given(valued(), st.sampled_from(LAYOUTS))
def test_every_gained_posterior_is_the_target(system, layout):
    """Proposition 4 B in exact fractions: gamma_x p(x) C[x,y], normalised, is pi normalised, for every y that gains."""
    prior, gamma, k = system
    e = worth(prior.weights.tolist(), gamma)
    plan = ml.design(prior, k, layout=layout, gains=[Fraction(g) for g in gamma])
    matrix = plan.channel(exact=True).exact.tolist()
    assert all(sum(row) == 1 for row in matrix)
    assert all(posterior == target(e, k) for posterior in posteriors(e, matrix))
    assert list(plan.exact_target) == target(e, k)
    assert ml.certify(plan, prior, gains=gamma)


FORMS = {
    "ints": [4, 0, 2, 1],
    "floats": [4.0, 0.0, 2.0, 1.0],
    "fractions": [Fraction(4), Fraction(0), Fraction(2), 1],
    "tuple": (4, 0, 2, 1),
    "array of ints": np.array([4, 0, 2, 1]),
    "array of floats": np.array([4.0, 0.0, 2.0, 1.0]),
    "array of fractions": np.array([Fraction(4), Fraction(0), Fraction(2), Fraction(1)], dtype=object),
    "generator": (g for g in (4, 0, 2, 1)),
    "generator of fractions": (Fraction(g) for g in (4, 0, 2, 1)),
}


@pytest.mark.parametrize("gamma", FORMS.values(), ids=FORMS)
def test_gains_of_any_kind(gamma):
    """All numbers are the same numbers; exact ones with exact weights make an exact plan."""
    plan = ml.design([5, 9, 3, 2], 2, gains=gamma)
    assert plan.gains.tolist() == [4, 0, 2, 1]
    assert plan.weights / plan.total == pytest.approx([20 / 28, 0, 6 / 28, 2 / 28], rel=1e-15)
    assert plan.total == 28 or plan.distance > 0
    assert plan.entropy("guess-error:1") == pytest.approx((6 + 2) / 19, rel=1e-15)


@pytest.mark.parametrize("kind", [list, np.array, lambda gamma: (g for g in gamma)], ids=["list", "array", "generator"])
def test_fractions_are_what_they_say(kind):
    """A half is half as much as one, not one over a common denominator."""
    plan = ml.design([1, 1, 1], 2, gains=kind([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]))
    assert plan.gains == pytest.approx([1 / 2, 1 / 3, 1 / 6])
    assert plan.weights.tolist() == [3, 2, 1]
    assert plan.target == pytest.approx([1 / 6, 1 / 6])


@pytest.mark.parametrize("H", [H for H in CORES if H.name != "arimoto:1.000000001"], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_gains_of_one_change_nothing(H, layout):
    """diag(1, ..., 1) is no gain at all."""
    plain, gained = (ml.design([9, 5, 3, 0, 2], 3, layout=layout, gains=g) for g in (None, [1] * 5))
    assert gained.entropy(H) == pytest.approx(plain.entropy(H), rel=1e-12)
    assert gained.leakage(H) == pytest.approx(plain.leakage(H), rel=1e-12, abs=1e-12)
    assert plain.channel().toarray().tolist() == gained.channel().toarray().tolist()


def test_the_likeliest_may_be_worth_least():
    """A secret becomes a giant by its worth, not by its probability."""
    plan = ml.design([90, 5, 3, 2], 2, gains=[0.01, 1, 1, 9])
    assert plan.giants.tolist() == [3]


@given(valued(), st.sampled_from(LAYOUTS))
def test_what_is_worth_nothing_has_observables_of_its_own(system, layout):
    """At most k to each, shared with nobody who gains unless all fit into one set."""
    prior, gamma, k = system
    plan = ml.design(prior, k, layout=layout, gains=gamma)
    e = worth(prior.weights.tolist(), gamma)
    worthless = {x for x, value in enumerate(e) if value == 0}
    assert set(plan.fixed.tolist()) - set(plan.giants.tolist()) == worthless
    one_set = len(e) - len(worthless) <= k
    for members in plan.channel().outputs:
        assert len(members) <= k
        assert set(members) <= worthless or not set(members) & worthless or one_set


@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_hard_priors(weights):
    """Gains turn the order of the secrets around, at every k."""
    gamma = [Fraction(1, w) if w else 1 for w in weights]
    for k in range(1, len(weights) + 1):
        plan = ml.design(weights, k, gains=gamma)
        possible = sum(w > 0 for w in weights)
        assert list(plan.exact_target) == [Fraction(1, min(k, possible))] * min(k, possible)
        assert ml.certify(plan, weights, gains=gamma)


REFUSED = {
    "negative": ([1, -1, 1], "not negative"),
    "NaN": ([1.0, math.nan, 1.0], "finite"),
    "infinite": ([1.0, math.inf, 1.0], "finite"),
    "all zero": ([0, 0, 0], "all weights are zero"),
    "too few": ([1, 2], "2 gains for 3 secrets"),
    "too many": ([1, 2, 3, 4], "4 gains for 3 secrets"),
    "none": ([], "no weights"),
    "only the impossible gain": ([0, 0, 5], "probability zero"),
    "a matrix": (np.eye(3), "one dimension"),
    "text": ("abc", "sequence of numbers"),
    "texts": (["1", "2", "3"], "is a str"),
    "booleans": ([True, False, True], "is a bool"),
    "a number": (3, "sequence of numbers"),
    "larger than a float": ([10**400, 1, 1], "larger than a float"),
}


@pytest.mark.parametrize(("gamma", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(gamma, message):
    """What is no vector of gains, saying why."""
    with pytest.raises(InvalidParameter, match=message):
        ml.design([2, 1, 0], 2, gains=gamma)


@pytest.mark.parametrize("H", [*OTHERS, ml.Gain(ml.Shannon(), [1, 1, 1])], ids=[*names(OTHERS), "gains on gains"])
def test_gains_go_with_the_papers_form_only(H):
    """eta(sum Fhat) is what they are put into."""
    plan = ml.design([2, 1, 1], 2, gains=[1, 2, 3])
    for measure in (plan.entropy, plan.leakage, lambda H: plan.leakage(H, prior=[1, 1, 1])):
        with pytest.raises(InvalidParameter, match="of the form eta"):
            measure(H)
