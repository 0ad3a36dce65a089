"""Whatever is given to the functions of design: an answer, or an error of ours that says what was wrong."""

from __future__ import annotations

import contextlib
import datetime
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minleak as ml

WEIGHTS = [5, 3, 2, 2, 1, 0]
PLAN = ml.design(ml.Prior(WEIGHTS, labels=list("abcdef")), 3)
NEAR = ml.design([5, 3, 2, 2, 1, 0], 3, layout=ml.Near([0, 1, 2, 3, 4, 5]))

ODD = [
    *(None, True, False, 0, 1, -1, 2, 7, 2**31, 2**63 - 1, 2**64, -(2**70), 10**400),
    *(0.0, -0.5, 0.5, 1.5, 1e308, 5e-324, math.nan, math.inf, -math.inf, 1j, Fraction(1, 3), Fraction(10**400, 3)),
    *("", "shannon", "x", "arimoto:2", b"x", "\udc80", "a\0b", object(), datetime.date(2020, 1, 1), len, int),
    *(
        [],
        [0],
        [1],
        [-1],
        [1, 2],
        [1.5],
        [math.nan],
        ["a"],
        ["a", "b"],
        [None],
        [[1, 2], [3]],
        [[]],
        [10**400],
        [2**64],
    ),
    *(
        [10**400],
        [1e308] * 6,
        [0] * 6,
        [1, 2, 3, 4, 5, 6],
        [5e-324] * 6,
        [10**400, 1, 1, 1, 1, 1],
        [("a", "b")],
        [(0, 1)],
    ),
    *((), {}, {"a": 1, "b": 2}, {1: "x"}, set(), {1, 2}, range(6), range(0), iter([1, 2, 3]), (i for i in ())),
    *(np.array(3), np.empty((0, 3)), np.eye(6), np.array(["a"]), np.array([1, 2], dtype=object), np.float32(1.5)),
    *(np.full(6, np.nan), np.zeros(6, dtype=complex), np.array([1, 2], dtype="M8[s]"), np.ma.masked_array([1, 2])),
    *(PLAN, NEAR, PLAN.prior, ml.Channel(np.eye(6)), ml.Shannon(), ml.Guesswork(), ml.GuessError(3), ml.Hartley()),
]


def _designed(layout):
    return lambda **given: ml.design(WEIGHTS, 3, layout=layout(**given))


# Each function with arguments that are right, one of which is then replaced.
CALLS = {
    "design": (ml.design, {"prior": WEIGHTS, "k": 3, "layout": "stable", "gains": [1, 2, 3, 4, 5, 6]}),
    "near": (_designed(ml.Near), {"points": range(6), "metric": "euclidean", "stability": 0.5}),
    "near, forbid": (_designed(ml.Near), {"points": range(6), "forbid": [(3, 5)]}),
    "cheapest": (_designed(ml.Cheapest), {"cost": np.ones((6, 6)), "forbid": [(3, 5)]}),
    "certify": (ml.certify, {"subject": PLAN, "prior": WEIGHTS, "k": 3, "gains": None}),
    "certify channel": (
        ml.certify,
        {"subject": np.eye(6), "prior": WEIGHTS, "k": 3, "entropies": ["shannon"], "tolerance": 1e-9, "gains": None},
    ),
    "load": (ml.load, {"path": "none.cloak"}),
    "save": (PLAN.save, {"path": "none/none.cloak"}),
    "Cloak": (ml.Cloak, {"plan": PLAN, "stand_in": None}),
    "entropy": (PLAN.entropy, {"entropy": "shannon"}),
    "leakage": (PLAN.leakage, {"entropy": "shannon", "prior": WEIGHTS}),
    "decoys": (NEAR.decoy_distances, {"shares": [0.5]}),
    "channel": (PLAN.channel, {"dense": True, "exact": False, "limit": 10**6}),
    "repeated": (PLAN.repeated, {"draws": [1, 2], "trials": 10, "seed": 0, "exact": None}),
    "simulated": (NEAR.repeated, {"draws": [1, 2], "trials": 10, "seed": 0, "exact": False}),
    "sweep": (ml.sweep, {"prior": WEIGHTS, "ks": [1, 2], "entropies": ["shannon"]}),
    "least_k": (ml.least_k, {"prior": WEIGHTS, "entropy": "shannon", "leakage": 0.5, "success": None}),
    "least_k success": (ml.least_k, {"prior": WEIGHTS, "success": 0.5}),
    "baselines": (
        lambda **given: [b.leakage("shannon") for b in ml.baselines(**given, trials=10)],
        {"prior": WEIGHTS, "k": 3},
    ),
    "paper_algorithm": (ml.theory.paper_algorithm, {"prior": WEIGHTS, "k": 3}),
    "to_multiple": (ml.padding.to_multiple, {"sizes": [1, 5], "of": 4}),
    "to_power_of_two": (ml.padding.to_power_of_two, {"sizes": [1, 5]}),
    "padme": (ml.padding.padme, {"sizes": [1, 5]}),
    "padding": (
        ml.padding.design,
        {"sizes": range(6), "prior": WEIGHTS, "budget": 2.0, "entropy": "shannon", "floor": 1, "randomised": False},
    ),
    "compare": (
        ml.padding.compare,
        {"sizes": range(6), "prior": WEIGHTS, "entropies": ["shannon"], "policies": None, "floor": 1},
    ),
    "frontier": (
        ml.padding.frontier,
        {"sizes": range(6), "prior": WEIGHTS, "entropy": "shannon", "floor": 1, "points": 3, "policies": None},
    ),
}
PLACES = [(name, parameter) for name, (_, given) in CALLS.items() for parameter in given]


@pytest.fixture(scope="module", autouse=True)
def elsewhere(tmp_path_factory):
    """Odd paths that can be written are written there."""
    with contextlib.chdir(tmp_path_factory.mktemp("odd")):
        yield


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(PLACES), st.integers(0, len(ODD) - 1))
@pytest.mark.filterwarnings("ignore")
def test_only_errors_of_ours(place, odd):
    """Any argument replaced by anything."""
    answered(*place, odd)


def answered(name, parameter, odd):
    function, given = CALLS[name]
    with contextlib.suppress(ml.MinleakError):
        function(**{**given, parameter: ODD[odd]})


@pytest.mark.parametrize("odd", [-(10**5000), "x" * 10**6, [1.5] * 10**6], ids=["digits", "text", "list"])
def test_messages_are_short_whatever_came(odd):
    """Python prints no integers of thousands of digits, and nobody reads a million letters."""
    plan = ml.design([3, 2, 1], 2)
    for call in (
        lambda: ml.design([3, 2, 1], odd),
        lambda: ml.sweep([3, 2, 1], ks=[odd]),
        lambda: ml.design([3, 2, 1], 2, layout=odd),
        lambda: plan.channel(limit=odd),
        lambda: ml.certify(plan, [3, 2, 1], k=odd if isinstance(odd, str) else 10**5000),
        lambda: ml.theory.paper_algorithm(range(1, 20_001), 9000),
        lambda: plan.repeated(trials=odd),
        lambda: plan.repeated(draws=[odd]),
        lambda: ml.baselines([3, 2, 1], 2, trials=odd),
        lambda: ml.certify(plan, [3, 2, 1], tolerance=odd),
        lambda: ml.Near([1, 2, 3], metric=odd),
        lambda: ml.Near([1, 2, 3], stability=odd),
    ):
        with pytest.raises(ml.MinleakError) as error:
            call()
        assert len(str(error.value)) < 1000
