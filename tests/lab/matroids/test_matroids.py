"""Matroids by oracles: what is found is a result with a face, and what is no matroid is refused in one line."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from tests.lab.matroids.families import FAMILIES, partition_by_subsets, random_matroid, ranks

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter
from minleak.lab import Matroid, matroid_optimum
from minleak.lab._matroids import nearest


@pytest.mark.parametrize("family", FAMILIES)
def test_ranks_and_closures_are_those_of_the_definition(family):
    matroid = random_matroid(family, 6, random.Random(5))
    found = ranks(matroid)
    for some, rank in found.items():
        assert matroid.rank(some) == rank
        assert matroid.closure(some) == {e for e in range(6) if found[some | {e}] == rank}


def test_the_examples_of_the_theory():
    """A group that outweighs its share: (.6, .1, .1, .05 x 4), k = 4, at most one of the two tenths."""
    caps = Matroid.laminar(7, [(range(7), 4), ([1, 2], 1)])
    found = matroid_optimum([12, 2, 2, 1, 1, 1, 1], caps)
    assert found.target == (Fraction(3, 5), Fraction(1, 5), Fraction(1, 10), Fraction(1, 10))
    assert [block.members for block in found.partition.blocks] == [(0,), (1, 2), (3, 4, 5, 6)]


def test_a_rank_function_and_an_independence_oracle_say_the_same():
    weights = [5, 3, 3, 2, 1]
    by_rank = matroid_optimum(weights, lambda some: min(len(some), 2)).partition
    assert by_rank == matroid_optimum(weights, lambda some: len(some) <= 2).partition
    assert by_rank == matroid_optimum(weights, Matroid.uniform(5, 2)).partition


def test_floats_that_fail_are_made_good_by_fractions(monkeypatch):
    """Densities that differ by less than floats tell."""
    weights = [10**12 + 1, 10**12, 10**12, 10**12 - 1, 10**12 - 1]
    matroid = Matroid.partition(list("aabbc"), 1)
    assert list(matroid_optimum(weights, matroid).target) == partition_by_subsets(weights, matroid)
    monkeypatch.setattr(nearest, "_STARTS", 1)
    monkeypatch.setattr(nearest, "_ROUNDS", 1)
    weights = [7, 5, 4, 3, 3, 2]
    matroid = Matroid.graphic([(0, 1), (1, 2), (2, 0), (2, 3), (3, 0), (1, 3)])
    assert list(matroid_optimum(weights, matroid).target) == partition_by_subsets(weights, matroid)


def test_what_is_found_has_a_face():
    prior = ml.Prior([4, 2, 2, 2, 0], labels=["Bern", "Basel", "Lyon", "Nice", "Cannes"])
    found = matroid_optimum(prior, Matroid.partition(["ch", "ch", "fr", "fr", "fr"], at_most=1))
    assert found.success == 0.6
    assert "principal partition" in str(found)
    assert found.to_dict()["target"] == ["3/5", "2/5"] or len(found.to_dict()["target"]) == 2
    assert found.leakage("min-entropy") == pytest.approx(ml.leakage(prior, found.channel(), "min-entropy"))
    assert found.channel().inputs[4] == "Cannes"
    assert found.partition.blocks[1].members == ("Lyon", "Nice", "Cannes")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: matroid_optimum([1, 1], Matroid.uniform(3, 1)), "on 3 secrets and the prior has 2"),
        (lambda: matroid_optimum([1, 1], "uniform"), "not 'uniform'"),
        (lambda: matroid_optimum([1, 1], lambda _: None), "of the empty set"),
        (
            lambda: matroid_optimum([1, 1, 1], lambda some: some != {0, 1} and some != {0, 2} and len(some) < 3),
            "must be the independent sets of a matroid; got",
        ),
        (lambda: matroid_optimum([1, 1, 1], lambda some: len(some) ** 2), "no rank of a matroid"),
        (lambda: Matroid.laminar(3, [([0, 1], 1), ([1, 2], 1)]), "the caps cross: 1 is in two sets"),
        (lambda: Matroid.partition("ab", 0), "not str"),
        (lambda: Matroid.partition(["a", "b"], 0), "a cap is a whole number from 1 on, not 0"),
        (lambda: Matroid.partition(["a", "b"], {"a": 1}), "no cap for the group 'b'"),
        (lambda: Matroid.uniform(3, 0), "the cap k"),
        (lambda: Matroid.uniform(10**4, 2), "the number of secrets"),
        (lambda: matroid_optimum([1, 1], Matroid.uniform(2, 1)).entropy(ml.Gain("shannon", [1, 2])), "without gains"),
    ],
)
def test_what_is_no_matroid_is_refused_in_one_line(call, said):
    with pytest.raises(InvalidParameter, match=said) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_a_secret_in_no_set_cannot_be_shown():
    with pytest.raises(Infeasible, match="no allowed set has secret 1"):
        matroid_optimum([1, 1], Matroid.graphic([(0, 1), (2, 2)]))


def test_giants_of_equal_weight_are_one_block():
    found = matroid_optimum([5, 5, 1, 1], Matroid.uniform(4, 3))
    assert [(block.members, block.rank) for block in found.partition.blocks] == [((0, 1), 2), ((2, 3), 1)]
    assert found.target == (Fraction(5, 12), Fraction(5, 12), Fraction(1, 6))
    apart = matroid_optimum([6, 5, 1, 1], Matroid.uniform(4, 3))
    assert [block.members for block in apart.partition.blocks] == [(0,), (1,), (2, 3)]
