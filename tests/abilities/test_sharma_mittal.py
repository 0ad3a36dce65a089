"""Sharma and Mittal's entropies, and Tsallis's among them, in nats."""

import numpy as np
import pytest
from tests.abilities.names import SharmaMittal, Tsallis, leakage

P, C = np.array([0.5, 0.3, 0.2]), np.array([[0.9, 0.1, 0], [0, 1, 0], [0, 0.5, 0.5]])


def z(joint, a):
    y = joint.sum(axis=0)
    return (y * ((joint / y) ** a).sum(axis=0)).sum()


@pytest.mark.parametrize(("a", "b"), [(2, 0.5), (0.5, 3)])
def test_sharma_mittal(a, b):
    before, after = ((1 - z(joint, a) ** ((1 - b) / (1 - a))) / (b - 1) for joint in (P[:, None], P[:, None] * C))
    assert leakage([5, 3, 2], C, SharmaMittal(a, b)) == pytest.approx(before - after, abs=1e-12)


@pytest.mark.parametrize("q", [0.5, 2, 3])
def test_tsallis(q):
    known = (z(P[:, None] * C, q) - z(P[:, None], q)) / (q - 1)
    assert leakage([5, 3, 2], C, Tsallis(q)) == pytest.approx(known, abs=1e-12)
