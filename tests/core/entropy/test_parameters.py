"""Parameters of entropies: what is outside the domain is refused, by comparisons that NaN fails."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import minleak as ml
from minleak.errors import InvalidParameter

NO_NUMBERS = [True, np.True_, "2", None, [2], 2 + 0j, np.complex128(2), math.nan, np.float64("nan"), 10**400]
WITH_ORDER = [
    ml.Arimoto,
    ml.lab.Hayashi,
    ml.lab.FehrBerens,
    ml.lab.Tsallis,
]
WITH_BASE = [
    ml.Shannon,
    ml.MinEntropy,
    ml.Hartley,
    ml.Collision,
    *(lambda family=family, **base: family(2, **base) for family in WITH_ORDER if family is not ml.lab.Tsallis),
]


@pytest.mark.parametrize("order", [*NO_NUMBERS, -1, -1e-300, -math.inf], ids=repr)
@pytest.mark.parametrize("family", [*WITH_ORDER, lambda a: ml.lab.SharmaMittal(a, 2)])
def test_orders_are_numbers_from_0_on(family, order):
    with pytest.raises(InvalidParameter, match="is a number from 0 on"):
        family(order)


@pytest.mark.parametrize("order", [0, 0.0, 1, 2, np.int64(3), np.float32(0.5), Fraction(1, 3), math.inf], ids=repr)
@pytest.mark.parametrize("family", WITH_ORDER)
def test_any_real_number_is_an_order(family, order):
    if family is ml.lab.Tsallis and order == math.inf:
        with pytest.raises(InvalidParameter, match="finite"):
            family(order)
    else:
        assert family(order).alpha == float(order)


@pytest.mark.parametrize("degree", [*NO_NUMBERS, math.inf, -math.inf], ids=repr)
def test_degrees_are_finite_numbers(degree):
    with pytest.raises(InvalidParameter, match="is a finite number"):
        ml.lab.SharmaMittal(2, degree)


@pytest.mark.parametrize("degree", [-5, 0, 1, Fraction(1, 2), np.float64(2)], ids=repr)
def test_any_finite_number_is_a_degree(degree):
    assert ml.lab.SharmaMittal(2, degree).beta == float(degree)


@pytest.mark.parametrize("base", [*NO_NUMBERS, 1, 0, -2, 0.5, math.inf], ids=repr)
@pytest.mark.parametrize("family", WITH_BASE)
def test_bases_are_finite_numbers_above_1(family, base):
    with pytest.raises(InvalidParameter, match="number above 1"):
        family(base=base)


@pytest.mark.parametrize("base", [math.nextafter(1, 2), 1.5, 2, math.e, np.float32(10), 10**300], ids=repr)
@pytest.mark.parametrize("family", WITH_BASE)
def test_a_base_is_a_unit(family, base):
    assert family(base=base)([3, 2, 1]) == pytest.approx(family(base=math.e)([3, 2, 1]) / math.log(base), rel=1e-12)


@pytest.mark.parametrize("l", [0, -1, 1.0, 1.5, True, "1", None, math.nan, math.inf], ids=repr)
def test_numbers_of_guesses_are_whole_from_1_on(l):
    with pytest.raises(InvalidParameter, match="whole number from 1 to"):
        ml.GuessError(l)


def test_more_guesses_than_secrets_never_miss():
    assert ml.GuessError(np.int64(3))([2, 1, 1]) == 0
    assert ml.GuessError(10**6)([2, 1, 1]) == 0


@pytest.mark.parametrize("family", [ml.Hartley, ml.Collision])
def test_forms_are_the_three(family):
    with pytest.raises(InvalidParameter, match="one of arimoto, hayashi, fehrberens"):
        family(form="cachin")


@pytest.mark.parametrize("v", [[-1, 2], [math.nan], [math.inf, 1], [], [[[1]]], 3], ids=repr)
def test_perspectives_take_finite_vectors_that_are_not_negative(v):
    with pytest.raises(InvalidParameter, match="perspective takes a vector or matrix"):
        ml.Shannon().perspective(v)


def test_perspectives_take_vectors_and_matrices():
    v = np.array([[3.0, 0, 1], [1, 0, 2]])
    for H in (ml.Shannon(), ml.MinEntropy(), ml.GuessError(), ml.Guesswork(), ml.Arimoto(2), ml.lab.FehrBerens(0.5)):
        columns = H.perspective(v)
        assert columns.shape == (3,)
        assert columns[1] == 0
        assert columns[2] == pytest.approx(H.perspective([1, 2]), rel=1e-15)
        assert isinstance(H.perspective([1, 2]), float)


@pytest.mark.parametrize("order", ["C", "F"])
def test_perspectives_leave_their_argument_alone(order):
    for H in map(ml.entropy, ("shannon", "min-entropy", "guess-error:2", "guesswork", "arimoto:1", "arimoto:2")):
        v = np.array([[1.0, 3], [2, 2], [3, 1]], order=order)
        before = v.copy()
        H.perspective(v)
        H.perspective(v[:, 0])
        assert (v == before).all()


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"core": len, "perspective": len},
        {"core": 3},
        {"perspective": "len"},
    ],
    ids=repr,
)
def test_own_entropies_need_one_function(arguments):
    with pytest.raises(InvalidParameter):
        ml.lab.CoreConcave(lambda z: z, **arguments)


def test_own_entropies_need_eta():
    with pytest.raises(InvalidParameter, match="must be functions"):
        ml.lab.CoreConcave(2, core=len)


@pytest.mark.parametrize("form", ["core", "perspective"])
def test_own_entropies_column_by_column_or_at_once(form):
    """Gini's index is Tsallis's entropy of order 2, however its function is called."""
    function = {
        "core": lambda p: 1 - (p**2).sum(axis=0),
        "perspective": lambda v: v.sum(axis=0) - (v**2).sum(axis=0) / v.sum(axis=0),
    }
    for vectorised in (False, True):
        gini = ml.lab.CoreConcave(lambda z: z, vectorised=vectorised, **{form: function[form]})
        for channel in ([[0.5, 0.5, 0], [0, 1, 0], [0.25, 0, 0.75]], sp.csc_array([[0.5, 0.5], [1, 0], [0.1, 0.9]])):
            assert ml.leakage([3, 0, 1], channel, gini) == pytest.approx(ml.leakage([3, 0, 1], channel, "tsallis:2"))


def test_degrees_beyond_what_floats_hold():
    """(exp((1-b) R) - 1)/(1-b) for a very negative degree is more than any float."""
    H = ml.lab.SharmaMittal(2, -2000)
    assert H([1, 1, 1]) == math.inf
    assert H([1]) == 0
    assert ml.lab.SharmaMittal(2, 2000)([1, 1, 1]) == pytest.approx(1 / 1999)
