"""Blocks: each secret always shows the same set; no key is needed."""

import numpy as np
import pytest
from tests.abilities.names import Blocks, Cloak, certify, design, leakage

WEIGHTS = [50, 20, 9, 8, 7, 3, 2, 1]


def test_neighbours_in_order_of_weight():
    plan = design(WEIGHTS, 3, layout=Blocks())
    blocks = sorted(tuple(sorted(members)) for members, _ in plan.sets())
    assert sorted(x for block in blocks for x in block) == list(range(8))  # a partition
    heaviest = sum(max(WEIGHTS[x] for x in block) for block in blocks)
    assert plan.success == pytest.approx(heaviest / 100)
    assert certify(plan, WEIGHTS).ok
    of = np.array([next(i for i, block in enumerate(blocks) if x in block) for x in range(8)])
    assert plan.leakage("shannon") == pytest.approx(leakage(WEIGHTS, np.eye(len(blocks))[of], "shannon"))
    assert sorted(Cloak(plan).draw(4)) == list(blocks[of[4]])
