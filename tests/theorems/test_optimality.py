"""Theorem 1 of the paper: no channel with sets of at most k leaves more uncertainty than pi, and the plan leaves that.

pi = (p_1, ..., p_{j*-1}, s/u, ..., s/u) is written down in tests/cases.py from its definition.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import find, given
from hypothesis import strategies as st
from tests.cases import CUBES, HARD, LAYOUTS, ROOTS, posteriors, target
from tests.rounding import at_most, equal

import minleak as ml
from minleak.testing import capped_channels, entropies, priors

MEASURES = st.one_of(entropies(), st.sampled_from([ROOTS, CUBES]))


@st.composite
def capped_systems(draw):
    """A prior, a cap and a channel that respects it."""
    prior = draw(priors(max_size=7))
    k = draw(st.integers(1, len(prior)))
    return prior, k, draw(capped_channels(len(prior), k))


def test_the_channels_tried_are_varied():
    """Fixed buckets are among them, full rows, and observables that all k places of are taken."""
    assert find(capped_channels(5, 2), lambda channel: (channel.toarray() % 1 == 0).all())
    assert find(capped_channels(4, 3), lambda channel: (channel.toarray()[0] > 0).all())
    assert find(capped_channels(5, 2), lambda channel: (channel.preimage_sizes == 2).all())


@given(MEASURES, capped_systems())
def test_no_capped_channel_beats_the_plan(H, system):
    """Lemma 1: |pre-images| <= k implies H(X|Y) <= H(pi), for every symmetric, expansible, core-concave H."""
    prior, k, channel = system
    assert channel.preimage_sizes.max() <= k
    best = H([*map(float, target(prior.weights.tolist(), k))])
    assert at_most(H.conditional(prior, channel), best)
    assert equal(ml.design(prior, k).entropy(H), best)


@given(MEASURES, priors(min_size=2, max_size=12), st.data())
def test_no_random_channel_beats_the_plan(H, prior, data):
    """The same with rows uniform on the simplex, and more observables than secrets."""
    k, m = data.draw(st.integers(1, len(prior))), data.draw(st.integers(12, 20))
    channel = ml.Channel.random(len(prior), m, cap=k, seed=data.draw(st.integers(0, 999)))
    assert channel.preimage_sizes.max() <= k
    assert at_most(H.conditional(prior, channel), ml.design(prior, k).entropy(H))


@given(MEASURES, priors(max_size=9), st.integers(1, 10), st.sampled_from(LAYOUTS))
def test_the_plan_attains_it(H, prior, k, layout):
    """Lemma 2: the plan's channel respects the cap, and leaks exactly H(X) - H(pi)."""
    plan = ml.design(prior, k, layout=layout)
    channel = plan.channel()
    assert channel.preimage_sizes.max() <= k
    assert equal(plan.entropy(H), H.conditional(prior, channel))
    assert equal(plan.leakage(H), ml.leakage(prior, channel, H))


@given(priors(max_size=8), st.integers(1, 9), st.sampled_from(LAYOUTS))
def test_every_posterior_is_the_target(prior, k, layout):
    """What makes the plan optimal for all entropies at once: p(x given y) is pi, whatever y, in exact fractions."""
    weights = prior.weights.tolist()
    matrix = ml.design(prior, k, layout=layout).channel(exact=True).exact.tolist()
    assert all(posterior == target(weights, k) for posterior in posteriors(weights, matrix))


@cache
def plans_at_every_cap(weights):
    return [ml.design(weights, k) for k in range(1, len(weights) + 1)]


@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
@given(H=MEASURES)
def test_a_larger_cap_never_leaks_more(weights, H):
    """pi of k+1 is majorized by pi of k; at k = n nothing leaks, at k = 1 all of H(X) - H(point mass)."""
    leaked = [plan.leakage(H) for plan in plans_at_every_cap(weights)]
    assert all(at_most(after, before) for before, after in pairwise(leaked))
    assert equal(leaked[-1], 0.0)
    assert equal(leaked[0], H(weights) - H([1]))


def test_one_entropy_may_have_more_optimal_channels_than_all_of_them():
    """Weights 5, 3, 1, 1, k = 3: no leakage in min-entropy with posteriors other than pi, which only some H see."""
    weights, channel = [5, 3, 1, 1], [[Fraction(3, 5), Fraction(2, 5)], [1, 0], [0, 1], [0, 1]]
    assert ml.leakage(weights, channel, "min-entropy") == 0
    assert ml.certify(channel, weights, k=3).ok is False
    assert ml.leakage(weights, channel, "shannon") > ml.design(weights, 3).leakage("shannon") + 1e-3


def most_likelier(p, C):
    """By how much an observable makes a secret likelier at most: the exponential of pointwise maximal leakage."""
    C = C[:, C.any(axis=0)]
    return (C.max(axis=0) / (p @ C)).max()


@given(capped_systems())
def test_some_observable_makes_a_secret_n_over_k_times_as_likely(system):
    """Whatever the prior and the channel under the cap."""
    prior, k, channel = system
    if prior.p.all():
        assert most_likelier(prior.p, ml.Channel(channel).toarray()) >= len(prior) / k * (1 - 1e-9)


def test_plans_are_not_best_for_attackers_who_value_secrets_differently():
    p, buckets = np.array([0.4, 0.4, 0.1, 0.1]), np.array([[1, 0], [0, 1], [1, 0], [0, 1]])
    assert most_likelier(p, buckets) == pytest.approx(4 / 2)
    assert most_likelier(p, ml.design([4, 4, 1, 1], 2).channel().toarray()) == pytest.approx(5)
