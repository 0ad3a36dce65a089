"""Guesswork of long columns, which the compiled sort takes."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak._entropy.guessing import _LARGE, _LONG


def test_long_columns_take_it():
    """A channel large enough for the compiled sort has the guesswork of its columns, one by one."""
    channel = ml.Channel.random(_LONG, _LARGE // _LONG + 8, seed=1)
    prior = ml.Prior(np.random.default_rng(0).random(_LONG))
    columns = channel.joint(prior).T
    expected = sum(float(np.sort(column)[::-1] @ np.arange(1, _LONG + 1)) for column in columns)
    assert ml.Guesswork().conditional(prior, channel) == pytest.approx(expected, rel=1e-13)
