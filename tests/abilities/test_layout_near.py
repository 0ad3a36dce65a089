"""Near decoys: as little leakage as any plan, at the least distance, with a bound that proves it."""

from itertools import product

import numpy as np
import pytest
from tests.abilities.names import Near, certify, cost, cost_bound, decoy_distances, design, exact_target

GRID = np.array(list(product(range(6), range(4))), dtype=float)
WEIGHTS = [3 + (7 * i) % 11 for i in range(24)]


def test_cost_and_bound():
    near, stable = design(WEIGHTS, 3, layout=Near(GRID)), design(WEIGHTS, 3)
    assert exact_target(near) == exact_target(stable)
    assert certify(near, WEIGHTS).ok
    far = np.linalg.norm(GRID[:, None] - GRID, axis=2)
    stars = sum(float(share) * far[:, members].sum(axis=1).min() / 3 for members, share in near.sets())
    assert cost(near) == pytest.approx(stars)
    assert cost_bound(near) <= cost(near) <= 1.05 * cost_bound(near)
    drawn = decoy_distances(near, [0.5, 1.0])
    assert 1 <= drawn[0] <= drawn[1] <= far.max()


def test_haversine():
    places = [(48.85, 2.35), (51.51, -0.13), (52.52, 13.41), (41.9, 12.5)]  # Paris, London, Berlin, Rome
    plan = design([1, 1, 1, 1], 2, layout=Near(places, metric="haversine"))
    assert {tuple(sorted(members)) for members, _ in plan.sets()} == {(0, 1), (2, 3)}
    assert cost(plan) == pytest.approx((343 + 1184) / 4, abs=1)  # kilometres; a set of two costs half its length
