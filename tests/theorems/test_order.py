"""Entropies see only the shape of a distribution, and the flatter it is the larger they are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.rounding import at_most, equal

import minleak as ml
from minleak.testing import entropies, priors, systems


@given(entropies(), priors(min_size=2), st.data())
def test_schur_concavity(H, prior, data):
    """a majorizes b implies H(a) <= H(b): b is a after giving from likelier secrets to less likely ones."""
    weights = 2 * prior.weights
    for _ in range(data.draw(st.integers(1, 3))):
        rich, poor = sorted(data.draw(st.lists(st.integers(0, len(prior) - 1), min_size=2, max_size=2)))
        if weights[rich] < weights[poor]:
            rich, poor = poor, rich
        given_away = data.draw(st.integers(0, int(weights[rich] - weights[poor]) // 2))
        weights[rich] -= given_away
        weights[poor] += given_away
    assert ml.lab.majorizes(prior, weights)
    assert at_most(H(prior), H(weights))


@given(entropies(), priors())
def test_the_extremes(H, prior):
    """H(point mass) <= H(p) <= H(uniform on as many secrets as are possible)."""
    possible = np.count_nonzero(prior.weights)
    assert at_most(H([1]), H(prior))
    assert at_most(H(prior), H([1] * possible))


@given(entropies(), systems(), st.randoms(use_true_random=False))
def test_symmetry(H, system, random):
    """Neither H(X) nor H(X|Y) depends on the order of the secrets or of the observables."""
    prior, channel = system
    n, m = channel.shape
    x, y = random.sample(range(n), n), random.sample(range(m), m)
    assert equal(H(prior.weights[x]), H(prior))
    assert equal(H.conditional(prior.weights[x], channel.toarray()[x][:, y]), H.conditional(prior, channel))


@given(entropies(), systems(), st.data())
def test_expansibility(H, system, data):
    """A secret of probability zero, whatever it shows, and observables of probability zero change nothing."""
    prior, channel = system
    n, m = channel.shape
    x = data.draw(st.integers(0, n))
    row = np.zeros(m + 2)
    row[data.draw(st.integers(0, m + 1))] = 1  # an observable that the others share, or one of its own
    wider = np.pad(channel.toarray(), ((0, 0), (0, 2)))
    padded, matrix = np.insert(prior.weights, x, 0), np.insert(wider, x, row, axis=0)
    assert equal(H(padded), H(prior))
    assert equal(H.conditional(padded, matrix), H.conditional(prior, channel))
