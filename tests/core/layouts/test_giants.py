"""The giants: j*, u and s against the definition, all small priors at every k."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import HARD, TOYS, target

from minleak.core._layouts import base
from minleak.core._layouts.base import find_giants
from minleak.core._plan.fields import cap
from minleak.errors import InvalidParameter
from minleak.testing import priors


def check(weights, k):
    """pi put together from the giants is the definition's, and giants are in order, ties as they come."""
    found = find_giants(np.array(weights, dtype=np.int64), sum(weights), k)
    for block in (1, 2, 3):  # as if the weights were many
        with mock.patch.object(base, "_BLOCK", block):
            again = find_giants(np.array(weights, dtype=np.int64), sum(weights), k)
        assert (again.members.tolist(), again.u, again.rest) == (
            found.members.tolist(),
            found.u,
            found.rest,
        )
    members, total = found.members.tolist(), sum(weights)
    assert found.u == k - len(members)
    assert found.rest == total - sum(weights[x] for x in members)
    shares = [Fraction(found.rest, total * found.u)] * found.u if found.rest else []
    assert [Fraction(weights[x], total) for x in members] + shares == target(weights, k)
    assert members == sorted(range(len(weights)), key=lambda x: (-weights[x], x))[: len(members)]
    assert all(weights[x] > 0 for x in members)
    return found


@pytest.mark.parametrize(("weights", "j"), [toy[:2] for toy in TOYS.values()], ids=TOYS)
def test_toys(weights, j):
    """j* = 1, 2 and 3."""
    assert len(check(weights, 3).members) == j - 1


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_small_prior(n):
    """All weights of 0, 1, 2, 3 and 7, every k up to beyond n."""
    for weights in product((0, 1, 2, 3, 7), repeat=n):
        if any(weights):
            for k in range(1, n + 3):
                check(weights, k)


@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_hard_priors(weights):
    """Every k up to beyond n."""
    for k in range(1, len(weights) + 3):
        check(weights, k)


@given(priors(max_size=12), st.integers(1, 14))
def test_random_priors(prior, k):
    """The same for random ones."""
    check(prior.weights.tolist(), k)


def test_a_tie_with_the_share_is_no_giant():
    """w_j (k-j+1) = w_j + ... + w_n: it fits exactly. One unit more, and it is one."""
    assert len(find_giants(np.array([4, 2, 2]), 8, 2).members) == 0
    assert find_giants(np.array([5, 2, 2]), 9, 2).members.tolist() == [0]


def test_products_beyond_64_bits_are_compared_exactly():
    """w_j (k-j+1) may be 2^63 and more without going round."""
    weights = np.array([2**61, 2**61, 2**61, 2**61 - 1, 1], dtype=np.int64)
    assert find_giants(weights, 2**63, 4).members.tolist() == []
    weights[0] += 1
    assert find_giants(weights, 2**63 + 1, 4).members.tolist() == [0]


@pytest.mark.parametrize("k", [0, -1, True, False, 2.0, 1.5, "3", None, float("nan"), [2]], ids=repr)
def test_a_cap_is_a_whole_number_from_one_on(k):
    """Anything else is refused, with what came."""
    with pytest.raises(InvalidParameter, match="whole number from 1 on"):
        cap(k)


def test_integers_of_numpy_are_caps():
    """As plain ints."""
    assert [type(cap(k)) for k in (3, np.int64(3), np.uint8(3))] == [int] * 3
