"""Estimates of leakage against simulations of known channels, with fixed seeds and stated error rates."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import minleak as ml
from minleak import warehouse
from minleak._warehouse.estimates import Battery, JointCounts, measured

P = np.array([0.5, 0.3, 0.2])
C = np.array([[0.7, 0.2, 0.1, 0.0], [0.2, 0.5, 0.2, 0.1], [0.1, 0.1, 0.5, 0.3]])
NAMES = ("shannon", "min-entropy", "collision", "guesswork")


def drawn(joint, events, rng):
    table = rng.multinomial(events, joint.ravel()).reshape(joint.shape)
    x, y = table.nonzero()
    return JointCounts.of(x, y, table[x, y])


def test_intervals_cover():
    """Of 120 samples of 400 events the 95% interval holds the truth in more than 84%; a binomial of 0.95 is below that
    with probability 1e-5.
    """
    rng = np.random.default_rng(5)
    truth = np.array([ml.leakage(P, C, name) for name in NAMES])
    inside = np.zeros(len(NAMES))
    for _ in range(120):
        rows, _ = measured(drawn(P[:, None] * C, 400, rng), NAMES, resamples=60, permutations=1, level=0.95, rng=rng)
        inside += [row.low <= true <= row.high for row, true in zip(rows, truth, strict=True)]
    assert (inside / 120 > 0.84).all(), inside / 120


def test_corrections_take_the_bias_off():
    """Over 1500 samples Shannon's estimate is too large by about (pairs - n - m + 1) / (2 events) nats, the corrected
    one by less than a third of that (3.9 standard errors of the mean).
    """
    rng = np.random.default_rng(10)
    truth = ml.leakage(P, C, "shannon")
    rows = [
        measured(drawn(P[:, None] * C, 400, rng), ["shannon"], resamples=1, permutations=1, level=0.95, rng=rng)[0][0]
        for _ in range(1500)
    ]
    plain, corrected = (np.mean([getattr(row, name) for row in rows]) - truth for name in ("estimate", "corrected"))
    assert plain == pytest.approx((11 - 3 - 4 + 1) / 800 / np.log(2), rel=0.35)
    assert abs(corrected) < plain / 3


def test_p_values_are_uniform_without_leakage():
    """Under independence a p-value is at most a with probability a: 250 tests, each bound exceeded with 1e-6."""
    rng = np.random.default_rng(6)
    joint = np.outer([0.4, 0.3, 0.2, 0.1], [0.5, 0.25, 0.25])
    p_values = np.array(
        [
            measured(drawn(joint, 60, rng), ["min-entropy"], resamples=1, permutations=39, level=0.95, rng=rng)[1]
            for _ in range(250)
        ]
    )
    for a in (0.05, 0.1, 0.5):
        assert (p_values <= a).sum() <= 250 * a + 4.9 * np.sqrt(250 * a * (1 - a))
    assert 0.4 < p_values.mean() < 0.6


def test_permutations_keep_the_margins():
    """Dense tables and shuffled events have the same margins and the same mean."""
    rng = np.random.default_rng(7)
    joint = drawn(P[:, None] * C, 500, rng)
    wide = JointCounts(joint.x * 1500, joint.y * 1500, joint.counts, (3001, 4501))  # too wide to be dense
    for counts in (joint, wide):
        given = counts.with_counts(counts.counts)
        for _ in range(5):
            other = counts.permuted(rng)
            for axis in (0, 1):
                assert np.asarray(other.sum(axis=axis)).ravel() == pytest.approx(
                    np.asarray(given.sum(axis=axis)).ravel()
                )
    rows, p_value = measured(wide, NAMES, resamples=5, permutations=99, level=0.95, rng=rng)
    dense, _ = measured(joint, NAMES, resamples=5, permutations=99, level=0.95, rng=rng)
    assert [row.estimate for row in rows] == pytest.approx([row.estimate for row in dense])
    assert p_value == 0.01
    chance = [(a.chance, b.chance) for a, b in zip(rows, dense, strict=True)]
    assert all(a == pytest.approx(b, rel=0.35) for a, b in chance[:1])


def test_every_measure_is_the_librarys():
    """On exact counts every measure is what the functions of the library say of the channel."""
    rng = np.random.default_rng(8)
    counts = rng.integers(1, 50, (4, 5))
    joint, p = counts / counts.sum(), counts.sum(axis=1) / counts.sum()
    channel = counts / counts.sum(axis=1, keepdims=True)
    names = ["arimoto:2", "guess-error:2", "multiplicative-leakage", "additive-leakage", "maximal-leakage", "capacity"]
    found = Battery(names)(joint)
    expected = [
        ml.leakage(p, channel, "arimoto:2"),
        ml.leakage(p, channel, "guess-error:2"),
        ml.multiplicative_leakage(p, channel),
        ml.additive_leakage(p, channel),
        ml.maximal_leakage(channel),
        ml.capacity(channel).value,
        ml.leakage(p, channel, "shannon"),
    ]
    assert found == pytest.approx(expected, abs=1e-6)


def test_a_billion_events():
    """Counts stand for events: a tiny leak is invisible in a thousand events and plain in a billion, at one cost."""
    table = pa.table({"secret": ["a", "a", "b", "b"], "observable": ["x", "y", "x", "y"]})
    few = table.append_column("times", pa.array([251, 249, 249, 251]))
    many = table.append_column("times", pa.array([251_000_000, 249_000_000, 249_000_000, 251_000_000]))
    small, large = (warehouse.audit(t, weight="times", permutations=99, resamples=50) for t in (few, many))
    assert small["shannon"].estimate == pytest.approx(large["shannon"].estimate)
    assert not small.rejected
    assert small["shannon"].low == 0
    assert large.rejected
    assert large["shannon"].low > 0
    assert "not rejected" in small.verdict


def test_sets_of_a_cloak_can_be_audited():
    """What a plan shows, audited: each set tells no more than the plan says, up to what chance explains."""
    prior = pa.table({"secret": list("abcdef"), "count": [6, 5, 4, 3, 2, 1]})
    plan = warehouse.design(prior, 3)
    rng = np.random.default_rng(9)
    secrets = rng.choice(list("abcdef"), 4000, p=np.arange(6, 0, -1) / 21)
    events = pa.table({"secret": secrets, "scope": [f"u{i}" for i in range(4000)]})
    shown = warehouse.cloak(events, plan, key=ml.Key(bytes(32)), keep_secret=True)
    found = warehouse.audit(shown, observable="set", measures=["shannon", "min-entropy"], permutations=99)
    for name in ("shannon", "min-entropy"):
        truth = ml.entropy(name)(ml.Prior([6, 5, 4, 3, 2, 1])) - plan.entropy(name)
        assert found[name].low <= truth <= found[name].high
