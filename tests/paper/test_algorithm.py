"""The paper's algorithm to the letter: its own examples, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import TOYS, target

from minleak.errors import InvalidParameter
from minleak.lab import posteriors
from minleak.lab.paper import algorithm_1


@pytest.mark.parametrize(("weights", "table"), [(toy[0], toy[2]) for toy in TOYS.values()], ids=TOYS)
def test_toys(weights, table):
    """The paper's three channels to the four digits printed: with four secrets Step 2 has one solution only."""
    channel = algorithm_1(weights, 3)
    columns = np.round(channel.toarray().T, 4)
    assert {y: tuple(column) for y, column in zip(channel.outputs, columns, strict=True)} == table


@given(st.lists(st.integers(1, 100), min_size=1, max_size=7), st.integers(1, 8))
def test_every_posterior_is_the_target(weights, k):
    """Within the solver's tolerance; rows sum to one, sets are of k."""
    channel = algorithm_1(weights, k)
    pi = list(map(float, target(weights, k)))
    assert channel.preimage_sizes.max() <= k
    assert channel.toarray().sum(axis=1) == pytest.approx(np.ones(len(weights)), abs=1e-6)
    for posterior in posteriors(weights, channel).matrix.T:
        assert sorted(posterior[posterior > 0], reverse=True) == pytest.approx(pi, abs=1e-6)


def test_from_n_on_there_is_one_set():
    """Nothing has to be solved, and impossible secrets do not matter."""
    assert algorithm_1([3, 0, 1], 5).toarray().tolist() == [[1.0]] * 3


def test_what_it_cannot_hold_is_refused():
    """C(30, 15) sets would be 155 million unknowns."""
    with pytest.raises(InvalidParameter, match=r"155,117,520 unknowns, above the limit of 2,000,000"):
        algorithm_1([1] * 30, 15)
    with pytest.raises(InvalidParameter, match=r"10 unknowns, above the limit of 9"):
        algorithm_1([1] * 5, 2, limit=9)


def test_impossible_secrets_are_refused():
    """Step 3 would divide by zero."""
    with pytest.raises(InvalidParameter, match="positive probabilities only"):
        algorithm_1([2, 1, 0], 2)
