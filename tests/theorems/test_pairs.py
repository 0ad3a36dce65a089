"""Pairs on any graph: one channel is optimal in every symmetric, core-concave entropy, and the certificate accepts
exactly the optimal channels.
"""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from tests.oracles.pairs import (
    KINDS,
    WEIGHTS,
    largest_core,
    random_core,
    random_graph,
    random_weights,
    theta_by_subsets,
)

import minleak as ml
from minleak import lab
from minleak.errors import InvalidParameter

ENTROPIES = ["shannon", "min-entropy", "guesswork", "arimoto:0.5", "arimoto:2", "hayashi:2", "tsallis:4"]


def columns_of(found, weights):
    """The columns of the joint, in Fractions, from the integers that are drawn."""
    plan, columns = found.plan(), {}
    for x, (begin, end) in enumerate(itertools.pairwise(plan.starts.tolist())):
        row = plan.weights[begin:end].tolist()
        for y, w in zip(plan.columns[begin:end].tolist(), row, strict=True):
            columns.setdefault(y, {})[x] = Fraction(weights[x] * w, sum(row))
    return columns


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("of", WEIGHTS)
def test_theta_is_that_of_all_subsets_and_the_channel_has_it(kind, of):
    """Exactly; and no channel does better in the sum of random concave cores, by linear programmes."""
    for seed in range(4):
        rng = random.Random(f"{kind} {of} {seed}")
        n, edges = random_graph(kind, rng)
        weights = random_weights(of, n, rng)
        found = lab.pairs(weights, edges)
        theta = theta_by_subsets(weights, edges)
        assert found.theta == theta
        if of == "large":  # rows that no 64 bits hold
            continue
        allowed = {frozenset(edge) for edge in edges}
        columns = columns_of(found, weights)
        for column in columns.values():
            assert len(column) == 1 or frozenset(column) in allowed
            assert all(mass == theta[x] * sum(column.values()) for x, mass in column.items() if weights[x])
        assert lab.certify_pairs(found.plan(), weights, edges).ok
        core, pieces = random_core(rng)
        value = sum(core(*([float(v) for v in column.values() if v] + [0.0, 0.0])[:2]) for column in columns.values())
        assert value == pytest.approx(largest_core(weights, edges, pieces), abs=1e-8)


@pytest.mark.parametrize("seed", range(40))
def test_the_certificate_accepts_exactly_the_channels_that_are_optimal_in_shannon(seed):
    rng = random.Random(seed)
    n = rng.randint(2, 6)
    edges = [edge for edge in itertools.combinations(range(n), 2) if rng.random() < 0.6]
    weights = [rng.randint(1, 4) for _ in range(n)]
    best = lab.pairs(weights, edges)
    sets = [(x,) for x in range(n)] + edges
    matrix = np.full((n, len(sets)), Fraction(0), dtype=object)
    for x in range(n):
        shares = [rng.choice([0, 0, 1, 2]) * (x in some) for some in sets]
        shares[x] += not any(shares)
        matrix[x] = [Fraction(share, sum(shares)) for share in shares]
    mixed = matrix
    for weight, channel in ((0, matrix), (Fraction(1, 2), matrix)):
        if weight:  # the optimum and a random channel, half each
            own = np.full((n, len(best._outputs)), Fraction(0), dtype=object)
            plan = best.plan()
            for x, y, share in zip(
                np.repeat(np.arange(n), np.diff(plan.starts)), plan.columns, plan.weights.tolist(), strict=True
            ):
                own[x, y] = Fraction(share, int(plan.totals[x]))
            mixed = np.concatenate([own / 2, channel / 2], axis=1)
        found = lab.certify_pairs(mixed, weights, edges)
        gap = ml.leakage(weights, mixed, "shannon") - best.leakage("shannon")
        assert (found.valid, found.exact) == (True, True)
        assert found.ok == (gap < 1e-9)


