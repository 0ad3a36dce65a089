"""Plan: what it says of itself, and its sets one after the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import CORES, HARD, LAYOUTS, OTHERS, TOYS, names, target

import minleak as ml
from minleak.core._plan.groups import GroupTree
from minleak.errors import InvalidParameter
from minleak.testing import priors


@pytest.mark.parametrize(("weights", "j"), [toy[:2] for toy in TOYS.values()], ids=TOYS)
def test_toys(weights, j):
    """Giants are named largest first, and pi is as the paper prints it."""
    plan = ml.design(weights, 3)
    assert plan.n_giants == j - 1
    assert plan.giants.tolist() == list(range(j - 1))
    assert plan.target == pytest.approx(list(map(float, target(weights, 3))), rel=1e-15)


@given(priors(max_size=10), st.integers(1, 12), st.sampled_from(LAYOUTS))
def test_the_target(prior, k, layout):
    """Exact and in floats, by the definition; every layout has the same."""
    plan = ml.design(prior, k, layout=layout)
    pi = target(prior.weights.tolist(), k)
    assert list(plan.exact_target) == pi
    assert plan.target == pytest.approx(list(map(float, pi)), rel=1e-15)
    assert plan.layout == layout
    assert plan.k == min(k, len(prior))


@pytest.mark.parametrize("H", CORES, ids=names(CORES))
def test_entropies_are_those_of_the_target(H):
    """By object, and by name where there is one."""
    plan = ml.design([9, 5, 3, 2, 1, 1], 3)
    pi = list(map(float, target([9, 5, 3, 2, 1, 1], 3)))
    assert plan.entropy(H) == pytest.approx(H(pi), rel=1e-12)
    assert plan.leakage(H) == pytest.approx(H([9, 5, 3, 2, 1, 1]) - H(pi), rel=1e-12)


def test_entropies_by_name():
    """As everywhere."""
    plan = ml.design([9, 5, 3, 2, 1, 1], 3)
    assert plan.entropy("arimoto:2") == plan.entropy(ml.Collision())
    assert plan.leakage("guess-error:2") == plan.leakage(ml.GuessError(2))


@pytest.mark.parametrize("H", OTHERS, ids=names(OTHERS))
def test_entropies_of_no_core_are_those_of_the_channel(H):
    """Nothing says that the plan is the best for them, but what it leaks is told all the same."""
    plan = ml.design([9, 5, 3, 2, 1, 1], 3)
    assert plan.leakage(H) == pytest.approx(ml.leakage([9, 5, 3, 2, 1, 1], plan.channel(), H), abs=1e-12)


def test_gains_belong_to_the_design():
    """An entropy with gains of its own would be wrong on pi, which knows no labels."""
    with pytest.raises(InvalidParameter, match="give the gains to design"):
        ml.design([2, 1, 1], 2).entropy(ml.Gain(ml.Shannon(), [1, 2, 3]))


@given(priors(max_size=8), st.integers(1, 9), st.sampled_from(LAYOUTS))
def test_sets_are_the_channel_column_by_column(prior, k, layout):
    """Each set with its probability, which add up to one; the channel's columns are the same sets."""
    plan = ml.design(prior, k, layout=layout)
    found: Counter[tuple[int, ...]] = Counter()
    for members, probability in plan.sets():
        assert len(set(members)) == len(members) <= k
        assert list(members) == sorted(members)
        assert set(plan.giants.tolist()) <= set(members) or probability == 0
        found[members] += probability
    assert sum(found.values()) == 1
    exact = plan.channel(exact=True)
    total = sum(prior.weights.tolist())
    shown = {
        members: sum(Fraction(w, total) * c for w, c in zip(prior.weights.tolist(), exact.exact[:, y], strict=True))
        for y, members in enumerate(exact.outputs)
    }
    assert shown == dict(found)
    assert len(shown) <= plan.n_cells


def test_sets_are_named_by_labels():
    """In the order of the prior."""
    plan = ml.design({"gout": 2, "flu": 5, "cold": 3}, 2, layout="circle")
    assert dict(plan.sets()) == {("gout", "flu"): Fraction(2, 5), ("flu", "cold"): Fraction(3, 5)}


def test_impossible_secrets_have_sets_of_their_own():
    """At most k in each, of probability zero; nobody else is put at risk for them."""
    plan = ml.design([0, 4, 0, 3, 2, 0, 3, 0], 3)
    assert plan.fixed.tolist() == [0, 2, 5, 7]
    empty = [members for members, probability in plan.sets() if probability == 0]
    assert empty == [(0, 2, 5), (7,)]


