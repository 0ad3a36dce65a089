"""Simulations: random numbers from a seed, how many trials there may be, and how far their mean may be off."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak.errors import InvalidParameter

# Trials that are made one by one: so many end within a day.
TRIALS = 10**8
# The 99.5th percentile of the normal distribution, for two-sided intervals of 99%.
_Z = 2.5758293035489004


def generator(seed: int) -> np.random.Generator:
    """Random numbers from a seed; one that is refused is not shown, since who knows it knows every draw."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidParameter("a seed is a whole number, 0 or above")
    return np.random.default_rng(seed)


def margin(trials: Array) -> Any:
    """Half of the 99% interval about the mean of trials, which are along the last axis."""
    return _Z * trials.std(axis=-1, ddof=1) / math.sqrt(trials.shape[-1])
