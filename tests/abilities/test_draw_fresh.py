"""Fresh draws: as often as the channel says."""

import numpy as np
import pytest
from tests.abilities.names import Cloak, Key, design

WEIGHTS = [5, 4, 3, 2, 1, 1]


def test_shares():
    plan = design(WEIGHTS, 2)
    channel = plan.channel()
    drawn = Cloak(plan, insecure_seed_for_experiments=1).draw_many(np.full(20_000, 1), fresh=True)
    shown = [tuple(row) for row in np.sort(drawn, axis=1).tolist()]
    row = np.asarray(channel.toarray())[1]
    for members, share in zip(channel.outputs, row, strict=True):
        assert shown.count(tuple(sorted(members))) / 20_000 == pytest.approx(share, abs=0.015)


def test_one():
    assert 2 in Cloak(design(WEIGHTS, 2), key=Key(bytes(32))).draw_fresh(2)
