"""A cloak over strings that cannot be listed: every text has a set, always the same in a scope."""

from __future__ import annotations

from collections import Counter

import pytest
from scipy.stats import chisquare

import minleak as ml
from minleak.errors import InvalidKey, InvalidParameter, UnknownSecret

WORDS = ["dragon", "monkey", "sunshine", "letmein", "qwerty", "shadow", "master", "tulips"]
MODEL = ml.strings.NGram.fit(WORDS, order=3, longest=12)
PLAN = ml.design(ml.Prior([6, 5, 4, 3, 2, 1, 1, 1], labels=WORDS), 4, unknown=MODEL)
KEY = ml.Key(bytes(range(32)))


def test_any_text_has_a_set_always_the_same(tmp_path):
    PLAN.save(tmp_path / "plan.cloak")
    cloak, again = ml.Cloak(PLAN, key=KEY), ml.Cloak(tmp_path / "plan.cloak", key=KEY)
    for text in (*WORDS, "never seen", "", "日本", "x" * 12):
        shown = cloak.draw(text, scope="user-1")
        assert text in shown
        assert len(set(shown)) == 4
        assert list(shown) == sorted(shown)
        assert shown == again.draw(text, scope="user-1")
        assert cloak.set_id(shown) == again.set_id(reversed(shown))
    many = {cloak.draw("dragon", scope=f"user-{i}") for i in range(50)}
    assert len(many) > 1
    assert cloak.draw_all(WORDS, scope="user-1") == [cloak.draw(text, scope="user-1") for text in WORDS]


def test_a_secrets_place_among_the_members_is_uniform():
    plan = ml.design(MODEL, 4)
    cloak, step = ml.Cloak(plan, key=KEY), MODEL.total // 4000
    places = Counter()
    for i in range(4000):
        secret = MODEL.at(i * step)
        places[cloak.draw(secret, scope=f"user-{i}").index(secret)] += 1
    assert chisquare([places[i] for i in range(4)]).pvalue > 1e-6


def test_what_has_no_place_is_refused_without_being_quoted():
    cloak = ml.Cloak(PLAN, key=KEY)
    for text in ("x" * 13, "\ud800", 7, None):
        with pytest.raises(UnknownSecret, match="longer or no text") as refusal:
            cloak.draw(text, scope="user-1")
        assert "xx" not in str(refusal.value)
    with pytest.raises(UnknownSecret) as refusal:
        cloak.draw_all(["dragon", "x" * 13], scope="user-1")
    assert refusal.value.at == 1
    with pytest.raises(UnknownSecret, match="never shown") as refusal:
        cloak.set_id(["dragon", 7, None])
    assert refusal.value.at == 1


def test_what_needs_a_list_is_refused():
    cloak = ml.Cloak(PLAN, key=KEY)
    with pytest.raises(InvalidParameter, match="a key and a scope alone"):
        cloak.draw_fresh("dragon")
    with pytest.raises(InvalidParameter, match="no positions"):
        cloak.positions(["dragon"])
    with pytest.raises(InvalidParameter, match="no positions"):
        cloak.draw_many([0], scopes=["user-1"])
    with pytest.raises(InvalidParameter, match="no stand_in"):
        ml.Cloak(PLAN, key=KEY, stand_in="dragon")
    with pytest.raises(InvalidKey, match="need a key"):
        ml.Cloak(PLAN).draw("dragon", scope="user-1")
    with pytest.raises(InvalidParameter, match="scope"):
        cloak.draw("dragon", scope="")
    assert repr(cloak) == f"Cloak(any string, k=4, layout='strings', key {KEY.id})"
