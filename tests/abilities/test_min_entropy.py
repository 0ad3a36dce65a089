"""Min-entropy: the logarithm of the ratio of right guesses after and before."""

import numpy as np
import pytest
from tests.abilities.names import MinEntropy, leakage


def test_one_guess():
    c = np.array([[0.9, 0.1, 0], [0, 1, 0], [0, 0.5, 0.5]])
    after = (np.array([0.5, 0.3, 0.2])[:, None] * c).max(axis=0).sum()
    assert leakage([5, 3, 2], c, MinEntropy()) == pytest.approx(np.log2(after / 0.5), abs=1e-12)
    assert leakage([1, 1, 1, 1], np.eye(4), "min-entropy") == 2
