"""How far decoys are: quantiles against every draw spelt out."""

from __future__ import annotations

import numpy as np
import pytest
from tests.near.listing import euclidean

import minleak as ml
from minleak.errors import InvalidParameter


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_quantiles_of_all_draws(k):
    """Each set counts by its length for each member as the secret: listed one unit at a time."""
    rng = np.random.default_rng(k)
    weights, points = rng.integers(1, 9, 9), rng.integers(0, 20, (9, 2))
    plan = ml.design(weights, k, layout=ml.Near(points))
    distances = euclidean(points)
    draws = []
    for sets, lengths in plan.cells():
        for members, length in zip(sets[:, plan.n_giants :].tolist(), lengths.tolist(), strict=True):
            for x in members:
                mean = sum(distances[x, y] for y in members) / max(plan.u - 1, 1)
                draws += [mean] * length
    draws.sort()
    for share in (0.1, 0.5, 0.9, 1.0):
        at = max(int(np.ceil(share * len(draws))) - 1, 0)
        assert ml.decoy_distances(plan, [share])[0] == pytest.approx(draws[at], abs=1e-12)


def test_refusals():
    """Plans without places, and shares that are none."""
    with pytest.raises(InvalidParameter, match=r"layout=Near\(points\)"):
        ml.decoy_distances(ml.design([3, 2, 2], 2))
    with pytest.raises(InvalidParameter, match="from 0 to 1"):
        ml.decoy_distances(ml.design([3, 2, 2], 2, layout=ml.Near([1, 2, 3])), [1.5])


@pytest.mark.parametrize("shares", [0.5, ["a"], "half", None, [[0.5]], [float("nan")], [[0.5], 1]])
def test_shares_that_are_no_list_of_numbers(shares):
    """Refused with what they should be."""
    with pytest.raises(InvalidParameter, match="list of numbers from 0 to 1"):
        ml.decoy_distances(ml.design([3, 2, 2], 2, layout=ml.Near([1, 2, 3])), shares)
