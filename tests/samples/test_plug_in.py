"""Plug-in estimates: the library's own values on counts, less a bias that simulations show."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.samples._plug_in import JointCounts, MeasureSet, estimate_all

P = np.array([0.5, 0.3, 0.2])
C = np.array([[0.7, 0.2, 0.1, 0.0], [0.2, 0.5, 0.2, 0.1], [0.1, 0.1, 0.5, 0.3]])
NAMES = ("shannon", "min-entropy", "collision", "guesswork")


def drawn(joint, events, rng):
    table = rng.multinomial(events, joint.ravel()).reshape(joint.shape)
    x, y = table.nonzero()
    return JointCounts(x, y, table[x, y], joint.shape)


def test_corrections_take_the_bias_off():
    """Over 600 samples Shannon's estimate is too large by about (pairs - n - m + 1) / (2 events) nats, the corrected
    one by less than a third of that (2.5 standard errors of the mean).
    """
    rng = np.random.default_rng(10)
    truth = ml.leakage(P, C, "shannon")
    battery = MeasureSet(["shannon"])
    samples = [drawn(P[:, None] * C, 400, rng) for _ in range(600)]
    plain = np.mean([battery(joint.with_counts(joint.counts))[0] for joint in samples]) - truth
    corrected = np.mean([estimate_all(joint, battery, rng)[0] for joint in samples]) - truth
    assert plain == pytest.approx((11 - 3 - 4 + 1) / 800 / np.log(2), rel=0.35)
    assert abs(corrected) < plain / 3


def test_sparse_counts_are_the_same():
    """A table too wide to be dense gives the same values."""
    rng = np.random.default_rng(7)
    joint = drawn(P[:, None] * C, 500, rng)
    wide = JointCounts(joint.x * 1500, joint.y * 1500, joint.counts, (3001, 4501))
    values = [MeasureSet([*NAMES, "maximal-leakage"])(counts.with_counts(counts.counts)) for counts in (joint, wide)]
    assert values[0] == pytest.approx(values[1])


def test_every_measure_is_the_librarys():
    """On exact counts every measure is what the functions of the library say of the channel."""
    rng = np.random.default_rng(8)
    counts = rng.integers(1, 50, (4, 5))
    joint, p = counts / counts.sum(), counts.sum(axis=1) / counts.sum()
    channel = counts / counts.sum(axis=1, keepdims=True)
    names = ["arimoto:2", "guess-error:2", "multiplicative-leakage", "additive-leakage", "maximal-leakage", "capacity"]
    found = MeasureSet(names)(joint)
    expected = [
        ml.leakage(p, channel, "arimoto:2"),
        ml.leakage(p, channel, "guess-error:2"),
        ml.lab.multiplicative_leakage(p, channel),
        ml.lab.additive_leakage(p, channel),
        ml.lab.maximal_leakage(channel),
        ml.capacity(channel).value,
    ]
    assert found == pytest.approx(expected, abs=1e-6)
