"""Prior: weights stay exact, probabilities are right, and what is no prior is refused by row or label."""

from __future__ import annotations

import copy
import math
import pickle
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plain import PRIOR, SECRETS, WEIGHTS

import minleak as ml
from minleak.core._prior import SUM_TOLERANCE, as_prior
from minleak.errors import InvalidChannel, InvalidParameter, InvalidPrior, UnreadableFile

ROUNDINGS = 3 * 2.0**-53


@pytest.mark.parametrize(
    "weights",
    [
        list(WEIGHTS),
        tuple(WEIGHTS),
        iter(WEIGHTS),
        np.array(WEIGHTS),
        np.array(WEIGHTS, dtype=np.uint8),
        np.array(WEIGHTS, dtype=np.uint64),
        np.array(WEIGHTS, dtype=object),
        [np.int32(w) for w in WEIGHTS],
        pa.array(WEIGHTS),
        pa.chunked_array([WEIGHTS[:1], WEIGHTS[1:]]),
    ],
    ids=lambda weights: type(weights).__name__,
)
def test_integers_from_any_sequence_stay_integers(weights):
    """Integer weights are kept as they came, whatever holds them."""
    prior = ml.Prior(weights, labels=SECRETS)
    assert prior.exact
    assert prior.weights.tolist() == list(WEIGHTS)
    assert prior.total == sum(WEIGHTS)
    assert len(prior) == len(WEIGHTS)
    assert list(prior.labels) == list(SECRETS)
    assert prior.p.tolist() == [float(p) for p in PRIOR]


@given(st.lists(st.integers(0, 10**40), min_size=1, max_size=9).filter(any))
def test_integers_of_any_size_are_exact(weights):
    """Totals and weights pass 64 bits without loss, and p is within three roundings of w / total."""
    prior = ml.Prior(weights)
    assert prior.weights.tolist() == weights
    assert prior.total == sum(weights)
    for p, w in zip(prior.p.tolist(), weights, strict=True):
        assert abs(Fraction(p) - Fraction(w, sum(weights))) <= ROUNDINGS * Fraction(w, sum(weights))


def test_a_total_beyond_int64_is_exact():
    """The sum of int64 weights does not wrap around."""
    largest = 2**63 - 1
    assert ml.Prior(np.array([largest] * 3)).total == 3 * largest
    assert ml.Prior(np.array([2**64 - 1, 1], dtype=np.uint64)).total == 2**64


@given(st.lists(st.fractions(min_value=0, max_denominator=60), min_size=1, max_size=6).filter(any))
def test_fractions_become_integers_in_proportion(weights):
    """Fractions are kept exactly, as integers over their common denominator."""
    prior = ml.Prior(weights)
    assert prior.exact
    assert [Fraction(int(w), int(prior.total)) for w in prior.weights] == [w / sum(weights) for w in weights]


def test_floats_are_weights():
    """Floats need not sum to one, and one float makes the prior a float prior."""
    assert ml.Prior([0.5, 1.5]).p.tolist() == [0.25, 0.75]
    mixed = ml.Prior([Fraction(1, 2), 1, 0.5])
    assert not mixed.exact
    assert mixed.p.tolist() == [0.25, 0.5, 0.25]
    assert ml.Prior(np.array([1, 3], dtype=np.float32)).weights.dtype == np.float64


@pytest.mark.parametrize("weight", [1e308, 1.7e308, 5e-324, 1e-300])
def test_extreme_floats_neither_overflow_nor_vanish(weight):
    """Four equal weights are four quarters, even where their sum is no float."""
    assert ml.Prior([weight] * 4).p.tolist() == [0.25] * 4


def test_zero_weights_are_allowed():
    """A secret of weight zero keeps its place and its label."""
    prior = ml.Prior([0, 2, 0], labels=["a", "b", "c"])
    assert prior.p.tolist() == [0, 1, 0]
    assert prior.labels[2] == "c"


