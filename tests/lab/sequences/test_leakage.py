"""sequence_leakage against all walks listed, against each other, and on walks that the chain does not know."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.lab.sequences import Chain

RING = Chain([3, 1, 2, 2], [[2, 1, 0, 1], [1, 2, 1, 0], [0, 1, 2, 1], [1, 0, 1, 2]], backoff=1)
OTHER = Chain([1, 1, 1, 1], [[0, 5, 0, 1], [1, 0, 5, 0], [0, 1, 0, 5], [5, 0, 1, 0]], backoff=1)


def listed(chain, channel, steps):
    """Success of both attackers by listing all walks and all that can be shown of them."""
    n, m = channel.shape
    C, P = channel.toarray(), chain.probabilities(np.arange(n)[:, None], np.arange(n)[None, :])
    filtered, smoothed = np.zeros(steps), np.zeros(steps)
    walks = list(product(range(n), repeat=steps))
    chance = [chain.initial.p[w[0]] * np.prod([P[a, b] for a, b in pairwise(w)]) for w in walks]
    for t in range(steps):
        for result, upto in ((filtered, t + 1), (smoothed, steps)):
            for seen in product(range(m), repeat=upto):
                masses = np.zeros(n)
                for walk, p in zip(walks, chance, strict=True):
                    masses[walk[t]] += p * np.prod([C[x, y] for x, y in zip(walk, seen, strict=False)])
                result[t] += masses.max()
    return filtered, smoothed


@pytest.mark.parametrize(
    "channel",
    [
        ml.Channel([[1, 0], [1, 0], [0, 1], [0, 1]]),
        ml.Channel([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7], [0, 1]]),
        ml.design([1, 1, 1, 1], 3).channel(),
    ],
)
def test_the_recursion_is_the_sum_over_all_walks(channel):
    """Forward and backward on a small chain, exactly; and simulated, within the intervals."""
    exact = ml.lab.sequences.leakage(RING, channel, steps=3)
    assert exact.exact
    filtered, smoothed = listed(RING, channel, 3)
    assert np.allclose(exact.filtered.values, filtered)
    assert np.allclose(exact.smoothed.values, smoothed)
    assert exact.filtered.low == exact.filtered.values == exact.filtered.high
    drawn = ml.lab.sequences.leakage(RING, channel, steps=3, trials=4000, exact=False)
    for name in ("filtered", "smoothed", "filtered_bits", "smoothed_bits"):
        for value, low, high in zip(
            getattr(exact, name), getattr(drawn, name).low, getattr(drawn, name).high, strict=True
        ):
            assert low - 0.005 <= value <= high + 0.005


def test_a_plan_and_its_channel_are_the_same():
    """The sets of a plan, drawn by its sampler or as a channel."""
    plan = ml.design(RING.marginal, 3)
    by_plan, by_channel = (ml.lab.sequences.leakage(RING, way, steps=4) for way in (plan, plan.channel()))
    assert by_plan.exact
    assert np.allclose(by_plan.smoothed.values, by_channel.smoothed.values)
    drawn = ml.lab.sequences.leakage(RING, plan, steps=4, trials=4000, exact=False)
    assert np.allclose(drawn.smoothed.values, by_plan.smoothed.values, atol=0.02)


def test_blocks_are_shown_as_fixed_buckets_are():
    """By name or as a plan."""
    blocks = ml.design(RING.marginal, 3, layout="blocks")
    by_plan, by_name = (
        ml.lab.sequences.leakage(RING, blocks, steps=3),
        ml.lab.sequences.leakage(RING, "buckets", k=3, steps=3),
    )
    assert by_plan.exact
    assert by_plan.smoothed == by_name.smoothed


def test_tracks_give_nothing_but_what_is_shared():
    """Filtering and smoothing are the same, and one in k where no two tracks must meet."""
    wide = Chain([1] * 9, np.eye(9, k=1, dtype=int) + np.eye(9, k=-8, dtype=int), backoff=1)
    found = ml.lab.sequences.leakage(wide, ml.lab.sequences.Tracks(wide, 3), steps=5, trials=20)
    assert found.filtered == found.smoothed
    assert np.allclose(found.filtered.values, 1 / 3, atol=1e-15)
    assert found.smoothed_bits[4] == pytest.approx(np.log2(3))
    others = ml.lab.sequences.baselines(wide, 3, steps=5, trials=20)
    assert [row.k for row in others.rows] == [3] * 5
    assert max(others.rows[0].smoothed) <= min(max(row.smoothed) for row in others.rows[1:])
    assert "independent decoy walks" in str(others)
    assert len(str(found).splitlines()) > 3


def test_a_wrong_chain_lets_the_track_fall():
    """Evidence is the mean of log Q/P over the truth's moves, and the attacker who knows Q comes to be right."""
    right = ml.lab.sequences.leakage(RING, "tracks", k=2, steps=5, trials=20, truth=RING)
    assert right.evidence == pytest.approx(0)
    assert right.filtered == ml.lab.sequences.leakage(RING, "tracks", k=2, steps=5, trials=20).filtered
    wrong = ml.lab.sequences.leakage(RING, "tracks", k=2, steps=10, trials=60, truth=OTHER)
    P, Q = (c.probabilities(np.arange(4)[:, None], np.arange(4)[None, :]) for c in (RING, OTHER))
    expected = OTHER.stationary() @ (Q * np.log2(Q / P)).sum(axis=1)
    assert wrong.evidence == pytest.approx(expected, abs=0.15)
    assert wrong.filtered[9] > wrong.filtered[0] + 0.2
    assert wrong.falls is not None
    assert wrong.smoothed[0] > 0.8


