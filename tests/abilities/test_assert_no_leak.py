"""A test in one line: what a function shows does not tell its input."""

import pytest
from tests.abilities.names import assert_no_leak


def test_two_functions():
    assert_no_leak(lambda name: len(name) > 0, ["flu", "cold"], events=200, rng=0)
    with pytest.raises(AssertionError):
        assert_no_leak(len, ["flu", "cold"], events=200, rng=0)
