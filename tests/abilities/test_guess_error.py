"""Guess error: the probability that l guesses all fail."""

import numpy as np
import pytest
from tests.abilities.names import GuessError, leakage


@pytest.mark.parametrize("guesses", [1, 2])
def test_guesses(guesses):
    p, c = np.array([0.4, 0.3, 0.2, 0.1]), np.array([[1, 0], [0.5, 0.5], [0, 1], [0.25, 0.75]])
    after = -np.sort(-(p[:, None] * c), axis=0)[:guesses].sum()
    assert leakage([4, 3, 2, 1], c, GuessError(guesses)) == pytest.approx(after - p[:guesses].sum(), abs=1e-12)
    assert leakage([4, 3, 2, 1], c, f"guess-error:{guesses}") == pytest.approx(after - p[:guesses].sum(), abs=1e-12)
