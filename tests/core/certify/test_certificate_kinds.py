"""certify(plan): fields of the wrong kind and random damage are refused, and raise nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import LAYOUTS
from tests.core.certify.tampering import FORM, PRIOR, refused, tampered

import minleak as ml


@pytest.fixture
def stable():
    return ml.design(PRIOR, 4)


@pytest.mark.parametrize(
    "fields",
    [
        {"weights": np.ones(19)},
        {"weights": np.ones((19, 1), dtype=np.int64)},
        {"weights": np.ones(18, dtype=np.int64)},
        {"weights": list(PRIOR)},
        {"giants": np.array([0.0])},
        {"giants": [0]},
        {"giants": np.array([[0]])},
        {"giants": np.array([True])},
        {"k": None},
        {"k": True},
        {"distance": float("nan")},
        {"distance": -1.0},
        {"gains": np.ones(18)},
        {"gains": np.full(19, np.nan)},
        {"gains": np.zeros(19)},
        {"gains": [1.0] * 19},
    ],
    ids=lambda fields: f"{next(iter(fields))} {next(iter(fields.values()))!r}"[:40],
)
def test_fields_of_the_wrong_kind(stable, fields):
    """Refused before anything relies on them."""
    refused(tampered(stable, **fields), FORM)


@pytest.mark.parametrize(
    "fields",
    [
        {"starts": np.array([0.0, 1.0])},
        {"starts": None},
        {"starts": [0]},
        {"members": None, "starts": np.array([0])},
        {"members": np.array([1.0]), "starts": np.array([0])},
        {"members": np.array([[1]]), "starts": np.array([0])},
        {"length": None},
        {"length": 2.5},
        {"fixed": None},
        {"fixed": np.array([16.0, 18.0])},
        {"begins": [0, 2]},
    ],
    ids=lambda fields: " ".join(f"{name} {value!r}" for name, value in fields.items()),
)
def test_a_ring_of_the_wrong_kind(stable, fields):
    """The same for the fields of a ring."""
    refused(tampered(stable, **fields), FORM)


@pytest.mark.parametrize(
    ("members", "weights"),
    [
        (np.zeros((0, 3)), np.zeros(0, dtype=np.int64)),
        (np.zeros((1, 3), dtype=np.int64), np.array([1.0])),
        (np.zeros((2, 3), dtype=np.int64), np.array([1])),
        (np.zeros((1, 2), dtype=np.int64), np.array([1])),
        (np.zeros(3, dtype=np.int64), np.array([1])),
        ([[0, 1, 2]], np.array([1])),
        (np.zeros((1, 3), dtype=np.int64), [1]),
    ],
    ids=["float members", "float weights", "too few weights", "too narrow", "flat", "list", "list of weights"],
)
def test_homes_of_the_wrong_kind(stable, members, weights):
    """The same for the homes."""
    refused(tampered(stable, home_members=members, home_weights=weights), FORM)


@given(st.data())
def test_random_damage_is_never_certified(data):
    """Any one number of any array changed, to anything that fits its type: refused, without an error."""
    layout = data.draw(st.sampled_from(LAYOUTS))
    plan = ml.design(PRIOR, 4, layout=layout)
    names = ["weights", "giants", "starts", "members", "home_members", "home_weights", "fixed", "begins"]
    arrays = {name: getattr(plan, name) for name in names if getattr(plan, name).size}
    name = data.draw(st.sampled_from(sorted(arrays)))
    array = arrays[name]
    at = data.draw(st.integers(0, array.size - 1))
    info = np.iinfo(array.dtype)
    old = int(array.flat[at])
    near = st.integers(max(info.min, old - 20), min(info.max, old + 20))
    damaged = np.array(array)
    damaged.flat[at] = data.draw(st.one_of(near, st.integers(int(info.min), int(info.max))).filter(lambda v: v != old))
    assert not ml.certify(tampered(plan, **{name: damaged}), PRIOR)
