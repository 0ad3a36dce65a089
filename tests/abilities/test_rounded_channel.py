"""Any channel in integers, drawn from by a cloak."""

import numpy as np
import pytest
from tests.abilities.names import Cloak, Key, certify, load, optimise, rounded


def test_draws(tmp_path):
    best = optimise([5, 3, 2], cost=1 - np.eye(3), budget=0.3, outputs=["north", "east", "south"])
    rows = rounded(best.channel, [5, 3, 2])
    assert rows.distance(best.channel) < 1e-12
    cloak = Cloak(rows, key=Key(bytes(32)))
    assert cloak.draw(1, scope="ann") == cloak.draw(1, scope="ann")
    drawn = [cloak.draw(1, scope=f"user-{i}") for i in range(4000)]
    for name, share in zip(best.channel.outputs, np.asarray(best.channel.toarray())[1], strict=True):
        assert sum(name in shown for shown in drawn) / 4000 == pytest.approx(share, abs=0.03)
    rows.save(tmp_path / "where.cloak")
    assert Cloak(load(tmp_path / "where.cloak"), key=Key(bytes(32))).draw(1, scope="ann") == cloak.draw(1, scope="ann")
    assert Cloak(best, key=Key(bytes(32))).draw(1, scope="ann")[0] in ("north", "east", "south")
    assert rows.leakage("shannon") == pytest.approx(best.leakage, abs=1e-9)
    assert certify(rows, [5, 3, 2]).ok
