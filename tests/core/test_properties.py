"""A property is read the same way wherever it is given, or refused in one line; f(X) -> X -> Y adds up rows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import minleak as ml
from minleak import lab
from minleak.core._properties import as_property
from minleak.errors import InvalidParameter

CITIES = ml.Prior([4, 3, 3, 2], labels=["Bern", "Basel", "Lyon", "Nice"])
COUNTRY = {"Bern": "ch", "Lyon": "fr", "Basel": "ch", "Nice": "fr"}


@pytest.mark.parametrize(
    "given",
    [
        COUNTRY,
        [COUNTRY[city] for city in CITIES.labels],
        ("ch", "ch", "fr", "fr"),
        np.array(["ch", "ch", "fr", "fr"]),
        pa.array(["ch", "ch", "fr", "fr"]),
        iter(["ch", "ch", "fr", "fr"]),
        [1, 1, (2, 3), (2, 3)],
        [True, True, False, False],
        np.array([0.5, 0.5, -0.0, 0.0]),
    ],
)
def test_however_a_property_is_given(given):
    chosen = as_property(given, CITIES.labels)
    assert chosen.codes.tolist() == [0, 0, 1, 1]
    assert as_property(chosen, CITIES.labels) is chosen
    assert chosen.prior(CITIES).weights.tolist() == [7, 5]


def test_weights_beyond_64_bits_are_added_exactly():
    prior = ml.Prior([2**62, 2**62, 2**62, 1])
    assert as_property(["a", "a", "a", "b"], prior.labels).prior(prior).weights.tolist() == [3 * 2**62, 1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["ch", "ch", "fr"], "the property has 3 values for 4 secrets: give one for each"),
        ([], "the property has 0 values for 4 secrets"),
        (["ch", None, "fr", "fr"], r"the property at secret 1 \('Basel'\) is missing"),
        (["ch", "ch", math.nan, "fr"], r"the property at secret 2 \('Lyon'\) is missing"),
        (np.array([1.0, 1.0, math.nan, 2.0]), r"the property at secret 2 \('Lyon'\) is missing"),
        (pa.array(["ch", None, "fr", "fr"]), r"the property at secret 1 \('Basel'\) is missing"),
        ({"Bern": "ch", "Lyon": "fr"}, "2 secrets are missing and 0 names are of no secret"),
        (COUNTRY | {"Nice": math.nan}, r"the property at secret 3 \('Nice'\) is missing"),
        (COUNTRY | {"Rome": "it"}, "0 secrets are missing and 1 names are of no secret"),
        ("cfff", "not text"),
        (7, "not int"),
        ([["ch"], ["ch"], ["fr"], ["fr"]], "no names"),
        (np.zeros((4, 2)), "one column"),
    ],
)
def test_what_is_no_property_is_refused_in_one_line(given, said):
    with pytest.raises(InvalidParameter, match=said) as refused:
        as_property(given, CITIES.labels)
    assert "\n" not in str(refused.value)
    with pytest.raises(InvalidParameter, match=said):
        ml.design(CITIES, 2).success_of(given)


def test_a_mapping_may_know_more_where_that_is_said():
    assert as_property(COUNTRY | {"Rome": "it"}, CITIES.labels, more=True).codes.tolist() == [0, 0, 1, 1]


def test_a_joint_of_fractions_stays_exact():
    """And a value of impossible secrets alone has some row, which counts for nothing."""
    third = Fraction(1, 3)
    joint = lab.Joint([2, 1, 0], ml.Channel([[third, 2 * third], [1, 0], [third, 2 * third]])).of(["a", "a", "b"])
    assert joint.channel.exact is not None
    assert joint.channel.exact[0].tolist() == [Fraction(5, 9), Fraction(4, 9)]
    assert joint.prior.weights.tolist() == [3, 0]
    assert lab.posterior_vulnerability(joint) == 1.0


def test_joints_are_measured_too_and_channels_together_once_built():
    once = ml.Channel([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]])
    twice = lab.Together([once, once])
    values = ["a", "b", "a"]
    expected = ml.leakage([1, 2, 3], twice.channel(), "shannon", of=values)
    assert ml.leakage(lab.Joint([1, 2, 3], twice.channel()), None, "shannon", of=values) == pytest.approx(expected)
    table = ml.leakage_table([1, 2, 3], twice.channel(), of=values)
    assert table["shannon"].leakage == pytest.approx(expected)
    told = ml.property_leakage([1, 2, 3], twice.channel(), values)
    assert told.rows[0].leakage == pytest.approx(expected)
    with pytest.raises(ml.errors.InvalidChannel, match=r"give its .channel\(\)"):
        ml.leakage([1, 2, 3], twice, "shannon", of=values)
