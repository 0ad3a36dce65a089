"""Cloak: what is refused, and stand-ins for unknown secrets."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from tests.cases import LAYOUTS
from tests.plans import DISEASES, KEY, diseases

import minleak as ml
from minleak.errors import InvalidKey, InvalidParameter, UnknownSecret


@pytest.fixture(params=LAYOUTS)
def cloak(request):
    return ml.Cloak(diseases(request.param), key=KEY)


UNKNOWN = ["", "x", "Flu", "flu ", "\udc80", b"flu", 0, 1.5, None, True, 2**70, ("flu",), [], {}, {"flu"}, np.arange(2)]


@pytest.mark.parametrize("secret", [*UNKNOWN, float("nan"), -(2**70)], ids=repr)
@pytest.mark.parametrize(
    "labels", [DISEASES, (10, 20, 30, 40, 50), tuple((x,) for x in DISEASES)], ids=["text", "int", "tuple"]
)
def test_unknown_secrets(labels, secret):
    """Are refused by every way to draw, whatever they are; a truth value is no number."""
    cloak = ml.Cloak(ml.design(ml.Prior([5, 3, 2, 2, 1], labels=labels), 2), key=KEY)
    if isinstance(secret, tuple) and secret in labels:
        secret = ("x",)
    for ask in (
        lambda: cloak.draw(secret, scope="s"),
        lambda: cloak.draw_fresh(secret),
        lambda: cloak.positions([secret]),
    ):
        with pytest.raises(UnknownSecret, match="the plan does not know this secret"):
            ask()
    with pytest.raises(UnknownSecret, match="this is never shown"):
        cloak.set_id([secret])


@pytest.mark.parametrize("secret", [-1, 5, 2**70, "0", 0.5, 5.0, None, []], ids=repr)
def test_unknown_numbers(secret):
    """Where secrets have no names, these are no positions."""
    with pytest.raises(UnknownSecret):
        ml.Cloak(ml.design([5, 3, 2, 2, 1], 2), key=KEY).draw(secret, scope="s")


def test_an_unknown_secret_is_told_by_its_place(cloak):
    """Among many, the first one is, so that a line can be named where the secret cannot."""
    for ask in (
        lambda: cloak.positions(["flu", "cold", "x", "y"]),
        lambda: cloak.set_id(iter(["flu", "flu", "x"])),
        lambda: cloak.draw_many([0, 1, 5, -1], fresh=True),
    ):
        with pytest.raises(UnknownSecret, match="number 2") as caught:
            ask()
        assert caught.value.at == pickle.loads(pickle.dumps(caught.value)).at == 2
    with pytest.raises(UnknownSecret) as caught:
        cloak.draw_fresh("x")
    assert caught.value.at is None


@pytest.mark.parametrize("secrets", ["flu", b"flu", 3, None], ids=repr)
def test_one_secret_is_no_list_of_secrets(cloak, secrets):
    """Its letters are not secrets."""
    for ask, what in ((cloak.positions, "secrets are"), (cloak.set_id, "what is shown is")):
        with pytest.raises(InvalidParameter, match=f"{what} given as a list of labels"):
            ask(secrets)


def test_an_unknown_secret_is_a_key_error():
    """With a readable message all the same."""
    with pytest.raises(KeyError) as caught:
        ml.Cloak(diseases()).draw_fresh("x")
    assert str(caught.value).startswith("the plan does not know this secret")


@pytest.mark.parametrize("secret", UNKNOWN, ids=repr)
def test_a_stand_in_for_unknown_secrets(cloak, secret):
    """They look like the stand-in in the same scope; known ones like themselves."""
    standing = ml.Cloak(cloak.plan, key=KEY, stand_in="gout")
    assert standing.draw(secret, scope="s") == cloak.draw("gout", scope="s")
    assert standing.positions([secret, "flu"]).tolist() == [2, 0]
    assert "gout" in standing.draw_fresh(secret)
    with pytest.raises(UnknownSecret, match="this is never shown"):
        standing.set_id([secret])
    assert standing.draw("flu", scope="s") == cloak.draw("flu", scope="s")


@pytest.mark.parametrize("stand_in", ["x", 0, b"gout", [], "\udc80", 2**70], ids=repr)
@pytest.mark.parametrize("labels", [DISEASES, None, tuple((x,) for x in DISEASES)], ids=["text", "default", "tuple"])
def test_a_stand_in_must_be_known_itself(labels, stand_in):
    """Else it would be one more unknown secret."""
    plan = ml.design(ml.Prior([5, 3, 2, 2, 1], labels=labels), 2)
    if labels is None and stand_in == 0:
        stand_in = 5
    with pytest.raises(InvalidParameter, match="the stand-in for unknown secrets must itself be a label"):
        ml.Cloak(plan, stand_in=stand_in)


def test_a_stand_in_does_not_open_positions(cloak):
    """An index out of range is a mistake, not an unknown secret."""
    with pytest.raises(UnknownSecret):
        ml.Cloak(cloak.plan, stand_in="gout").draw_many([7], fresh=True)


@pytest.mark.parametrize(
    "indices", [[5], [-1], [0, 2**62], np.array([2**64 - 1], dtype=np.uint64), [-(2**63)]], ids=repr
)
def test_indices_out_of_range(cloak, indices):
    """No counting from the end, no going round."""
    with pytest.raises(UnknownSecret, match="an index is not a position of the 5 secrets"):
        cloak.draw_many(indices, fresh=True)


@pytest.mark.parametrize(
    "indices",
    [
        [0.0],
        [1.5],
        [True],
        np.array([True, False]),
        [[0], [1]],
        [[]],
        0,
        None,
        "0",
        ["flu"],
        [0, "1"],
        [2**70],
        [0, [1]],
    ],
    ids=repr,
)
def test_what_are_no_indices(cloak, indices):
    """Floats, truth values, tables, labels."""
    with pytest.raises(InvalidParameter, match="indices are a list or one-dimensional array of whole numbers"):
        cloak.draw_many(indices, fresh=True)


@pytest.mark.parametrize("scopes", [[], ["s"], ["s"] * 3], ids=len)
def test_too_few_or_too_many_scopes(cloak, scopes):
    """One for each."""
    with pytest.raises(InvalidParameter, match=f"{len(scopes)} scopes for 2 secrets"):
        cloak.draw_many([0, 1], scopes=scopes)


@pytest.mark.parametrize("scope", [None, 17, 1.5, True, ["s"], {"s"}, bytearray(b"s"), ("s",)], ids=repr)
def test_what_is_no_scope(cloak, scope):
    """Neither text nor bytes."""
    for ask in (
        lambda: cloak.draw("flu", scope=scope),
        lambda: cloak.draw_many([0, 0], scopes=["s", scope]),
    ):
        with pytest.raises(InvalidParameter, match="a scope is text or bytes that name who asks"):
            ask()


@pytest.mark.parametrize(
    "scope", ["", b"", " ", "\t\n", "\u00a0", "\u200b", "\ufeff", "\u2060\u200d ", "\u3164", "\ufe0f"], ids=ascii
)
def test_an_empty_scope_names_nobody(cloak, scope):
    """All whose id is missing would share their sets, whatever they are called."""
    for ask in (
        lambda: cloak.draw("flu", scope=scope),
        lambda: cloak.draw_many([0, 0], scopes=["s", scope]),
    ):
        with pytest.raises(InvalidParameter, match="a scope is empty"):
            ask()


@pytest.mark.parametrize("scope", ["None", "nan", "NaN", " null ", "undefined", b"None", b"nan"], ids=ascii)
def test_a_missing_value_written_as_text_names_nobody(cloak, scope):
    """str(None) and its like are the same for all whose id is missing."""
    for ask in (
        lambda: cloak.draw("flu", scope=scope),
        lambda: cloak.draw_many([0, 0], scopes=["s", scope]),
    ):
        with pytest.raises(InvalidParameter, match="a scope is what programs write for a missing value"):
            ask()


def test_a_scope_with_a_nul_is_refused(cloak):
    """Some programs end a text there, and two subjects would become one. Bytes may be a number."""
    for scope in ("\0", "ann\0", "\0ann"):
        with pytest.raises(InvalidParameter, match="a scope holds a NUL character"):
            cloak.draw("flu", scope=scope)
    assert cloak.draw("flu", scope=b"\0\0\0\7")


@pytest.mark.parametrize("scope", ["0", "none", "Nan", "Null", "\u5f20", "\u0915\u094d", "-", b"\0", b" "], ids=ascii)
def test_names_that_only_look_like_nobody(cloak, scope):
    """Are somebody's."""
    assert cloak.draw("flu", scope=scope)


