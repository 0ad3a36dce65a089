"""Shannon's entropy: bits that an observable tells."""

import numpy as np
import pytest
from tests.abilities.names import Shannon, leakage


def test_bits():
    p, c = np.array([0.5, 0.3, 0.2]), np.array([[0.9, 0.1, 0], [0, 1, 0], [0, 0.5, 0.5]])
    joint = p[:, None] * c
    ratio = np.divide(joint, p[:, None] * joint.sum(axis=0), out=np.ones_like(joint), where=joint > 0)
    assert leakage([5, 3, 2], c, Shannon()) == pytest.approx((joint * np.log2(ratio)).sum(), abs=1e-12)
    assert leakage([2, 1, 1], [[1, 0], [0, 1], [0, 1]], "shannon") == 1.0
    assert leakage([2, 1, 1], [[1, 0], [0, 1], [0, 1]], Shannon(base=4)) == pytest.approx(0.5)
