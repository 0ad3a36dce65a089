"""An entropy of one's own, from eta and a core."""

import numpy as np
import pytest
from tests.abilities.names import CoreConcave, design, leakage


def test_gini():
    gini = CoreConcave(lambda z: z, core=lambda p: 1 - (p**2).sum(), name="gini")
    p, c = np.array([0.5, 0.3, 0.2]), np.array([[0.9, 0.1, 0], [0, 1, 0], [0, 0.5, 0.5]])
    joint = p[:, None] * c
    known = (joint**2 / joint.sum(axis=0)).sum() - (p**2).sum()
    assert leakage([5, 3, 2], c, gini) == pytest.approx(known, abs=1e-12)
    assert design([1, 1, 1, 1], 2).leakage(gini) == pytest.approx(0.25)  # 1 - 1/4 before, 1 - 1/2 after