@pytest.mark.parametrize("scopes", ["ab", b"ab", 17, {"ab"}, frozenset(["ab"])], ids=repr)
def test_one_scope_is_no_list_of_scopes(cloak, scopes):
    """The letters of a name are not the names of two subjects, and what is in no order is for no secret."""
    with pytest.raises(InvalidParameter, match="scopes are a list of text or bytes, one for each secret"):
        cloak.draw_many([0, 1], scopes=scopes)


@pytest.mark.parametrize(
    "how",
    [{}, {"fresh": False}, {"scopes": ["s"], "fresh": True}, {"scopes": ["s"], "fresh": 2}, {"fresh": np.arange(2)}],
    ids=repr,
)
def test_sticky_or_fresh_has_to_be_said(cloak, how):
    """Both or none is refused."""
    with pytest.raises(InvalidParameter, match="say either scopes= for sticky draws or fresh=True"):
        cloak.draw_many([0], **how)


def test_sticky_draws_need_a_key():
    """Fresh ones do not."""
    cloak = ml.Cloak(diseases())
    for ask in (lambda: cloak.draw("flu", scope="s"), lambda: cloak.draw_many([0], scopes=["s"])):
        with pytest.raises(InvalidKey, match="sticky draws need a key"):
            ask()
    assert "flu" in cloak.draw_fresh("flu")
