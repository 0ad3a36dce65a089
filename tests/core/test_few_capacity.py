"""The capacity of small channels: bounds that hold, the same as those of the general way, and it when they fail."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests import plain

import minleak as ml
from minleak.core import _capacity as capacities
from minleak.core import _sibson as sibson
from minleak.core._few_capacity import bound_capacity

GAP = 1e-10


def channels():
    rng = np.random.default_rng(5)
    for _ in range(300):
        n, m = rng.integers(1, 7, 2)
        C = rng.dirichlet(np.full(m, rng.choice([0.1, 0.5, 1, 10])), n)
        if rng.random() < 0.3:  # zeros, and rows that repeat or depend on each other
            C = np.round(4 * C) / 4
            C[C.sum(axis=1) == 0, 0] = 1
            C /= C.sum(axis=1, keepdims=True)
        yield C


def test_bounds_hold_and_meet_those_of_the_general_way():
    for C in channels():
        found, other = bound_capacity(C.tolist(), GAP), sibson.bound_information(C, 1.0, gap=1e-8, iterations=None)
        assert found is not None
        assert found.upper - found.lower <= GAP
        assert found.lower <= other.upper + 1e-14
        assert other.lower <= found.upper + 1e-14
        r = found.r
        told = plain.shannon(r, [[1]] * len(r)) - plain.shannon(r, C.tolist())
        assert told == pytest.approx(found.lower / math.log(2), abs=1e-12)


@pytest.mark.parametrize(
    ("C", "bits"),
    [
        ([[1, 0], [0, 1]], 1.0),
        ([[0.5, 0.5], [0.5, 0.5]], 0.0),
        ([[1.0]], 0.0),
        ([[0.75, 0.25, 0], [0, 0.25, 0.75]], 0.75),
        ([[1, 0], [0.5, 0.5]], math.log2(1.25)),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.3, 0.3, 0.4]], math.log2(3)),
    ],
)
def test_known_capacities(C, bits):
    found = ml.capacity(C)
    assert (found.status, found.value) == ("certified", pytest.approx(bits, abs=1e-9))
    assert found.lower <= found.value <= found.upper


def test_steps_that_do_not_close_the_gap_leave_it_to_the_general_way(monkeypatch):
    monkeypatch.setattr(capacities, "bound_capacity", lambda *_: None)
    found = ml.capacity([[0.9, 0.1], [0.1, 0.9]])
    assert (found.status, round(found.value, 9)) == ("certified", 0.531004406)


def test_the_prior_has_the_channels_labels():
    found = ml.capacity(ml.Channel([[0.9, 0.1], [0.2, 0.8]], inputs=["a", "b"]))
    assert list(found.prior.labels) == ["a", "b"]
    assert math.isclose(ml.leakage(found.prior, [[0.9, 0.1], [0.2, 0.8]], "shannon"), found.value, rel_tol=1e-12)
