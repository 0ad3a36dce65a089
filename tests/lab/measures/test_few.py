"""What Python computes from a few numbers is what numpy computes from many."""

import math

import numpy as np
import pytest

from minleak import lab
from minleak.lab._measures import distribution_distances, privacy, row_distances

RNG = np.random.default_rng(23)


@pytest.fixture(params=range(20))
def channel(request):
    n, m = RNG.integers(1, 5, 2)
    matrix = RNG.dirichlet(np.ones(m), n)
    if request.param % 4 == 0:
        matrix = np.eye(max(n, m))[:n, :m] if n <= m else matrix
    return matrix


def test_the_farthest_rows(channel, monkeypatch):
    few = row_distances.farthest_rows(channel)
    monkeypatch.setattr(row_distances, "_FEW", 0)
    many = row_distances.farthest_rows(channel)
    assert few[0] == pytest.approx(many[0], rel=1e-15, abs=0)
    if few[0] < 1:  # else there may be several
        assert few[1:] == many[1:]


def test_d_privacy(channel, monkeypatch):
    n = len(channel)
    for distances in (np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float), np.zeros((n, n))):
        distances[0, -1] = math.inf if n > 1 else 0.0
        with monkeypatch.context() as patched:
            few = lab.d_privacy(channel, distances)
            patched.setattr(privacy, "_FEW", 0)
            assert few == pytest.approx(lab.d_privacy(channel, distances), rel=1e-15, abs=0)


def test_total_variation(monkeypatch):
    for n in range(1, 9):
        p, q = RNG.dirichlet(np.ones(n), 2)
        few = lab.total_variation(p, q)
        with monkeypatch.context() as patched:
            patched.setattr(distribution_distances, "_FEW", 0)
            assert few == pytest.approx(lab.total_variation(p, q), rel=1e-14, abs=0)


def test_additive_capacity_of_possible_secrets():
    C = [[0.5, 0.5, 0], [0.25, 0.25, 0.5], [0, 0, 1]]
    assert lab.additive_capacity(C, prior=[1, 1, 0], spanning="vulnerabilities").value == 0.5
    assert lab.additive_capacity(C, prior=[1, 1, 1], spanning="vulnerabilities").value == 1
    assert lab.additive_capacity(C, spanning="vulnerabilities").value == 1
