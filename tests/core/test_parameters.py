"""Numbers, truth values and lists from a caller: what is taken, and the line that refuses the rest."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from minleak.core._parameters import as_list, real, truth, whole
from minleak.errors import InvalidParameter


@pytest.mark.parametrize("value", [1, np.int8(1), 3, 10**30], ids=repr)
def test_whole_numbers(value):
    assert whole(value, "n") == value
    assert type(whole(value, "n")) is int


@pytest.mark.parametrize("value", [0, 6, True, np.True_, 1.0, "1", None, math.nan], ids=repr)
def test_what_is_no_whole_number_within_bounds(value):
    with pytest.raises(InvalidParameter, match=r"^n is a whole number from 1 to 5, not "):
        whole(value, "n", 1, 5)


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), Fraction(1, 2)], ids=repr)
def test_real_numbers(value):
    assert real(value, "x is one", above=0, below=1) == 0.5
    assert type(real(value, "x is one")) is float


@pytest.mark.parametrize("value", [True, np.True_, "0.5", None, 1j, math.nan], ids=repr)
def test_what_is_no_number_is_refused_without_bounds_too(value):
    with pytest.raises(InvalidParameter, match=r"^x is one, not "):
        real(value, "x is one")


def test_bounds_are_allowed_or_not():
    assert real(0, "x is one", least=0, most=1) == 0
    assert real(1, "x is one", least=0, most=1) == 1
    assert real(math.inf, "x is one", least=0) == math.inf
    for value, bounds in ((0, {"above": 0}), (1, {"below": 1}), (math.inf, {"below": math.inf}), (-1, {"least": 0})):
        with pytest.raises(InvalidParameter):
            real(value, "x is one", **bounds)
    with pytest.raises(InvalidParameter, match="no larger than a float can hold"):
        real(10**400, "x is one")


def test_truth_values_and_lists():
    assert truth(np.True_, "dense") is truth(True, "dense") is True
    with pytest.raises(InvalidParameter, match="dense is True or False, not 1"):
        truth(1, "dense")
    assert as_list({3}, "numbers are a list") == [3]
    assert as_list([], "numbers are a list") == []
    with pytest.raises(InvalidParameter, match="numbers are a list, not none"):
        as_list([], "numbers are a list", some=True)
    for value in ({3}, "34", 7):
        with pytest.raises(InvalidParameter, match="numbers are a list, not"):
            as_list(value, "numbers are a list", ordered=True)