def test_the_given_array_is_copied_and_the_prior_cannot_be_changed():
    """Changing the source later does not change the prior, and its arrays are read-only."""
    source = np.array([1.0, 1.0])
    prior = ml.Prior(source)
    source[0] = 9
    assert prior.p.tolist() == [0.5, 0.5]
    for array in (prior.weights, prior.p):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_from_counts_takes_any_mapping_in_its_order():
    """A mapping's keys are the labels, in order."""
    prior = ml.Prior.from_counts(Counter("abracadabra"))
    assert dict(zip(prior.labels, prior.weights.tolist(), strict=True)) == Counter("abracadabra")
    assert prior.labels[0] == "a"


def test_uniform():
    """n equal weights, exactly."""
    prior = ml.Prior.uniform(3)
    assert prior.exact
    assert prior.weights.tolist() == [1, 1, 1]


def test_as_prior_takes_priors_mappings_and_sequences():
    """A prior is passed through, a mapping keeps its labels, a sequence is numbered."""
    prior = ml.Prior([1, 2])
    assert as_prior(prior) is prior
    assert list(as_prior({"a": 1}).labels) == ["a"]
    assert list(as_prior([1, 2]).labels) == [0, 1]


def test_normalised_accepts_what_sums_to_one():
    """Exactly for integers and Fractions, within the tolerance for floats."""
    ml.Prior([0, 1], normalised=True)
    ml.Prior([Fraction(1, 3)] * 3, normalised=True)
    ml.Prior([0.1] * 10, normalised=True)
    ml.Prior([0.5, 0.5 + SUM_TOLERANCE / 2], normalised=True)


@pytest.mark.parametrize(
    ("weights", "total"),
    [
        ([0.5, 0.5 + 2 * SUM_TOLERANCE], "1.000000002"),
        ([2, 3], "5"),
        ([Fraction(1, 2), Fraction(1, 3)], "5/6"),
        ([Fraction(1), Fraction(1, 10**30)], f"{10**30 + 1}/{10**30}"),
        ([10**400, 1], str(10**400 + 1)),
        ([1e308, 1e308], "inf"),
    ],
)
def test_normalised_refuses_what_does_not(weights, total):
    """The message tells the sum and the remedy."""
    with pytest.raises(InvalidPrior) as refused:
        ml.Prior(weights, normalised=True)
    assert f"sum to {total}" in str(refused.value)
    assert "leave it out" in str(refused.value)


BAD_WEIGHTS = {
    "negative integer": -3,
    "negative float": -1e-300,
    "negative Fraction": Fraction(-1, 2),
    "negative beyond int64": -(10**30),
    "NaN": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "bool": True,
    "numpy bool": np.True_,
    "text": "2",
    "bytes": b"2",
    "nothing": None,
    "list": [2],
    "complex": 1j,
    "Decimal": Decimal("NaN"),
    "huge Decimal": Decimal("1E+999999"),
}


