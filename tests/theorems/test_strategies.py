"""The strategies that users get: what they draw is valid, and varied enough to be worth drawing."""

from __future__ import annotations

from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

import minleak as ml
from minleak.testing import channels, entropies, priors, systems


@given(st.integers(1, 4).flatmap(lambda n: priors(min_size=n, max_size=n + 2)))
def test_priors_are_exact(prior):
    """Integer weights, of the sizes asked for."""
    assert prior.exact
    assert 1 <= len(prior) <= 6


@given(systems())
def test_systems_fit(system):
    """The channel is one for the prior."""
    prior, channel = system
    assert channel.shape[0] == len(prior)
    assert abs(ml.lab.Joint(prior, channel).output().sum() - 1) < 1e-12


@given(entropies())
def test_entropies_measure(H):
    """Each has a name and a value that is not negative."""
    assert H.name
    assert H([2, 1, 1]) >= 0


def drawn(strategy, wanted):
    """Whether such an example turns up among the first few hundred, without searching for the simplest."""
    return find(strategy, wanted, settings=settings(max_examples=500, phases=[Phase.generate]))


def test_the_hard_cases_are_among_them():
    """Ties, zeros, impossible observables and repeated rows are drawn."""
    assert drawn(priors(), lambda prior: len(set(prior.weights.tolist())) < len(prior))
    assert drawn(priors(), lambda prior: 0 in prior.weights)
    assert drawn(channels(3), lambda channel: 0 in channel.preimage_sizes)
    assert drawn(channels(2), lambda channel: (channel.toarray()[0] == channel.toarray()[1]).all())
    assert drawn(entropies(), lambda H: isinstance(H, ml.Arimoto) and H.alpha == 0)
