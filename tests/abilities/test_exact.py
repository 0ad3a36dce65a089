"""Exact answers: targets and channels in Fractions."""

from fractions import Fraction

import numpy as np
from tests.abilities.names import Channel, design, exact_channel, exact_target, refined_by


def test_target():
    assert exact_target(design([7, 5, 3, 1], 3)) == (Fraction(7, 16), Fraction(5, 16), Fraction(4, 16))
    assert exact_target(design([2**60 + 1, 2**60, 1], 2)) == (Fraction(1, 2), Fraction(1, 2))


def test_channel():
    weights = [7, 5, 3, 1]
    matrix = exact_channel(design(weights, 2).channel(exact=True))
    assert all(sum(row) == 1 for row in matrix)
    joint = np.array(weights, dtype=object)[:, None] * matrix
    assert sum(max(column) for column in joint.T) == Fraction(8)  # half of 16: the exact success
    half = Fraction(1, 2)
    told = Channel([[half, half, 0], [0, half, half]])
    assert refined_by(told, Channel([[half, half], [0, 1]])).exact
