"""Noise beside the matrix of all that is seen, byte by byte, and beside simulated looks at that matrix."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.padding import _comparison as comparison
from minleak.padding._size_classes import as_size_classes

SIZES = np.array([30, 7, 12, 12, 41, 13])
WEIGHTS = [5, 1, 3, 2, 4, 4]
CLASSES = as_size_classes(SIZES, ml.Prior(WEIGHTS))


@pytest.fixture(params=[0.03, 0.2, 0.4])
def share(request, monkeypatch):
    monkeypatch.setattr(comparison, "_NOISE", request.param)
    return request.param


def byte_by_byte(share) -> np.ndarray:
    """The matrix with a column for each size that is seen."""
    law = np.ones(int(2 * share * CLASSES.mean) + 1)
    matrix = np.zeros((len(SIZES), SIZES.max() + len(law)))
    for x, size in enumerate(SIZES):
        matrix[x, size : size + len(law)] = law / law.sum()
    return matrix


def test_noise_is_what_it_is_byte_by_byte(share):
    """Leakage in several entropies, overhead and the sizes seen; columns that tell the same are put together."""
    names = ["shannon", "min-entropy", "arimoto:2"]
    *_, rival = ml.padding.compare(SIZES, WEIGHTS, entropies=names).rivals
    matrix = byte_by_byte(share)
    assert rival.policy.name == f"random, uniform, {share:.0%}"
    assert rival.policy.leakage == pytest.approx([ml.leakage(WEIGHTS, matrix, name) for name in names], abs=1e-9)
    shown = matrix @ np.arange(matrix.shape[1])
    assert rival.policy.overhead == pytest.approx(float(CLASSES.prior.p @ (shown - SIZES)))
    assert rival.policy.overheads.worst == (comparison.noise_width(CLASSES) - 1) / 7
    assert all(best.overhead <= rival.policy.overhead for best in rival.best)


@pytest.mark.parametrize("looks", [1, 3, 20])
def test_success_after_looks_is_that_of_simulated_looks(share, looks):
    """Within five standard errors of both simulations."""
    simulated = ml.lab.repeated_success(WEIGHTS, byte_by_byte(share), looks=[looks], trials=4000, seed=3)
    found = comparison.noise_success(CLASSES, looks)
    assert found == pytest.approx(simulated.success[0], abs=5 * 0.5 * np.sqrt(2 / 4000))


def test_noise_washes_out_at_its_looks(share):
    without = 17 / 19  # of two secrets of one size the heavier is guessed
    looks = ml.padding.compare(SIZES, WEIGHTS, entropies=["shannon"]).rivals[-1].policy.looks
    assert comparison.noise_success(CLASSES, looks) >= 0.95 * without
    assert looks == 1 or comparison.noise_success(CLASSES, looks - 1) < 0.95 * without
    assert comparison.noise_success(CLASSES, 10**6) == pytest.approx(without, abs=0.02)


def test_noise_is_in_the_table_of_the_common_policies():
    table = str(ml.padding.compare(SIZES, WEIGHTS, entropies=["shannon"]))
    assert "random, uniform, 5%" in table
    assert "looks" in table.splitlines()[0]
    assert "looks" not in str(ml.padding.compare(SIZES, policies={"Padmé": ml.padding.padme}, entropies=["shannon"]))
