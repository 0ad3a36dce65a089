"""Certificates of a plan, of a channel and of a file; what is not optimal, or not for these counts, is told so."""

import numpy as np
import pytest
from tests.abilities.names import MinleakError, certify, design

WEIGHTS = [5, 4, 3, 2, 1, 1]


def test_plan():
    plan = design(WEIGHTS, 2)
    assert certify(plan, WEIGHTS).ok
    assert certify(plan).ok
    assert not certify(plan, [5, 4, 3, 2, 1, 2]).ok


def test_channel():
    optimal = np.asarray(design(WEIGHTS, 2).channel().toarray())
    assert certify(optimal, WEIGHTS, k=2).ok
    pairs = np.repeat(np.eye(3), 2, axis=0)  # the blocks (0, 1), (2, 3), (4, 5): a guess is right 9/16 of the time
    assert not certify(pairs, WEIGHTS, k=2).ok
    tampered = np.roll(optimal, 1, axis=0)
    assert not certify(tampered, WEIGHTS, k=2).ok


def test_file(tmp_path):
    path = tmp_path / "plan.cloak"
    design(WEIGHTS, 2).save(path)
    assert certify(path, WEIGHTS).ok
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(MinleakError):
        certify(path, WEIGHTS)
