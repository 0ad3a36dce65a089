"""The orders of channels: what each promises, for every prior, gain or entropy it speaks of."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rounding import at_most

import minleak as ml
from minleak import lab
from minleak.testing import capped_channels, channels, entropies, priors, systems


@settings(max_examples=25)
@given(systems(), st.data())
def test_refinement_is_leakage_for_every_gain(system, data):
    """A is refined by B if and only if no prior and gain make it leak more (Blackwell; the coriaceous theorem)."""
    prior, A = system
    B = data.draw(channels(len(prior)))
    found = ml.lab.refined_by(A, B)
    if found.ok:
        n = len(prior)
        gain = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=2 * n, max_size=2 * n))).reshape(2, n)
        after = [ml.lab.posterior_vulnerability(prior, C, gain=gain) for C in (A, B)]
        assert after[1] <= after[0] + 1e-7 * np.abs(gain).max()
    else:
        assert found.earned[1] > found.earned[0]


@settings(max_examples=60)
@given(systems(), st.data())
def test_joins_and_meets_leak_no_more(system, data):
    """Fhat of these is supermodular (its negative where F is convex), so that columns that are larger and smaller
    everywhere leave more uncertainty (Americo, Khouzani, Malacaria), whatever the prior.
    """
    prior, channel = system
    m = channel.shape[1]
    y, z = data.draw(st.integers(0, m - 1)), data.draw(st.integers(0, m - 1))
    names = ["shannon", "min-entropy", "guesswork", "guess-error:2", "arimoto:0.5", "arimoto:2", "arimoto:7"]
    H = ml.entropy(data.draw(st.sampled_from(names)))
    C = channel.toarray()
    joined = C.copy()
    if y != z:
        joined[:, y], joined[:, z] = np.maximum(C[:, y], C[:, z]), np.minimum(C[:, y], C[:, z])
    for after in (joined, -np.sort(-C, axis=1)):
        assert at_most(H.conditional(prior, channel), H.conditional(prior, after))


@given(entropies(), priors(max_size=6), st.data())
def test_plans_are_best_in_their_worst_outcome(H, prior, data):
    """Every observable of a plan leaves H(pi), and every channel under the cap has one that leaves no more: H(X|Y) is
    between the least and the largest H of a posterior, and H(X|Y) <= H(pi).
    """
    k = data.draw(st.integers(1, len(prior)))
    channel = data.draw(capped_channels(len(prior), k))
    plan = ml.design(prior, k).channel()
    worst = min(H(q) for q in lab.posteriors(prior, channel).matrix.T)
    left = [H(q) for q in _columns(lab.posteriors(prior, plan).matrix)]
    assert max(left) == pytest.approx(min(left), rel=1e-9, abs=1e-9)
    assert at_most(worst, min(left)) or worst <= min(left) + 1e-9 * max(1.0, abs(worst))


def _columns(matrix):
    return (matrix if isinstance(matrix, np.ndarray) else matrix.toarray()).T


def test_plans_are_not_best_for_every_gain_outcome_by_outcome():
    """By enumeration: the pointwise maximal leakage, which gains that tell secrets apart decide, is less for buckets.

    Weights 4, 4, 1, 1 with k = 2. The plan shows a rare secret five times as likely as before; the buckets {0, 2} and
    {1, 3} show every secret twice as likely, and of all channels with two observables whose rows are quarters, none
    has a worst outcome that is better.
    """
    prior = [4, 4, 1, 1]
    plan = ml.design(prior, k=2).channel()
    assert lab.pointwise_maximal_leakage(prior, plan).largest == pytest.approx(math.log2(5))
    buckets = ml.Channel.deterministic(["a", "b", "a", "b"])
    assert lab.pointwise_maximal_leakage(prior, buckets).values == pytest.approx([1, 1])
    rows = [(i / 4, 1 - i / 4) for i in range(5)]
    tried = [np.array(C) for C in product(rows, repeat=4)]
    capped = [C for C in tried if (np.count_nonzero(C, axis=0) <= 2).all()]
    assert min(lab.pointwise_maximal_leakage(prior, C).largest for C in capped) == pytest.approx(1)
    assert ml.leakage(prior, plan, "shannon") < ml.leakage(prior, buckets, "shannon")


@given(st.integers(1, 5), st.data())
def test_for_equally_likely_secrets_they_are(n, data):
    """max over x of p(x given y)/p(x) >= 1/p(S) for a pre-image S, with equality in proportion to the prior: n/k."""
    k = data.draw(st.integers(1, n))
    channel = data.draw(capped_channels(n, k))
    uniform = ml.Prior.uniform(n)
    worst = lab.pointwise_maximal_leakage(uniform, channel)
    assert worst.values.min() >= math.log2(n / k) - 1e-9
    plan = lab.pointwise_maximal_leakage(uniform, ml.design(uniform, k).channel())
    assert plan.largest == pytest.approx(math.log2(n / k), abs=1e-9)


@settings(max_examples=30)
@given(systems(), st.data())
def test_independent_secrets_need_no_product(system, data):
    """Of channels on independent secrets Shannon's, min-entropy's and Arimoto's leakage add up, and so do maximal
    leakage and epsilons of pairs; vulnerabilities multiply.
    """
    p, A = system
    q, B = data.draw(systems())
    prior, both = ml.Prior(np.outer(p.p, q.p).ravel()), ml.Channel(lab.product(A, B).matrix)
    for H in ("shannon", "min-entropy", "arimoto:2"):
        assert ml.leakage(prior, both, H) == pytest.approx(ml.leakage(p, A, H) + ml.leakage(q, B, H), abs=1e-9)
    assert ml.lab.maximal_leakage(both) == pytest.approx(
        ml.lab.maximal_leakage(A) + ml.lab.maximal_leakage(B), abs=1e-9
    )
    after = ml.lab.posterior_vulnerability(p, A) * ml.lab.posterior_vulnerability(q, B)
    assert ml.lab.posterior_vulnerability(prior, both) == pytest.approx(after)
