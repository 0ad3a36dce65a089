"""Between near and stable: decoys farther away, which tell less when drawn anew."""

from itertools import product

import numpy as np
from tests.abilities.names import Near, certify, cost, design, repeated

GRID = np.array(list(product(range(6), range(4))), dtype=float)
WEIGHTS = [3 + (7 * i) % 11 for i in range(24)]


def test_a_trade():
    plans = [design(WEIGHTS, 3, layout=Near(GRID, stability=share)) for share in (0, 0.5, 1)]
    assert all(certify(plan, WEIGHTS).ok for plan in plans)
    costs = [cost(plan) for plan in plans]
    assert costs[0] < costs[1] < costs[2]
    named = [repeated(plan, [5], trials=4000, rng=0).success[0] for plan in plans]
    assert named[0] > named[2]