@pytest.mark.parametrize("weights", [(3, 2, 1, 1), (1, 3, 1, 1), (2, 1, 1, 2), (3, 1, 2, 3)])
def test_one_channel_of_a_path_is_best_in_every_entropy(weights):
    """Each entropy against the certified optimum of the convex programme."""
    path = [(0, 1), (1, 2), (2, 3)]
    allowed = np.array([[x in pair for pair in path] for x in range(4)])
    best = lab.pairs(weights, path)
    for name in ENTROPIES:
        other = lab.optimise(weights, entropy=name, allowed=allowed)
        assert other.bound <= best.leakage(name) + 1e-9
        assert best.leakage(name) == pytest.approx(other.leakage, abs=2e-6)
        assert best.entropy(name) == pytest.approx(ml.entropy(name)(weights) - best.leakage(name), abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_gains_are_weights(seed):
    """The channel for gains is that of gain times weight, and no other leaks less under Gain."""
    rng = random.Random(seed)
    n, edges = random_graph("random", rng)
    weights, gains = random_weights("small", n, rng), [rng.randint(0, 3) for _ in range(n - 1)] + [1]
    found = lab.pairs(weights, edges, gains=gains)
    assert found.theta == theta_by_subsets([w * g for w, g in zip(weights, gains, strict=True)], edges)
    assert lab.certify_pairs(found.plan(), weights, edges, gains=gains).ok
    for name in ("min-entropy", "arimoto:2"):
        measure = ml.Gain(name, gains)
        assert found.entropy(name) == pytest.approx(measure.conditional(weights, found.channel()))
        for _ in range(20):
            rows = [[rng.random() * (x in some) for some in [*((y,) for y in range(n)), *edges]] for x in range(n)]
            other = np.array(rows) / np.sum(rows, axis=1, keepdims=True)
            assert ml.leakage(weights, other, measure) >= found.leakage(name) - 1e-9


@pytest.mark.parametrize("weights", [[0.3, 0.28, 0.22, 0.2], [Fraction(1, 3), Fraction(1, 7), 1, 2], [10**30, 3, 2, 1]])
def test_weights_of_all_kinds_are_taken_exactly(weights):
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    exact = [Fraction(w) for w in weights]
    whole = [int(w * 2**60 * 21) for w in exact]
    assert lab.pairs(weights, edges).theta == theta_by_subsets(whole, edges)


def test_it_is_drawn_and_saved(tmp_path):
    """The odds are the integers; the file keeps the observables."""
    prior = ml.Prior.from_counts({"a": 3, "b": 2, "c": 1, "d": 1, "e": 4, "f": 0})
    allowed = [("a", "b"), ("b", "c"), ("c", "d"), ("e", "f")]
    found = lab.pairs(prior, allowed)
    assert found.theta == {"a": Fraction(3, 5), "b": Fraction(2, 5), "c": Fraction(1, 2), "d": Fraction(1, 2), "e": 1}
    found.plan().save(tmp_path / "pairs.cloak")
    cloak = ml.Cloak(ml.load(tmp_path / "pairs.cloak"), key=ml.Key(bytes(32)))
    shown = [cloak.draw(x, scope="one")[0] for x in "abcdef"]
    assert shown == [("a", "b"), ("a", "b"), ("c", "d"), ("c", "d"), ("e",), ("f",)]
    assert lab.certify_pairs(ml.load(tmp_path / "pairs.cloak"), prior, allowed).ok


def test_a_channel_with_a_set_that_is_not_allowed_is_not_valid():
    found = lab.certify_pairs([[1], [1]], [1, 1], [])
    assert not found.valid
    assert "1 is not" in str(found)


def test_the_certificate_says_which_property_is_missing():
    """A secret with two posteriors; and one posterior for each, of which two add up to more than 1."""
    half = Fraction(1, 2)
    several = lab.certify_pairs([[half, half], [1, 0], [0, 1]], [2, 1, 3], [(0, 1), (0, 2)])
    assert [check.ok for check in several.checks] == [True, False, False]
    assert several.checks[1].detail == "1 has several"
    alone = lab.certify_pairs([[Fraction(1), 0], [0, Fraction(1)]], [1, 1], [(0, 1)])
    assert [check.ok for check in alone.checks] == [True, True, False]
    assert alone.checks[2].detail == "1 adds up to more"


@pytest.mark.parametrize(
    ("allowed", "message"),
    [
        ([(0, 0)], "a pair must be of two different secrets; got (0, 0). Leave it out."),
        ([(0, 9)], "pairs must be of secrets of the prior; got 9. Leave it out."),
        ([(0, 1, 2)], "each of the pairs must be two secrets; got (0, 1, 2)."),
        (["ab"], "each of the pairs must be two secrets; got 'ab'."),
        (7, "pairs must be a list of pairs of secrets; got int."),
    ],
)
def test_bad_pairs_are_refused_in_one_line(allowed, message):
    with pytest.raises(InvalidParameter) as refused:
        lab.pairs([1, 1], allowed)
    assert str(refused.value) == message


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(InvalidParameter, match="must treat all secrets alike"):
        lab.pairs([1, 1], [(0, 1)]).leakage(ml.Gain("min-entropy", [1, 2]))
    with pytest.raises(InvalidParameter, match="no secret of positive weight has a gain"):
        lab.pairs([1, 0], [(0, 1)], gains=[0, 1])
    with pytest.raises(InvalidParameter, match="integers with a sum up to 2"):
        lab.pairs([10**30, 3, 10**25 + 1, 7], [(0, 1), (1, 2), (2, 3), (3, 0)]).plan()


def test_the_refusal_of_pairs_as_a_matroid_does_not_say_that_they_have_no_optimum():
    allowed = [set(), {0}, {1}, {2}, {3}, {0, 1}, {1, 2}, {2, 3}]
    with pytest.raises(InvalidParameter, match="must be the independent sets of a matroid") as refused:
        lab.matroid_optimum([3, 2, 1, 1], lambda some: set(some) in allowed)
    assert "no optimum" not in str(refused.value)


def test_many_secrets_with_many_pairs():
    """Ten thousand secrets with a hundred thousand pairs, whole, checked by the certificate."""
    rng = np.random.default_rng(0)
    n = 10_000
    edges = rng.integers(0, n, (100_000, 2))
    edges = edges[edges[:, 0] != edges[:, 1]]
    weights = np.minimum(1000 * (rng.pareto(0.7, n) + 1), 1e9).astype(np.int64)
    found = lab.pairs(weights, edges)
    assert len(found.classes) > 100
    assert lab.certify_pairs(found.plan(), weights, edges).ok
    assert found.success == pytest.approx(2 ** -found.entropy("min-entropy"))
