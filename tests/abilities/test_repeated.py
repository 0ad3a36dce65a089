"""Draws anew for the same secret: how often an attacker names it after each."""

import numpy as np
import pytest
from tests.abilities.names import design, repeated, repeated_success


def test_exactly():
    weights = [4, 3, 2, 2, 1]
    plan = design(weights, 2)
    found = repeated(plan, [1, 2], exact=True)
    joint = np.asarray(plan.channel().toarray())
    twice = (np.array(weights)[:, None, None] / 12 * joint[:, :, None] * joint[:, None, :]).max(axis=0).sum()
    assert found.success == (pytest.approx(0.5), pytest.approx(twice))
    any_channel = repeated_success(weights, joint, observations=[1, 2])
    assert any_channel.success == (pytest.approx(0.5), pytest.approx(twice))
