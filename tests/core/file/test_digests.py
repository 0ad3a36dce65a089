"""The digest of labels: the same in every process, different for different labels, refused where neither can be had."""

from __future__ import annotations

import datetime
import enum
import json
import os
import subprocess
import sys
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from tests.plans import KEY

import minleak as ml
from minleak.errors import InvalidParameter


def digest(*labels):
    return ml.design(ml.Prior([5, 3, 2][: len(labels)], labels=list(labels)), 2).digest.hex()


# Plans of (5, 3, 2) at k = 2: texts, integers, and what Arrow holds neither of, digested since the first version.
GOLDEN = {
    ("a", "b", "c"): "7c04b5c2a1a4dd0dda9b0bd4298e1bb9d34b868a103864ec063f43a59c16261b",
    (1, 2, 3): "43e317b4b58fe379630adb94b630d4a7da103147ed1d68d28a32988816ab96d3",
    (1, 2, 2**70): "89642a6b48280efc15229d13a3700398a05bde0012ef368c1088e7a6e70090c5",
    ("a", "b", "\udc80"): "85ec564f289dc95750d03e6980ef26de34024a64c3cf345ef4c3fd76be702671",
    ("a", 1, "b"): "2aeee232929153373614c3c4726d2f37f804b178229ef0da8b027a6ef713e1fd",
}


@pytest.mark.parametrize("labels", GOLDEN, ids=ascii)
def test_golden(labels):
    """Text and integers keep their digest."""
    assert digest(*labels) == GOLDEN[labels]


def test_labels_that_differ():
    """In type or value: each its own, alone and inside of others, and wherever one ends and the next begins."""
    one = [1, "1", b"1", (1,), frozenset({1}), None, 0.0, 5e-324, float("inf"), 2**70, -1]
    one += [
        Fraction(1, 3),
        ("1",),
        (b"1",),
        ((1,),),
        (),
        frozenset(),
        (1, 1),
        ("a", "b"),
        ("ab",),
        ("a", ("b",)),
        b"",
        "",
    ]
    one += [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1), "2020-01-01", (2, 3), frozenset({2, 3}), 10**5000]
    found = [digest("x", (), "y")] + [digest(label, ("z",), "y") for label in one] + [digest("y", ("z",), one[0])]
    found += [digest("y", ("z", label), "x") for label in one]
    assert len(set(found)) == len(found)


def test_equal_tuples_of_numpy_and_python():
    """Numbers that numpy wrapped are the numbers, and what equals a label is that label."""
    assert len({digest(label, ("z",), "y") for label in (1, True, 1.0, Fraction(1))}) == 1
    assert digest(0, ("z",), "y") == digest(-0.0, ("z",), "y")
    assert digest(("a", 1), 2.5, "x") == digest(("a", np.int32(1)), np.float64(2.5), np.str_("x"))


ELSEWHERE = """
import datetime, json
from fractions import Fraction
import minleak as ml
labels = [frozenset(["flu", "cold", "gout", ("a", 1)]), (b"x", None, True), Fraction(1, 3), 2.5]
labels.append(datetime.date(2020, 2, 29))
cloak = ml.Cloak(ml.design(ml.Prior([5, 4, 3, 2, 2], labels=labels), 2), key=ml.Key(bytes(range(32))))
print(json.dumps(cloak.draw_many([0, 1, 2, 3, 4] * 20, scopes=[f"user-{i}" for i in range(100)]).tolist()))
"""


def test_sticky_draws_after_a_restart():
    """Are the same whatever Python's hashes begin with: a frozenset is listed in another order each time."""
    drawn = [
        subprocess.run(
            [sys.executable, "-c", ELSEWHERE],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert drawn[0] == drawn[1] == drawn[2]
    assert len(json.loads(drawn[0])) == 100


class Named:
    """Known by its address."""


class Colour(enum.Enum):
    RED = 1


def nested(depth):
    label = ("hush",)
    for _ in range(depth):
        label = (label,)
    return label


REFUSED = {
    "object": Named(),
    "function": len,
    "enum": Colour.RED,
    "decimal": Decimal("1.5"),
    "named tuple": namedtuple("Pair", "a b")("hush", 1),
    "zone": datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
    "time of numpy": np.datetime64(5, "ns"),
    "object inside": ("hush", frozenset([Named()])),
    "deep": nested(300),
}


@pytest.mark.parametrize("label", REFUSED.values(), ids=REFUSED)
def test_what_has_no_form_that_lasts(label):
    """Is refused for sticky draws and set ids, without naming it; fresh draws do without."""
    plan = ml.design(ml.Prior([5, 3, 2], labels=["a", label, "b"]), 2)
    cloak = ml.Cloak(plan)
    assert "a" in cloak.draw_fresh("a")
    for ask in (lambda: ml.Cloak(plan, key=KEY), lambda: cloak.set_id(["a"])):
        with pytest.raises(InvalidParameter, match=r"label 1 \(.*\) has no form that outlasts") as caught:
            ask()
        assert "hush" not in str(caught.value)
