"""What is shown and what attackers make of it, in cases that can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.lab.sequences import Chain
from minleak.lab.sequences._beliefs import Attacker, LearningAttacker, ShownTracks, score_guesses
from minleak.lab.sequences._schemes import NAMES, as_scheme

RING = Chain([3, 1, 2, 2], [[2, 1, 0, 1], [1, 2, 1, 0], [0, 1, 2, 1], [1, 0, 1, 2]], backoff=1)
OTHER = Chain([1, 1, 1, 1], [[0, 5, 0, 1], [1, 0, 5, 0], [0, 1, 0, 5], [5, 0, 1, 0]], backoff=1)


def test_a_guess_is_judged():
    """Members of one state count together, nobody is no guess, and of equally likely states one is taken at random."""
    members = np.array([[[5, 3, -1, 3]]])
    best, bits = score_guesses(members, np.array([[[0.4, 0.25, 0.0, 0.35]]]), None)
    assert best.item() == pytest.approx(0.6)
    assert bits.item() == pytest.approx(-(0.4 * np.log2(0.4) + 0.6 * np.log2(0.6)))
    for weights, truth, right in [
        ([0.4, 0.3, 0, 0.3], 3, 1),
        ([0.4, 0.3, 0, 0.3], 5, 0),
        ([0.5, 0.25, 0, 0.25], 3, 0.5),
        ([0.5, 0.25, 0, 0.25], 7, 0),
        ([0.1, 0.05, 0.8, 0.05], -1, 0),
    ]:
        assert score_guesses(members, np.array([[weights]]), np.array([[truth]]))[0].item() == right


def test_a_cut_forgets():
    """Odds are the product of Q/P over the moves since the last cut; who smooths knows no more than its last step."""
    members = np.array([[[0, 1]], [[1, 1]], [[3, 2]], [[0, 3]]])
    cuts = np.array([[False], [False], [True], [False]])
    filtered, smoothed = ShownTracks(RING, members, cuts).posteriors(Attacker(OTHER), slice(0, 1))

    def odds(steps):
        made = 1.0
        for a, b in steps:
            made *= OTHER.probability(a, b) / RING.probability(a, b)
        return made

    first = [OTHER.initial.p[x] / RING.initial.p[x] for x in (0, 1)]
    expected = [
        first,
        [first[0] * odds([(0, 1)]), first[1] * odds([(1, 1)])],
        [1, 1],
        [odds([(3, 0)]), odds([(2, 3)])],
    ]
    for t, weights in enumerate(expected):
        assert filtered[t, 0] == pytest.approx(np.array(weights) / sum(weights))
    assert np.allclose(smoothed[:, 0], filtered[[1, 1, 3, 3], 0])


def test_the_walk_itself_is_left_out():
    """Of three walks the attacker of one has seen the moves of the two others."""
    walks = np.array([[0, 1, 0, 1], [0, 1, 2, 3], [0, 3, 2, 3]])
    attacker = LearningAttacker(RING, walks)
    s = attacker._strength
    found = attacker.moves(np.array([0]), np.array([1]), np.array([0, 1, 2]))
    p = RING.probability(0, 1)
    assert found == pytest.approx([(1 + s * p) / (2 + s), (2 + s * p) / (3 + s), (3 + s * p) / (3 + s)])


@pytest.mark.parametrize("name", NAMES)
def test_the_true_state_is_shown(name):
    """At every step, by every way; walks side by side have it at one place all along."""
    rng = np.random.default_rng(1)
    walks = RING.simulate_positions(4, 30, rng)
    seen = as_scheme(RING, name, 2).show(RING, walks, rng, lambda _done, _of: None)
    there = seen.members == walks.T[..., None]
    assert there.any(axis=-1).all()
    if name in ("tracks", "decoys"):
        assert there.all(axis=0).any(axis=-1).all()


def test_the_plan_for_the_prediction_follows_it():
    """Where each state has one successor, the set moves as they do, and nothing is learnt; sets of a plan tell more."""
    turning = Chain([1] * 6, np.eye(6, dtype=int)[[1, 2, 0, 5, 3, 4]])
    predicted, plan = (
        ml.lab.sequences.leakage(turning, name, k=2, steps=4, trials=20) for name in ("predictive", "plan")
    )
    assert predicted.smoothed.values == pytest.approx((0.5,) * 4)
    assert plan.filtered[3] > 0.6
