"""The three conditional Renyi entropies that the paper rejects: observing increases them where it is said to."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minleak as ml
from minleak.lab.paper import Cachin, JizbaArimitsu, LogGuesswork, NonMonotone, RennerWolf
from minleak.testing import ORDERS
from paper.increases import find_increase

INCREASED = [
    *(Cachin(a) for a in (2, 3, 60, math.inf)),
    *(JizbaArimitsu(a) for a in (0.3, 0.9, 1.1, 2, 60, math.inf)),
    *(RennerWolf(a) for a in (0.3, 0.5, 0.9, 1)),
]
# By theorem: the mean of a concave H_a; log of the mean support and Shannon's; the least of entropies by convexity.
NEVER = [
    *(Cachin(a) for a in (0, 0.5, 1)),
    *(JizbaArimitsu(a) for a in (0, 1)),
    *(RennerWolf(a) for a in (0, 1.1, 2, math.inf)),
    *(ml.Arimoto(a) for a in (0.5, 2)),
    ml.lab.FehrBerens(2),
]


@pytest.mark.parametrize("H", INCREASED, ids=repr)
def test_a_joint_distribution_on_which_observing_increases_it(H):
    found = find_increase(H, trials=600)
    assert found.found
    assert found.amount > 1e-6
    assert found.channel.shape == (3, 2)
    again = H.conditional(found.prior, found.channel) - H(found.prior)
    assert again == pytest.approx(found.amount, abs=1e-12)
    assert ml.leakage(found.prior, found.channel, H) == pytest.approx(-found.amount, abs=1e-12)
    assert not H.monotone


@pytest.mark.parametrize("H", NEVER, ids=repr)
def test_nothing_is_found_where_there_is_nothing(H):
    found = find_increase(H, trials=600)
    assert not found.found
    assert found.amount <= 1e-9
    assert found.tried == 600


def test_cachin_increases_for_every_order_above_1_given_enough_secrets():
    """One half a known secret, one half any of many: alone the known one bounds H_a, the rest does not."""
    n, a = 4000, 1.5
    prior = np.full(n, 0.5 / (n - 1))
    prior[0] = 0.5
    known_or_not = np.eye(2)[[0] + [1] * (n - 1)]
    H = Cachin(a)
    assert H.conditional(prior, known_or_not) == pytest.approx(0.5 * math.log2(n - 1))
    assert H.conditional(prior, known_or_not) > H(prior) + 1
    assert ml.Arimoto(a).conditional(prior, known_or_not) < ml.Arimoto(a)(prior)


def test_renner_wolf_at_1_is_the_larger_of_two_limits():
    prior, channel = [1, 1, 1], [[1, 0], [0, 1], [0, 1]]
    below, at, above = (RennerWolf(a).conditional(prior, channel) for a in (1 - 1e-9, 1, 1 + 1e-9))
    assert below == pytest.approx(1)
    assert at == 1
    assert above == 0


@pytest.mark.parametrize("family", [Cachin, JizbaArimitsu, RennerWolf])
def test_they_are_marked_and_their_prior_entropy_is_renyis(family):
    assert issubclass(family, NonMonotone)
    for a in ORDERS:
        assert not family(a).monotone
        assert family(a)([5, 3, 2]) == pytest.approx(ml.Arimoto(a)([5, 3, 2]), rel=1e-14)
        assert family(a, base=math.e)([5, 3]) == pytest.approx(family(a)([5, 3]) * math.log(2), rel=1e-14)


def test_order_1_means_shannon_for_two_of_them():
    prior, channel = [5, 3, 2], [[0.5, 0.5], [0.25, 0.75], [1, 0]]
    shannon = ml.Shannon().conditional(prior, channel)
    for family in (Cachin, JizbaArimitsu):
        for a in (1 - 1e-12, 1, 1 + 1e-12):
            assert family(a).conditional(prior, channel) == pytest.approx(shannon, abs=1e-11)


def test_the_search_repeats_itself_and_takes_other_sizes():
    H = JizbaArimitsu(2)
    first, second, other = (find_increase(H, n=2, m=4, trials=200, seed=seed) for seed in (3, 3, 4))
    assert first.amount == second.amount != other.amount
    assert first.channel.shape == (2, 4)


def test_the_logarithm_of_guesswork():
    """Before and after, in bits and nats; a plan takes it as any entropy of the theorem."""
    weights, channel = [4, 3, 2, 1], [[1, 0], [1, 0], [0, 1], [0, 1]]
    guesses = ml.Guesswork()
    assert LogGuesswork()(weights) == pytest.approx(1)
    assert LogGuesswork(base=math.e).conditional(weights, channel) == pytest.approx(
        math.log(guesses.conditional(weights, channel))
    )
    plan = ml.design(weights, k=2)
    assert plan.entropy(LogGuesswork()) == pytest.approx(math.log2(plan.entropy("guesswork")))
