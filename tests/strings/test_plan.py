"""Plans over strings: what they say, what they refuse, and what they are worth against those who know better."""

from __future__ import annotations

from fractions import Fraction
from math import log2

import pytest

import minleak as ml
from minleak.errors import InvalidParameter, InvalidPrior
from minleak.strings._model import strings_of
from minleak.testing import check_model

WORDS = ["dragon", "monkey", "sunshine", "letmein", "qwerty", "shadow", "master", "tulips"]
COUNTS = ml.Prior([40, 30, 20, 10, 5, 1, 1, 1], labels=WORDS)


@pytest.fixture(scope="module")
def model() -> ml.strings.NGram:
    return ml.strings.NGram.fit(WORDS, order=3, longest=12)


def test_an_ngram_conforms(model):
    check_model(model, strings=["", "日本", "x" * 12])


def test_a_model_that_does_not_tile_is_told(model):
    class Shifted(ml.strings.NGram):
        def at(self, position):
            return super().at(max(0, position - 1))

    with pytest.raises(AssertionError, match="at\\(position\\) is x"):
        check_model(Shifted(model.alphabet, model.longest, model.levels, model.escape))


def test_the_target_is_that_of_the_joint_weights(model):
    plan = ml.design(COUNTS, 5, unknown=model)
    share = Fraction(3, 108)
    assert plan.string_prior.share == share
    heaviest = (1 - share) * Fraction(40, 108)
    assert plan.exact_target[0] == heaviest
    assert sum(plan.exact_target) == 1
    assert plan.entropy("min-entropy") == pytest.approx(-log2(heaviest))
    assert [string for string, _ in plan.giants] == ["dragon", "monkey", "sunshine"]


@pytest.mark.parametrize("share", [Fraction(1, 1000), 0.4, 0.8, Fraction(999, 1000), None])
def test_strings_that_were_not_counted_have_exactly_the_share_asked_for(share):
    """Of all strings, those of weight 0 among the labels too; None is Good and Turing's. Giants are those of a list."""
    model = ml.strings.NGram.fit(["aa", "ab", "ba", "b"], order=2, longest=3, others=False)
    counts = {"aa": 5, "ab": 1, "b": 1, "bbb": 0}
    plan = ml.design(ml.Prior.from_counts(counts), 4, unknown=model, unknown_share=share)
    asked = Fraction(2, 7) if share is None else Fraction(share).limit_denominator(1000)
    weights = {string: plan.string_prior.weight(string) for string, _ in strings_of(model, 1000)}
    assert sum(weights.values()) == plan.string_prior.total
    rest = sum(weight for string, weight in weights.items() if not counts.get(string))
    assert Fraction(rest, plan.string_prior.total) == asked
    assert plan.unlisted == float(asked)
    giants, tail = [], plan.string_prior.total
    for string, weight in sorted(weights.items(), key=lambda one: -one[1]):
        if weight * (4 - len(giants)) <= tail:
            break
        giants.append(string)
        tail -= weight
    assert {string for string, _ in plan.giants} == set(giants)
    assert ml.certify(plan, plan.prior), str(ml.certify(plan, plan.prior))


def test_a_model_that_holds_counted_strings_alone_has_none_that_are_unknown():
    model = ml.strings.NGram.fit(["a"], longest=1, alphabet="a", others=False)
    with pytest.raises(InvalidParameter, match="no string that was not counted"):
        ml.design(ml.Prior.from_counts({"": 2, "a": 2}), 2, unknown=model, unknown_share=0.5)


def test_counted_strings_that_the_model_holds_likely_crowd_no_giant_out():
    """Three of the model's heaviest were counted, and are light; the next is a giant."""
    model = ml.strings.NGram.fit(
        ["aa"] * 40 + ["ab"] * 30 + ["ba"] * 20 + ["bb"] * 10, order=2, longest=2, others=False
    )
    heaviest = [string for string, _ in model.heaviest(4)]
    counts = dict.fromkeys(heaviest[:3], 1) | {"never there": 100}
    plan = ml.design(ml.Prior.from_counts(counts), 3, unknown=model, unknown_share=0.6)
    assert heaviest[3] in dict(plan.giants)
    assert ml.certify(plan, plan.prior)


def test_against_itself_it_is_as_claimed(model):
    plan = ml.design(COUNTS, 6, unknown=model)
    same = plan.against(model, prior=COUNTS, trials=300)
    assert same.low <= plan.success * (1 + 1e-12)
    assert same.high >= plan.success * (1 - 1e-12)
    other = plan.against(ml.strings.NGram.fit(["123456", "654321", "112233"], longest=12), trials=300)
    assert other.low > plan.success
    assert str(other).startswith(f"a guess is right with probability {other.success:.4f} ({other.low:.4f} to ")
    assert f"where the plan claims {plan.success:.4f}; " in str(other)
    assert repr(plan).startswith(f"UnlistedPlan(k={plan.k}, giants={len(plan.giants)}, listed=")
    with pytest.raises(InvalidParameter, match="gains are for secrets that are listed"):
        plan.entropy(ml.Gain(ml.Shannon(), [1, 2]))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda m: ml.design(COUNTS, 3, unknown=m, unknown_share=0), InvalidParameter, "between 0 and 1"),
        (lambda m: ml.design(COUNTS, 3, unknown=m, unknown_share=float("nan")), InvalidParameter, "between 0 and 1"),
        (lambda m: ml.design(COUNTS, 3, unknown=m, unknown_share="much"), InvalidParameter, "between 0 and 1"),
        (lambda _: ml.design(COUNTS, 3, unknown_share=0.1), InvalidParameter, "give both"),
        (lambda _: ml.design(COUNTS, 3, unknown="model"), InvalidParameter, "no model of strings"),
        (lambda m: ml.design(COUNTS, 3, unknown=m, layout="circle"), InvalidParameter, "for listed secrets"),
        (lambda m: ml.design(COUNTS, 3, unknown=m, gains=[1] * 8), InvalidParameter, "for listed secrets"),
        (lambda m: ml.design(m, 3, unknown_share=0.1), InvalidParameter, "a model alone has all of it"),
        (lambda m: ml.design([5, 2, 1], 2, unknown=m), InvalidPrior, "strings as labels"),
        (lambda m: ml.design(ml.Prior([0.5, 0.5], labels=["a", "b"]), 2, unknown=m), InvalidPrior, "whole counts"),
        (lambda m: ml.design(ml.Prior([5, 5], labels=["a", "b"]), 2, unknown=m), InvalidParameter, "there are none"),
        (lambda m: ml.design(ml.Prior([1, 1], labels=["a", "b"]), 2, unknown=m), InvalidParameter, "all are unknown"),
        (lambda m: ml.design(m, 0), InvalidParameter, "cap k"),
    ],
)
def test_what_cannot_be_designed_is_refused(model, make, error, message):
    with pytest.raises(error, match=message):
        make(model)


def test_fewer_strings_than_places():
    two = ml.strings.NGram.fit(["a"], longest=1, alphabet="a", others=False)
    with pytest.raises(InvalidParameter, match="no more than 2 strings"):
        ml.design(two, 3)