def test_walks_that_happened_are_judged_by_right_or_wrong():
    """Of walks by the chain itself others tell next to nothing; of walks by habit they tell which is true."""
    fair = RING.simulate(8, walks=60, seed=4)
    found = ml.lab.sequences.leakage(RING, "tracks", k=2, steps=8, trials=50, truth=fair)
    assert found.trials == 50
    assert found.smoothed[7] < 0.8
    habit = [[0, 1, 2, 3] * 2 for _ in range(20)]
    found = ml.lab.sequences.leakage(RING, "tracks", k=2, steps=8, truth=habit)
    assert found.smoothed[7] > 0.9
    assert found.evidence > 0.5
    assert f"evidence {found.evidence:.4f} bits a step; " in str(found)
    one = ml.lab.sequences.leakage(RING, "tracks", k=2, steps=1, truth=habit)
    assert one.evidence == 0  # there is no move to learn from
    assert 0.5 <= one.filtered[0] <= 1


def test_what_the_truth_does_that_the_chain_cannot():
    """Moves of probability zero cut the link; nothing breaks."""
    sparse = Chain([1, 1, 1], [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    free = Chain([1, 1, 1], np.ones((3, 3), dtype=int))
    for name in ("tracks", "plan", "decoys", "predictive", "buckets"):
        found = ml.lab.sequences.leakage(sparse, name, k=2, steps=4, trials=10, truth=free)
        assert all(
            0 <= low <= value <= high <= 1
            for value, low, high in zip(found.filtered, found.filtered.low, found.filtered.high, strict=True)
        )


@pytest.mark.parametrize(
    ("arguments", "options", "word"),
    [
        ((RING, "tracks"), {}, "k="),
        ((RING, "magic"), {"k": 2}, "one of"),
        ((RING, None), {}, "one of"),
        ((RING, "decoys"), {"k": 2, "steps": 10_000, "trials": 10**6}, "too much to keep"),
        (("chain", "tracks"), {"k": 2}, "Chain"),
        ((RING, "tracks"), {"k": 0}, "k is"),
        ((RING, "tracks"), {"k": 2, "steps": 0}, "steps"),
        ((RING, "tracks"), {"k": 2, "trials": 1}, "trials"),
        ((RING, "tracks"), {"k": 2, "seed": -1}, "seed"),
        ((RING, "tracks"), {"k": 2, "exact": "yes"}, "exact"),
        ((RING, "tracks"), {"k": 2, "exact": True}, "exactly"),
        ((RING, "buckets"), {"k": 2, "exact": True, "steps": 30}, "exactly"),
        ((RING, "plan"), {"k": 2, "exact": True, "truth": OTHER}, "truth"),
        ((RING, ml.Channel([[1.0]])), {}, "the channel has 1 rows and the chain"),
        ((RING, ml.design([1, 1], 2)), {}, "the plan has 2 secrets and the chain"),
        ((RING, ml.lab.sequences.Tracks(RING, 2)), {"k": 2}, "k="),
        (
            (RING, ml.lab.sequences.Tracks(Chain([1], [[1]]), 2)),
            {},
            "the chain of the tracks has 1 states and the chain",
        ),
        ((RING, "tracks"), {"k": 2, "truth": Chain([1], [[1]])}, "the chain of the truth has 1 states and the chain"),
        ((RING, "tracks"), {"k": 2, "truth": [[0, 1]]}, "two are needed"),
        ((RING, "tracks"), {"k": 2, "truth": [[0, "hidden"] * 20] * 2}, "does not know"),
        ((RING, "tracks"), {"k": 2, "truth": 3}, "walks"),
    ],
)
def test_refusals_say_what_is_wrong(arguments, options, word):
    """In one line."""
    with pytest.raises(InvalidParameter, match=word):
        ml.lab.sequences.leakage(*arguments, **options)
