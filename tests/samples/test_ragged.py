"""Sequences of different lengths as observables: features that no secret went into, and attacks that see what leaks."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.samples._ragged import as_sequences


def sequences(n, seed=0):
    """Two secrets that differ in how values follow one another, and in nothing else."""
    rng = np.random.default_rng(seed)
    secrets = rng.integers(0, 2, n)
    found = []
    for x in secrets:
        half = rng.integers(0, 2, rng.integers(20, 40))
        ones = np.repeat(half, 2) if x else np.stack([half, 1 - half], axis=1).ravel()
        found.append(ones.tolist())
    return secrets, found


def test_pairs_of_neighbours_are_seen():
    secrets, observed = sequences(300)
    found = ml.audit(secrets, observed, measures=["guess-error:1"])
    assert found.success.low > 0.8
    assert "features" in found.said
    assert any("a model of whole sequences may see more" in line for line in found.warnings)


def test_rows_of_two_columns_and_times():
    """Times that only grow are taken as steps: secrets that differ in their rate are told apart."""
    rng = np.random.default_rng(3)
    secrets = rng.integers(0, 2, 300)
    observed = [
        np.stack([np.cumsum(rng.exponential(1 + 2 * x, n)), np.ones(n)], axis=1)
        for x, n in zip(secrets, rng.integers(5, 30, 300), strict=True)
    ]
    assert ml.audit(secrets, observed, attack="nearest", measures=["guess-error:1"]).success.low > 0.7


def test_equal_sequences_are_one_observable():
    """Few different ones are discrete: the bound from above holds, and is near."""
    rng = np.random.default_rng(0)
    secrets = rng.integers(0, 4, 2000)
    observed = [[7] * (3 if rng.random() < 0.5 else 5) for _ in secrets]
    found = ml.audit(secrets, observed, measures=["guess-error:1"], attack="histogram")
    assert found.observables == 2
    assert found.success.low < 0.27 < found.success.high < 0.34
    assert not found.rejected


def test_features_by_hand():
    features = as_sequences([[3, 1, 1], [], [2, 5]]).features()
    assert features[:, 0].tolist() == [3, 0, 2]
    assert features[:, 1].tolist() == [5, 0, 7]  # sums
    assert features[:, 2] == pytest.approx([5 / 3, 0, 3.5])
    assert np.isfinite(features).all()


def test_vectors_stay_vectors():
    assert as_sequences([[1, 2], [3, 4]]) is None
    assert as_sequences(np.ones((3, 2))) is None
    assert as_sequences(["a", "bc"]) is None
