"""Refinement: one channel is another with something forgotten, or an attacker tells them apart."""

import numpy as np
import pytest
from tests.abilities.names import deficiency, majorizes, refined_by

A, R = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]]), np.array([[1, 0], [0.5, 0.5], [0, 1]])


def test_post_processing():
    found = refined_by(A, A @ R)
    assert found.ok
    assert A @ found.post_processing.toarray() == pytest.approx(A @ R, abs=1e-7)


def test_witness():
    found = refined_by(A @ R, A)
    assert not found.ok
    p = found.prior.p[:, None]
    first, second = ((found.gain @ (p * c)).max(axis=0).sum() for c in (A @ R, A))
    assert second > first + 1e-9
    assert deficiency(A @ R, A).value > 1e-3 > deficiency(A, A @ R).value


def test_majorization():
    assert majorizes([3, 1], [1, 1]).ok
    assert not majorizes([1, 1], [3, 1]).ok
