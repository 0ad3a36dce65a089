"""A plan against attackers to whom some secrets are worth more."""

from fractions import Fraction

import numpy as np
import pytest
from tests.abilities.names import certify, design, exact_target

WEIGHTS, GAINS = [5, 4, 3, 2, 1], [1, 1, 2, 1, 6]


def test_value_of_a_guess():
    plan = design(WEIGHTS, 2, gains=GAINS)
    assert certify(plan, WEIGHTS, gains=GAINS).ok
    worth = [w * g for w, g in zip(WEIGHTS, GAINS, strict=True)]  # 5, 4, 6, 2, 6 of 23
    assert exact_target(plan) == (Fraction(1, 2), Fraction(1, 2))
    matrix = np.asarray(plan.channel().toarray())
    after = (np.array(worth)[:, None] / 15 * matrix).max(axis=0).sum()
    assert after == pytest.approx(sum(worth) / 2 / 15)
    assert plan.leakage("min-entropy") == pytest.approx(np.log2(after / (max(worth) / 15)))
