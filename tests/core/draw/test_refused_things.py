"""Whatever a cloak, its methods and its keys are given, no error says a secret."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.core.draw.test_secrecy import spoken
from tests.plans import DISEASES, KEY

import minleak as ml

MARK = "hush"  # in all text and bytes that are given
TEXT = st.text(st.characters(exclude_categories=()), max_size=5).map(lambda text: MARK + text)
LEAVES = st.one_of(
    TEXT,
    TEXT.map(lambda text: text.encode("utf-8", "replace")),
    TEXT.map(lambda text: bytearray(text.encode("utf-8", "replace"))),
    TEXT.map(lambda text: memoryview(bytearray(text.encode("utf-8", "replace")))),
    st.sampled_from(["", b"", " ", "flu", 0, 3, None, True, 10**4000, -(2**63), 2**64, os.devnull, "x" * 10**5]),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.fractions(),
    st.decimals(),
    st.datetimes(),
    st.sampled_from([np.arange(3), np.array(["flu"]), np.array("flu"), np.array([["flu"]], dtype=object)]),
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(TEXT, inner, max_size=2),
        st.lists(inner, max_size=2).map(iter),
    ),
    max_leaves=6,
)
LABELS = [DISEASES, None, (1, 2, 3, 4, 5), (("a", 1), b"flu", 2.5, None, "\udc80")]
PLANS = [ml.design(ml.Prior([5, 3, 2, 2, 0], labels=labels), 2) for labels in LABELS]
CLOAKS = [ml.Cloak(plan, key=KEY) for plan in PLANS]

USES = {
    "draw": lambda cloak, thing: cloak.draw(thing, scope="s"),
    "draw_fresh": lambda cloak, thing: cloak.draw_fresh(thing),
    "scope": lambda cloak, thing: cloak.draw(cloak.plan.prior.labels[0], scope=thing),
    "scopes": lambda cloak, thing: cloak.draw_many([0, 1], scopes=thing),
    "a scope of two": lambda cloak, thing: cloak.draw_many([0, 1], scopes=["s", thing]),
    "indices": lambda cloak, thing: cloak.draw_many(thing, fresh=True),
    "an index of two": lambda cloak, thing: cloak.draw_many([0, thing], fresh=True),
    "fresh": lambda cloak, thing: cloak.draw_many([0], fresh=thing),
    "positions": lambda cloak, thing: cloak.positions(thing),
    "positions of two": lambda cloak, thing: cloak.positions([cloak.plan.prior.labels[0], thing]),
    "set_id": lambda cloak, thing: cloak.set_id(thing),
    "stand_in": lambda cloak, thing: ml.Cloak(cloak.plan, stand_in=thing),
    "seed": lambda cloak, thing: ml.Cloak(cloak.plan, insecure_seed_for_experiments=thing),
    "key": lambda cloak, thing: ml.Cloak(cloak.plan, key=thing),
    "plan": lambda _, thing: ml.Cloak(thing),
    "Key": lambda _, thing: ml.Key(thing),
    "Key.load": lambda _, thing: ml.Key.load(thing),
    "Key.save": lambda _, thing: KEY.save([thing]),
}


@pytest.mark.parametrize("use", USES)
@settings(max_examples=40)
@given(st.sampled_from(CLOAKS), ANYTHING)
@example(CLOAKS[3], memoryview(bytearray(b"hush")))
@example(CLOAKS[0], 10**4000)
def test_no_error_says_what_was_given(use, cloak, thing):
    """Unless it is the path of a plan. Data is refused by errors of minleak, a wrong type may be a TypeError."""
    said = []
    try:
        USES[use](cloak, thing)
    except (ml.errors.MinleakError, TypeError) as error:
        said = spoken(error)
    assert use == "plan" or not any(MARK in text for text in said)
