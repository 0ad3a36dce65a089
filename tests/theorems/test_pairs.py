"""Allowed sets of at most two secrets, such as those of a path, are no matroid, and still have one optimum for all.

If a channel shows x with posterior theta_x wherever it shows x, and theta_x + theta_y <= 1 on every allowed pair, it is
optimal in every symmetric, core-concave entropy.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.lab import matroid_optimum

PATH = [{0, 1}, {1, 2}, {2, 3}]
ENTROPIES = ["shannon", "min-entropy", "guesswork", "arimoto:0.5", "arimoto:2", "arimoto:7", "hayashi:2", "tsallis:4"]
# Weights along the path, and for each pair the weight of its two members that is shown by it.
SHOWN = {
    (3, 2, 1, 1): [(3, 2), (0, 0), (1, 1)],
    (1, 3, 1, 1): [(1, 2), (1, Fraction(1, 2)), (Fraction(1, 2), 1)],
    (2, 1, 1, 2): [(2, 1), (0, 0), (1, 2)],
    (3, 1, 2, 3): [(3, 1), (0, 0), (2, 3)],
}


@pytest.mark.parametrize("weights", SHOWN)
def test_one_channel_of_a_path_is_best_in_every_entropy(weights):
    """The two properties in Fractions; then each entropy against the certified optimum of the convex programme."""
    joint = np.full((4, 3), Fraction(0), dtype=object)
    for y, (pair, shown) in enumerate(zip(PATH, SHOWN[weights], strict=True)):
        joint[sorted(pair), y] = shown
    assert joint.sum(axis=1).tolist() == list(weights)
    theta = [{joint[x, y] / joint[:, y].sum() for y in range(3) if joint[x, y]} for x in range(4)]
    assert [len(posteriors) for posteriors in theta] == [1] * 4
    assert all(sum(max(theta[x]) for x in pair) <= 1 for pair in PATH)
    channel = ml.Channel(joint / np.array([[Fraction(w)] for w in weights], dtype=object))
    allowed = np.array([[x in pair for pair in PATH] for x in range(4)])
    for name in ENTROPIES:
        best = ml.lab.optimise(weights, entropy=name, allowed=allowed)
        assert best.bound <= ml.leakage(weights, channel, name) + 1e-9
        assert ml.leakage(weights, channel, name) == pytest.approx(best.leakage, abs=2e-6)


def test_the_refusal_of_pairs_does_not_say_that_they_have_no_optimum():
    allowed = [set(), {0}, {1}, {2}, {3}, *PATH]
    with pytest.raises(InvalidParameter, match="must be the independent sets of a matroid") as refused:
        matroid_optimum([3, 2, 1, 1], lambda some: set(some) in allowed)
    assert "no optimum" not in str(refused.value)
    assert "all entropies" not in str(refused.value)