def test_where_all_fit_into_one_set_the_impossible_fill_it_up():
    """Nothing leaks, and no set is larger than k."""
    plan = ml.design([0, 4, 0, 3, 0], 3)
    assert list(plan.sets()) == [((0, 1, 3), 1), ((2, 4), 0)]
    assert plan.leakage("shannon") == 0


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_blocks_of_cells_do_not_depend_on_their_width(weights, layout):
    """The same sets of the same lengths."""
    plan = ml.design(weights, max(1, len(weights) - 1), layout=layout)

    def gathered(width):
        blocks = list(plan.cells(width))
        return [row for sets, lengths in blocks for row in zip(sets.tolist(), lengths.tolist(), strict=True)]

    assert gathered(1) == gathered(3) == gathered(4096)
    assert sum(length for _, length in gathered(2)) == plan.phases


def test_a_plan_is_a_frozen_result():
    """Its fields stay, and it says what it is without a secret in it."""
    plan = ml.design({"flu": 812, "cold": 640, "gout": 12}, 2)
    assert repr(plan).startswith("Plan(n=3, k=2, giants=1, layout='stable'")
    assert "flu" not in repr(plan)
    with pytest.raises(FrozenInstanceError):
        plan.k = 3


def test_everything_that_decides_is_an_integer():
    """Weights, positions and lengths; no float among them."""
    plan = ml.design([0.1, 0.2, 0.3, 0.4], 3)
    arrays = [plan.weights, plan.giants, plan.home_members, plan.home_weights, plan.members, plan.starts]
    arrays += [plan.fixed, plan.begins]
    assert all(array.dtype.kind == "i" for array in arrays)
    assert all(type(number) is int for number in (plan.k, plan.u, plan.rest, plan.phases, plan.length, plan.total))


def test_a_plan_of_fields_that_do_not_fit_is_refused():
    """In one line, before an index leads nowhere in a draw, in sets or in a file."""
    plan = ml.design([40, 9, 8, 8, 7, 5, 4, 4, 0], 4)
    for wrong in (
        {"home_members": plan.home_members + 9},
        {"home_members": plan.home_members - 9},
        {"home_members": plan.home_members[:, 1:]},
        {"home_members": None},
        {"home_weights": -plan.home_weights},
        {"starts": plan.starts[::-1]},
        {"starts": plan.starts[:-1]},
        {"members": np.full(len(plan.starts), 9)},
        {"members": plan.members[:0], "starts": plan.starts[:0]},
        {"length": plan.length + 1},
        {"length": 2**63},
        {"length": 2.0},
        {"fixed": np.array([9])},
        {"fixed": np.array([8, 8]), "begins": np.array([0, 2])},
        {"fixed": np.array([1]), "begins": np.array([0, 1])},
        {"begins": np.array([0, 2])},
        {"begins": np.array([0, 0, 1])},
        {"tiers": ((plan.u, plan.rest),)},
        {"giants": np.array([9])},
        {"giants": np.array([1])},
        {"giants": plan.giants[:0]},
        {"weights": plan.weights[:-1]},
        {"weights": plan.weights.astype(float)},
        {"weights": plan.weights + 1},
        {"prior": [1, 2, 3]},
        {"k": 10},
        {"k": True},
        {"gains": np.full(9, np.nan)},
        {"groups": GroupTree(np.zeros(8, dtype=int), np.array([-1]), np.array([1]))},
        {"groups": GroupTree(np.zeros(9, dtype=int), np.array([0]), np.array([1]))},
        {"groups": GroupTree(np.zeros(9, dtype=int), np.array([-1]), np.array([0]))},
        {"distance": -1.0},
        {"known_as": b"x"},
    ):
        with pytest.raises(InvalidParameter, match="these fields are not those of a plan") as refused:
            replace(plan, **wrong)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("layout", ["stable", "circle"])
def test_what_design_makes_is_a_plan(layout):
    """Its fields are those that the constructor takes."""
    for weights in (
        [5, 3, 2, 2, 1],
        [3, 3, 3, 3],
        [0, 0, 9, 0],
        [0.4, 0.3, 0.3],
        [2**70, 2**69 + 1, 3],
        [1],
        range(1, 400),
    ):
        for k in (1, 2, 3, 10):
            plan = ml.design(list(weights), k, layout=layout)
            assert replace(plan).digest == plan.digest
