"""The n-gram model: every text has an interval, and the intervals tile the line."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidCloak, InvalidParameter, UnknownSecret
from minleak.strings._model import StringModel, strings_of
from minleak.strings._ngram import NGram

WORDS = ["dragon", "monkey", "Sunshine", "letmein1", "naïve", "日本", ""]


@pytest.fixture(scope="module")
def model() -> NGram:
    return NGram.fit(WORDS, longest=12)


def test_it_is_a_model(model: NGram) -> None:
    assert isinstance(model, StringModel)


@pytest.mark.parametrize(
    "text",
    ["", "dragon", "x" * 12, "drägon", "日本語", "😀a😀", "\x00", chr(0x10FFFF), chr(0xD7FF), chr(0xE000), "\u0378"],
)
def test_every_text_owns_its_interval_and_nothing_beside_it(model: NGram, text: str) -> None:
    start, weight = model.interval(text)
    assert weight == model.weight(text) >= 1
    assert model.at(start) == text == model.at(start + weight - 1)
    assert start == 0 or model.at(start - 1) != text
    assert start + weight == model.total or model.at(start + weight) != text


def test_positions_are_decoded_and_encoded_back(model: NGram) -> None:
    rng = random.Random(1)
    for _ in range(500):
        position = rng.randrange(model.total)
        start, weight = model.interval(model.at(position))
        assert start <= position < start + weight


@pytest.mark.parametrize("order", [1, 2, 4])
def test_all_strings_of_a_small_alphabet_tile_the_line(order: int) -> None:
    small = NGram.fit(["ab", "b", "abc"], order=order, longest=3, alphabet="abc", others=False)
    assert repr(small).startswith(f"NGram(order={order}, longest=3, alphabet=3, contexts=")
    listed = dict(strings_of(small, 100))
    assert len(listed) == 1 + 3 + 9 + 27
    assert sum(listed.values()) == small.total
    weights = sorted(listed.values(), reverse=True)
    found = small.heaviest(10)
    assert [weight for _, weight in found] == weights[:10]
    assert all(listed[string] == weight for string, weight in found)
    assert len(dict(small.heaviest(100, above=weights[6]))) == sum(weight > weights[6] for weight in weights)


def test_the_heaviest_may_be_outside_the_alphabet() -> None:
    foreign = NGram.fit(["é"] * 50 + ["a"], order=1, longest=2, alphabet="a")
    best = foreign.heaviest(30)
    weights = [weight for _, weight in best]
    assert weights == sorted(weights, reverse=True)
    assert [foreign.weight(x) for x, _ in best] == weights
    assert any("à" <= x[0] <= "ÿ" for x, _ in best if x)


def test_shares_are_those_of_witten_and_bell() -> None:
    one = NGram.fit(["a", "a", "a", "b"], order=1, longest=1, alphabet="ab", others=False)
    # without an end to say, 3 of 4 events and 2 kinds: (3 + 2/3) / 6 and (1 + 2/3) / 6 of the line, by grid
    assert Fraction(one.weight("a"), one.total) == pytest.approx(Fraction(11, 18), abs=1e-4)
    assert Fraction(one.weight("b"), one.total) == pytest.approx(Fraction(5, 18), abs=1e-4)


def test_a_prior_counts_its_strings() -> None:
    listed = NGram.fit(["aa", "aa", "aa", "ab"], longest=4)
    counted = NGram.fit(ml.Prior([3, 1, 0], labels=["aa", "ab", "zz"]), longest=4, alphabet="ab")
    assert all(listed.weight(x) == counted.weight(x) for x in ("aa", "ab", "ba", ""))


def test_a_file_gives_the_same_model(model: NGram, tmp_path) -> None:
    model.save(tmp_path / "model")
    again = NGram.load(tmp_path / "model")
    assert (again.total, again.alphabet, again.order) == (model.total, model.alphabet, model.order)
    assert all(again.interval(x) == model.interval(x) for x in (*WORDS, "Ünseen"))


def test_a_file_of_another_kind_is_refused(tmp_path) -> None:
    ml.design([3, 2, 1], k=2).save(tmp_path / "plan.cloak")
    with pytest.raises(InvalidCloak, match="does not hold a model"):
        NGram.load(tmp_path / "plan.cloak")


@pytest.mark.parametrize("string", ["x" * 13, "\ud800", 7, None])
def test_what_has_no_place_is_refused_without_being_quoted(model: NGram, string: object) -> None:
    assert model.weight(string) == 0  # type: ignore[arg-type]
    with pytest.raises(UnknownSecret, match="at most 12 characters") as refusal:
        model.interval(string)  # type: ignore[arg-type]
    assert "xxx" not in str(refusal.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 0}, "the order is a whole number"),
        ({"longest": 2.5}, "the longest length is a whole number"),
        ({"longest": 4097}, "the longest length is a whole number from 1 to 4,096, not 4097"),
        ({"longest": 1}, "at least one string"),
        ({"alphabet": "aa"}, "different characters"),
        ({"alphabet": ""}, "different characters"),
        ({"alphabet": "\ud800"}, "no halves"),
        ({"order": 40}, "lower the order"),
    ],
)
def test_a_fit_that_cannot_be_is_refused(options: dict, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        NGram.fit(["dragon", "monkey"], **options)


@pytest.mark.parametrize("strings", [[], "text", [1], ["\ud800"], 7])
def test_only_text_is_fitted(strings: object) -> None:
    with pytest.raises(InvalidParameter, match="fitted to"):
        NGram.fit(strings)  # type: ignore[arg-type]


def test_large_counts_and_floats_are_scaled() -> None:
    whole = NGram.fit(ml.Prior([2**61, 2**60], labels=["ab", "b"]), longest=3)
    parts = NGram.fit(ml.Prior([2 / 3, 1 / 3], labels=["ab", "b"]), longest=3)
    assert np.isclose(
        float(Fraction(whole.weight("ab"), whole.total)), float(Fraction(parts.weight("ab"), parts.total)), rtol=1e-3
    )