@pytest.mark.parametrize("bad", BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
@pytest.mark.parametrize("before", [1, 0.5, Fraction(1, 2)], ids=["int", "float", "Fraction"])
def test_a_bad_weight_is_refused_by_row_and_label(bad, before):
    """One bad weight among good ones is named by its row, and by its label if it has one, in one line."""
    with pytest.raises(InvalidPrior, match=r"^the weight at row 1 is [^\n]*$"):
        ml.Prior([before, bad, 1])
    with pytest.raises(InvalidPrior, match=r"^the weight at row 1 \('cold'\) is [^\n]*$"):
        ml.Prior([before, bad, 1], labels=["flu", "cold", "gout"])
    with pytest.raises(InvalidPrior, match=r"row 1 \('cold'\)"):
        ml.Prior.from_counts({"flu": before, "cold": bad})


@pytest.mark.parametrize(
    "weights",
    [
        np.array([1.0, np.nan]),
        np.array([1, -1]),
        np.array(["1", "2"]),
        np.array([True, False]),
        np.array([1, 1j]),
        np.array([1, None]),
        pa.array([True, False]),
        pa.array(["1", "2"]),
        pa.array([1, None]),
        pa.chunked_array([[1], [None]]),
    ],
    ids=lambda weights: f"{type(weights).__name__}-{getattr(weights, 'dtype', None) or weights.type}",
)
def test_a_bad_array_is_refused_by_row(weights):
    """What a list is refused for, an array is refused for."""
    with pytest.raises(InvalidPrior, match=r"the weight at row [01] is"):
        ml.Prior(weights)


def test_an_integer_too_large_for_a_float_cannot_stand_beside_floats():
    """Exactness is not given up silently."""
    with pytest.raises(InvalidPrior, match=r"row 1 is too large .* as integers or Fractions"):
        ml.Prior([0.5, 10**400])


@pytest.mark.parametrize("weights", ["12", b"12", {"a": "1"}, {"a"}, None, 5, 5.0], ids=repr)
def test_what_is_no_sequence_of_numbers_is_refused(weights):
    """Text, sets and single numbers are no weights."""
    with pytest.raises(InvalidPrior):
        ml.Prior(weights)


def test_a_matrix_is_refused_by_its_shape():
    """Weights have one dimension."""
    with pytest.raises(InvalidPrior, match=r"shape \(2, 2\)"):
        ml.Prior(np.ones((2, 2)))


@pytest.mark.parametrize(
    "weights", [[], np.array([]), iter(()), pa.array([], pa.int64())], ids=["list", "numpy", "iterator", "arrow"]
)
def test_no_weights_are_refused(weights):
    """A prior needs a secret."""
    with pytest.raises(InvalidPrior, match="at least one secret"):
        ml.Prior(weights)


@pytest.mark.parametrize("weights", [[0], [0, 0.0], [Fraction(0)], [-0.0]], ids=repr)
def test_only_zeros_are_refused(weights):
    """Some secret must be possible."""
    with pytest.raises(InvalidPrior, match="all weights are zero"):
        ml.Prior(weights)


@pytest.mark.parametrize("twice", ["a", 7, (1, "a"), None], ids=repr)
def test_a_label_that_stands_twice_is_refused_with_both_places(twice):
    """The message names the label and the two rows."""
    with pytest.raises(InvalidPrior) as refused:
        ml.Prior([1, 2, 3], labels=[twice, "b", twice])
    for part in (f"the label {twice!r}", "row 0", "row 2", "add up"):
        assert part in str(refused.value)


def test_labels_must_be_as_many_as_weights():
    """The message gives both numbers."""
    with pytest.raises(InvalidPrior, match="3 weights but 2 labels"):
        ml.Prior([1, 2, 3], labels=["a", "b"])


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "3"], ids=repr)
def test_uniform_needs_a_whole_number(n):
    """The number of secrets is a whole number from 1 on."""
    with pytest.raises(InvalidParameter, match="whole number from 1 to"):
        ml.Prior.uniform(n)


def test_from_counts_needs_a_mapping():
    """A sequence is sent to Prior."""
    with pytest.raises(InvalidPrior, match="mapping from secret to weight, not list"):
        ml.Prior.from_counts([1, 2])


def test_every_refusal_is_a_value_error_of_ours():
    """Callers may catch ValueError, or everything of ours at once."""
    for error in (InvalidPrior, InvalidChannel, InvalidParameter, UnreadableFile):
        assert issubclass(error, ml.errors.MinleakError)
        assert issubclass(error, ValueError)


@pytest.mark.parametrize("weights", [[3, 1, 0], [0.5, 0.25, 0.25], [2**70, 1, 1]])
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda prior: pickle.loads(pickle.dumps(prior))])
def test_copies_cannot_be_changed(weights, again):
    """Neither the weights of a copy nor what is kept of them; and what is kept is not written out with them."""
    prior = ml.Prior(weights, labels=["a", "b", "c"], events=9)
    before = len(pickle.dumps(prior))
    kept = prior.p, prior.descending
    assert len(pickle.dumps(prior)) == before
    other = again(prior)
    assert other == prior
    assert other.events == 9
    for array, same in zip((other.p, other.descending), kept, strict=True):
        assert not array.flags.writeable
        assert array.tolist() == same.tolist()
    assert not other.weights.flags.writeable
