"""Seeds and intervals of simulations: what is taken, and how wide they are."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from minleak.core._simulating import generator, margin
from minleak.errors import InvalidParameter


def test_a_seed_gives_the_same_numbers_again():
    assert generator(np.int64(7)).random() == generator(7).random() == np.random.default_rng(7).random()


@pytest.mark.parametrize("seed", [-90210, 90210.0, "90210", [90210], None, True], ids=repr)
def test_a_seed_that_is_refused_is_not_shown(seed):
    with pytest.raises(InvalidParameter, match="a seed is a whole number, 0 or above") as refused:
        generator(seed)
    assert "90210" not in str(refused.value)


def test_margins_are_those_of_99_percent_intervals():
    """Of each row by itself, as scipy has it."""
    trials = np.random.default_rng(0).random((3, 400))
    sure = [scipy.stats.norm.interval(0.99, row.mean(), scipy.stats.sem(row)) for row in trials]
    assert margin(trials) == pytest.approx([(high - low) / 2 for low, high in sure])
    assert margin(trials[0]) == margin(trials)[0]
