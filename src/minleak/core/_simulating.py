"""Simulations: random generators, the most trials, and the margin of error of a mean."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.errors import InvalidParameter

# The most trials that run one by one: they end within a day.
TRIALS = 10**8
# The 99.5th percentile of the normal distribution, for two-sided intervals of 99%.
_Z = 2.5758293035489004


def generator(seed: int) -> np.random.Generator:
    """A random generator of a seed. No message shows the seed, since it determines every draw."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidParameter("a seed is a whole number, 0 or above")
    return np.random.default_rng(seed)


def margin(trials: Array) -> Any:
    """Half the width of the 99% confidence interval of the mean along the last axis."""
    return _Z * trials.std(axis=-1, ddof=1) / math.sqrt(trials.shape[-1])
