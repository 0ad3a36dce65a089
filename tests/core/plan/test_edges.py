"""The edges of a design: caps, ties, zeros, weights of every size, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.cases import HARD, LAYOUTS, target, total_variation

import minleak as ml
from minleak.errors import InvalidParameter, InvalidPrior


@pytest.fixture(params=LAYOUTS)
def certified(request):
    """Design and certify, by layout."""

    def make(weights, k, **options):
        plan = ml.design(weights, k, layout=request.param, **options)
        assert ml.certify(plan, weights), str(ml.certify(plan, weights))
        return plan

    return make


@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_hard_priors_at_every_cap(certified, weights):
    """Certified, and pi by the definition."""
    for k in range(1, len(weights) + 3):
        assert list(certified(weights, k).exact_target) == target(weights, k)


@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_at_one_everything_is_shown(certified, weights):
    """Each secret alone."""
    plan = certified(weights, 1)
    assert plan.n_giants == 0
    assert plan.target.tolist() == [1.0]
    assert (plan.channel().preimage_sizes == 1).all()
    assert plan.entropy("shannon") == 0


@pytest.mark.parametrize("k", [5, 6, 7, 100, 10**17, 10**30], ids=str)
def test_from_n_on_nothing_leaks(certified, k):
    """One observable for all, however large the cap, and always exactly."""
    weights = [9, 4, 4, 0, 1]
    plan = certified(weights, k)
    assert plan.distance == 0.0
    assert plan.k == 5
    assert plan.channel().toarray().tolist() == [[1.0]] * 5
    assert all(plan.leakage(H) == 0 for H in ("shannon", "min-entropy", "guesswork", "arimoto:2"))
    assert plan.repeated([1, 9]).success == (0.5, 0.5)
    assert ml.certify(plan, weights, k=k)


@pytest.mark.parametrize("k", [1, 2, 10])
def test_one_secret(certified, k):
    """There is nothing to hide."""
    plan = certified([7], k)
    assert plan.target.tolist() == [1.0]
    assert list(plan.sets()) == [((0,), 1)]
    assert plan.leakage("shannon") == 0


@pytest.mark.parametrize(("n", "k"), [(6, 3), (7, 3), (100, 7), (5, 4)])
def test_all_weights_equal(certified, n, k):
    """No giants, and sets that look uniform."""
    plan = certified([3] * n, k)
    assert plan.n_giants == 0
    assert plan.exact_target == (Fraction(1, k),) * k


def test_a_tie_at_the_boundary_of_giants(certified):
    """What fills its share exactly is no giant, and is in every set all the same."""
    plan = certified([6, 3, 3], 2)
    assert plan.n_giants == 0
    assert all(0 in members for members, _ in plan.sets())
    assert certified([7, 3, 3], 2).giants.tolist() == [0]


def test_every_secret_but_one_tiny(certified):
    """The giant hides them all: to guess it is right almost always, seen or unseen."""
    plan = certified([10**12, *[1] * 50], 4)
    assert plan.giants.tolist() == [0]
    assert plan.leakage("min-entropy") == 0
    assert plan.target == pytest.approx([1 - 50e-12, *[50e-12 / 3] * 3], rel=1e-9)


@pytest.mark.parametrize("k", [2, 5, 9])
def test_as_many_giants_as_can_be(certified, k):
    """k - 1 of them, and one place for all others."""
    weights = [2**i for i in range(40, 40 - k + 1, -1)] + [1] * 20
    plan = certified(weights, k)
    assert (plan.n_giants, plan.u) == (k - 1, 1)
    assert plan.channel().shape[1] == 20


def test_zero_weights(certified):
    """They are secrets still: each has an observable, which is never seen."""
    plan = certified([0, 3, 0, 2, 2, 0], 2)
    channel = plan.channel()
    assert channel.shape[0] == 6
    assert channel.posteriors([0, 3, 0, 2, 2, 0]).dropped == ((0, 2), (5,))


@pytest.mark.parametrize(
    "last",
    [2**62 - 1, 2**62, 2**62 + 5, 2**63 - 1, 2**63, 2**70, 10**30, 10**400],
    ids=["below", "at", "above", "int64", "uint64", "more", "much more", "beyond floats"],
)
def test_counts_near_the_limits_of_64_bits(certified, last):
    """Exact as long as k times the total fits, and close beyond; the target says so."""
    weights = [last, last // 3, last // 5, 7, 1]
    plan = certified(weights, 2)
    assert total_variation(plan.weights.tolist(), weights) <= Fraction(plan.distance) + Fraction(1, 10**15)
    assert plan.distance < 1e-15
    assert plan.target == pytest.approx(list(map(float, target(weights, 2))), rel=1e-14)


def test_counts_that_just_fit(certified):
    """k times the total is 2^62 exactly: nothing is cut off."""
    weights = [2**60 - 3, 2**59, 2**59, 3]
    assert certified(weights, 2).weights.tolist() == weights
    weights[3] += 1
    assert certified(weights, 2).weights.tolist() != weights


def test_floats_down_to_the_smallest(certified):
    """Every positive one stays possible, and the distance is said."""
    weights = [0.5, 0.3, 0.2, 1e-18, 1e-300, 5e-324, 0.0]
    plan = certified(weights, 3)
    assert plan.fixed.tolist() == [6]
    assert 0 < plan.distance < 1e-16
    exact = total_variation(plan.weights.tolist(), weights)
    assert plan.distance == pytest.approx(float(exact), abs=1e-16)
    assert ml.certify(plan, weights).gaps["prior"] == plan.distance


def test_dyadic_floats_are_exact(certified):
    """A distance of zero, and the plan of the same integers."""
    plan = certified([0.5, 0.25, 0.125, 0.125], 2)
    assert plan.distance == 0.0
    assert plan.exact_target == ml.design([4, 2, 1, 1], 2).exact_target


def test_fractions_are_exact(certified):
    """With any denominators."""
    weights = [Fraction(1, 3), Fraction(1, 7), Fraction(2, 5), Fraction(13, 105)]
    plan = certified(weights, 2)
    assert plan.distance == 0.0
    assert list(plan.exact_target) == target(weights, 2)


@pytest.mark.parametrize("form", [list, tuple, np.array, ml.Prior], ids=lambda form: form.__name__)
def test_priors_in_any_form(certified, form):
    """As everywhere."""
    assert certified(form([5, 3, 2]), 2).exact_target == (Fraction(1, 2), Fraction(1, 2))


@pytest.mark.parametrize("k", [0, -3, True, 2.0, "3", None, float("nan")], ids=repr)
def test_caps_that_are_refused(k):
    """Below 1, or no integer."""
    with pytest.raises(InvalidParameter, match="whole number from 1 on"):
        ml.design([3, 2, 1], k)


@pytest.mark.parametrize("layout", ["square", "", "Circle", 3, ["circle"]], ids=repr)
def test_layouts_that_are_refused(layout):
    """With the names of those there are."""
    with pytest.raises(InvalidParameter, match=r"unknown layout .*: one of stable, circle"):
        ml.design([3, 2, 1], 2, layout=layout)


@pytest.mark.parametrize("weights", [[], [0, 0], [1, -1], [1.0, float("nan")], "ab"], ids=repr)
def test_priors_that_are_refused(weights):
    """Before anything is designed."""
    with pytest.raises(InvalidPrior):
        ml.design(weights, 2)
