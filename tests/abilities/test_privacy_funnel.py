"""The privacy funnel: the least told of a secret by what tells enough of something else."""

import numpy as np
import pytest
from tests.abilities.names import leakage, privacy_funnel


def test_gap():
    found = privacy_funnel([1, 1], [[0.9, 0.1], [0.1, 0.9]], utility=0.5)
    assert found.leakage == pytest.approx(0.265502203, abs=1e-6)
    assert found.bound <= found.leakage <= found.bound + 1e-6
    assert found.utility >= 0.5 - 1e-9
    shown = np.array([[0.9, 0.1], [0.1, 0.9]]) @ np.asarray(found.channel.toarray())
    assert leakage([1, 1], shown, "shannon") == pytest.approx(found.leakage, abs=1e-6)
