"""Observing never helps the defender: leakage is not negative, and processing an observation never adds to it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.rounding import at_most

import minleak as ml
from minleak.testing import AWAY_FROM_ONE, channels, entropies, gains, systems

# Where |Gp| is not 1, H_g grows like log|Gp| / (1-a): next to order 1 a rounding of |Gp| is all that is left of it.
WITH_GAINS = (*AWAY_FROM_ONE, 1.0)


@given(entropies(), systems())
def test_leakage_is_not_negative(H, system):
    """H(X|Y) <= H(X) for every entropy of the form eta(sum of Fhat) (Proposition 2a)."""
    prior, channel = system
    assert at_most(H.conditional(prior, channel), H(prior))


@given(entropies(), systems(), st.data())
def test_data_processing(H, system, data):
    """H(X|Y) <= H(X|Z) for X -> Y -> Z (Proposition 2b)."""
    prior, channel = system
    further = data.draw(channels(channel.shape[1]))
    assert at_most(H.conditional(prior, channel), H.conditional(prior, channel @ further))


@given(entropies(), systems())
def test_independent_observations_leak_nothing(H, system):
    """H(X|Y) = H(X) if Y is independent of X: all rows are equal."""
    prior, channel = system
    same = ml.Channel([channel.toarray()[0]] * len(prior))
    after, before = H.conditional(prior, same), H(prior)
    assert at_most(after, before)
    assert at_most(before, after)


@given(entropies(orders=WITH_GAINS), systems(), st.data())
def test_leakage_under_gains_is_not_negative(H, system, data):
    """H_g(X|Y) <= H_g(X) for every matrix G of gains that are not negative (Proposition 3)."""
    prior, channel = system
    Hg = ml.Gain(H, data.draw(gains(len(prior))))
    assert at_most(Hg.conditional(prior, channel), Hg(prior))


@given(entropies(orders=WITH_GAINS), systems(), st.data())
def test_data_processing_under_gains(H, system, data):
    """H_g(X|Y) <= H_g(X|Z) for X -> Y -> Z."""
    prior, channel = system
    Hg = ml.Gain(H, data.draw(gains(len(prior))))
    further = data.draw(channels(channel.shape[1]))
    assert at_most(Hg.conditional(prior, channel), Hg.conditional(prior, channel @ further))
