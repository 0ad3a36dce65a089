"""Noise beside the matrix of all that is seen, byte by byte, and beside simulated looks at that matrix."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.padding import GeometricNoise, RandomTotal, UniformNoise
from minleak.padding._noise import WASHED_OUT
from minleak.padding._size_classes import as_size_classes

SIZES = np.array([30, 7, 12, 12, 41, 13])
WEIGHTS = [5, 1, 3, 2, 4, 4]
CLASSES = as_size_classes(SIZES, ml.Prior(WEIGHTS))


def byte_by_byte(noise) -> np.ndarray:
    """The matrix with a column for each size that is seen."""
    if isinstance(noise, UniformNoise):
        law = np.ones(int(2 * noise.share * CLASSES.mean) + 1)
    else:
        q = noise.share * CLASSES.mean / (1 + noise.share * CLASSES.mean)
        law = q ** np.arange(2000)
    matrix = np.zeros((len(SIZES), SIZES.max() + len(law)))
    for x, size in enumerate(SIZES):
        matrix[x, size : size + len(law)] = law / law.sum()
    return matrix


@pytest.mark.parametrize("noise", [UniformNoise(0.03), UniformNoise(0.2), GeometricNoise(0.05), GeometricNoise(0.5)])
def test_noise_is_what_it_is_byte_by_byte(noise):
    """Leakage in several entropies, overhead and the sizes seen; columns that tell the same are put together."""
    names = ["shannon", "min-entropy", "arimoto:2"]
    (rival,) = ml.padding.compare(SIZES, WEIGHTS, entropies=names, policies={"noise": noise}).rivals
    matrix = byte_by_byte(noise)
    expected = [ml.leakage(WEIGHTS, matrix, name) for name in names]
    assert rival.policy.leakage == pytest.approx(expected, abs=1e-9)
    shown = matrix @ np.arange(matrix.shape[1])
    assert rival.policy.overhead == pytest.approx(float(CLASSES.prior.p @ (shown - SIZES)))
    assert [best.overhead <= rival.policy.overhead for best in rival.best] == [True] * 3


@pytest.mark.parametrize("noise", [UniformNoise(0.4), GeometricNoise(0.4)])
@pytest.mark.parametrize("looks", [1, 3, 20])
def test_success_after_looks_is_that_of_simulated_looks(noise, looks):
    """Within five standard errors of both simulations."""
    simulated = ml.lab.repeated_success(WEIGHTS, byte_by_byte(noise), looks=[looks], trials=4000, seed=3)
    assert noise.success(CLASSES, looks) == pytest.approx(simulated.success[0], abs=5 * 0.5 * np.sqrt(2 / 4000))


def test_one_look_is_the_leakage():
    (rival,) = ml.padding.compare(SIZES, WEIGHTS, entropies=["min-entropy"], policies={"g": GeometricNoise(0.3)}).rivals
    blind = max(WEIGHTS) / sum(WEIGHTS)
    assert GeometricNoise(0.3).success(CLASSES, 1) == pytest.approx(blind * 2 ** rival.policy.leakage[0])


@pytest.mark.parametrize("noise", [UniformNoise(0.3), GeometricNoise(0.3)])
def test_noise_washes_out_at_its_looks(noise):
    without = 17 / 19  # of two secrets of one size the heavier is guessed
    looks = noise.looks(CLASSES)
    assert noise.success(CLASSES, looks) >= WASHED_OUT * without > noise.success(CLASSES, looks - 1)
    assert noise.success(CLASSES, 10**6) == pytest.approx(without, abs=0.02)


def test_a_random_total_tells_nothing_however_often():
    (rival,) = ml.padding.compare(SIZES, WEIGHTS, policies={"total": RandomTotal(0.25)}).rivals
    assert rival.policy.leakage == pytest.approx([0, 0, 0])
    assert rival.policy.looks is None
    assert rival.policy.overhead == pytest.approx(1.125 * 41 - CLASSES.mean)


def test_noise_is_in_the_table():
    table = str(ml.padding.compare(SIZES, WEIGHTS, entropies=["shannon"]))
    assert "random, uniform, 5%" in table
    assert "looks" in table.splitlines()[0]
    assert "never" in table
    assert "looks" not in str(ml.padding.compare(SIZES, policies={"Padmé": ml.padding.padme}, entropies=["shannon"]))


@pytest.mark.parametrize("kind", [UniformNoise, GeometricNoise, RandomTotal])
@pytest.mark.parametrize("share", [0, -1, float("nan"), float("inf"), "5%", True])
def test_bad_shares(kind, share):
    with pytest.raises(InvalidParameter, match="the share that noise adds is a number above 0"):
        kind(share)


def test_too_many_sizes_for_noise():
    sizes = np.arange(1, 5001)
    with pytest.raises(InvalidParameter, match="compare a sample"):
        ml.padding.compare(sizes, policies={"noise": UniformNoise(0.9)}, entropies=["shannon"])
