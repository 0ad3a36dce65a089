"""The least capacity is the logarithm of the fractional cover number in all of Arimoto's orders; and what leaks at most
through one observable.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.lab.matroids.families import FAMILIES, random_matroid
from tests.oracles.covers import ORDERS, all_sets, cover_number, random_channel, random_family, sibson

import minleak as ml
from minleak import lab
from minleak.errors import Infeasible, InvalidParameter


@pytest.mark.parametrize("seed", range(25))
def test_one_channel_has_the_least_capacity_in_all_orders(seed):
    """At the dual it leaks log chi, at no prior more, and other channels do not leak less at the dual."""
    n, sets = random_family(random.Random(seed))
    found, rng = lab.least_capacity(n, allowed=sets), np.random.default_rng(seed)
    assert found.exact
    assert found.certificate().ok
    assert float(found.factor) == pytest.approx(cover_number(n, sets))
    matrix = found.channel().toarray()
    assert all(any(set(members) <= set(some) for some in sets) for members, _ in found.sets)
    worst = np.array([float(y / found.factor) for y in found.dual.values()])
    for order in ORDERS:
        assert sibson(worst, matrix, order) == pytest.approx(found.capacity, abs=1e-9)
        for _ in range(5):
            assert sibson(rng.dirichlet(np.full(n, 0.5)), matrix, order) <= found.capacity + 1e-9
            assert sibson(worst, random_channel(sets, n, rng), order) >= found.capacity - 1e-9


@pytest.mark.parametrize("order", [0.3, 1, 2, 7, math.inf])
def test_the_worst_prior_is_that_of_arimotos_entropy(order):
    found = lab.least_capacity(list("abcd"), allowed=[tuple("abc"), ("a", "d"), ("b", "d"), ("c", "d")])
    assert found.factor == Fraction(5, 3)
    entropy = {1: "shannon", math.inf: "min-entropy"}.get(order, f"arimoto:{order}")
    assert ml.leakage(found.worst_prior(order), found.channel(), entropy) == pytest.approx(found.capacity)
    assert ml.capacity(found.channel(), entropy).value == pytest.approx(found.capacity, abs=1e-6)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 1), (7, 2), (7, 3), (6, 6), (4, 9), (30, 8)])
def test_a_cap(n, k):
    found = lab.least_capacity(n, k)
    assert found.factor == Fraction(n, min(n, k))
    assert found.certificate().ok
    assert lab.maximal_leakage(found.channel()) == pytest.approx(found.capacity)
    if n < 8:
        assert float(found.factor) == pytest.approx(cover_number(n, all_sets(n, lambda some: len(some) <= k)))


@pytest.mark.parametrize("seed", range(12))
def test_matroids_have_the_largest_ratio_of_size_to_rank(seed):
    rng = random.Random(seed)
    n = rng.randint(2, 6)
    matroid = random_matroid(FAMILIES[seed % len(FAMILIES)], n, rng)
    found = lab.least_capacity(n, allowed=matroid)
    subsets = itertools.chain.from_iterable(itertools.combinations(range(n), size) for size in range(1, n + 1))
    assert found.factor == max(Fraction(len(some), matroid.rank(some)) for some in subsets)
    assert found.certificate().ok


@pytest.mark.parametrize("seed", range(20))
def test_budgets_of_bytes(seed):
    rng = random.Random(seed)
    n, budget = rng.randint(2, 7), rng.randint(4, 12)
    sizes = [rng.randint(0, budget) for _ in range(n)]
    k = rng.choice([None, 2, 3])
    found = lab.least_capacity(n, k, sizes=sizes, budget=budget)
    allowed = all_sets(n, lambda some: sum(sizes[x] for x in some) <= budget and (k is None or len(some) <= k))
    assert float(found.factor) == pytest.approx(cover_number(n, allowed))
    assert found.exact
    assert found.certificate().ok
    assert all(members in allowed for members, _ in found.sets)


def test_a_hundred_sizes_are_bracketed_closely():
    rng = random.Random(3)
    sizes = {f"package {x}": 1000 * rng.randint(1, 500) for x in range(60)}
    found = lab.least_capacity(list(sizes), sizes=sizes, budget=1_000_000)
    assert found.certificate().valid
    assert 0 <= found.factor - found.least < 1e-9
    assert found.channel().inputs == list(sizes)


def test_a_certificate_that_is_wrong_is_not_ok():
    found = lab.least_capacity(5, 2)
    assert not replace(found, factor=Fraction(2)).certificate().ok
    assert not replace(found, sets=found.sets[1:]).certificate().valid
    assert not replace(found, dual=dict.fromkeys(range(5), Fraction(2, 3))).certificate().valid
    assert not replace(found, sets=((tuple(range(5)), Fraction(1)),), factor=Fraction(1)).certificate().valid


@pytest.mark.parametrize(
    ("secrets", "given", "error", "message"),
    [
        (4, {}, InvalidParameter, "exactly one of k, allowed, and sizes with budget must be given"),
        (4, {"k": 2, "allowed": [(0, 1)]}, InvalidParameter, "exactly one of k, allowed, and sizes with budget"),
        (4, {"sizes": [1, 1, 1, 1]}, InvalidParameter, "sizes and budget must go together; got one of them."),
        (4, {"sizes": [1, 1], "budget": 3}, InvalidParameter, "sizes must be one for each of 4 secrets; got 2."),
        (2, {"sizes": [1, 5], "budget": 3}, Infeasible, "every secret must fit the budget of 3; got 5 for 1."),
        (3, {"allowed": [(0, 1)]}, Infeasible, "every secret must be in an allowed set; got none with 2."),
        (3, {"allowed": [(0, 7)]}, InvalidParameter, "allowed sets must be of the secrets; got 7."),
        (3, {"allowed": ["ab"]}, InvalidParameter, "each of the allowed sets must be a set of secrets; got 'ab'."),
        (
            3,
            {"allowed": lab.Matroid.uniform(4, 2)},
            InvalidParameter,
            "the matroid must be on 3 secrets; got one on 4.",
        ),
        (
            "ab",
            {"k": 1},
            InvalidParameter,
            "secrets must be their number, or a list of different labels; name each once.",
        ),
        (
            ["a", "a"],
            {"k": 1},
            InvalidParameter,
            "secrets must be their number, or a list of different labels; name each once.",
        ),
        (2, {"sizes": [1, 10**9], "budget": 10**9}, InvalidParameter, "secrets times budget must be at most"),
    ],
)
def test_bad_input_is_refused_in_one_line(secrets, given, error, message):
    with pytest.raises(error) as refused:
        lab.least_capacity(secrets, **given)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


# -- pointwise maximal leakage -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_no_observable_leaks_more_than_its_bound(seed):
    """Exactly: rows, supports, the number of observables and max C[x,y]/p(y); and no channel is below n/k."""
    rng = random.Random(seed)
    n = rng.randint(3, 14)
    k = rng.randint(2, n)
    kinds = [lambda: rng.randint(1, 5), lambda: rng.randint(1, 1000), lambda: int(rng.paretovariate(0.5)) + 1]
    weights = [rng.choice(kinds)() for _ in range(n)]
    channel = lab.pml_channel(weights, k)
    total = sum(weights)
    assert channel.shape[1] <= n
    for column, members in zip(channel.exact.T.tolist(), channel.outputs, strict=True):
        mean = sum(w * c for w, c in zip(weights, column, strict=True)) / total
        assert [x for x in range(n) if column[x]] == list(members)
        assert len(members) <= k
        assert max(column) / mean <= (Fraction(n, k - 1) if k < n else 1)
    assert all(sum(row) == 1 for row in channel.exact.tolist())
    largest = max(column.max() for column in channel.exact.T)
    assert largest <= 1
    observed = lab.pointwise_maximal_leakage(weights, channel).largest
    assert math.log2(n / k) - 1e-12 <= observed


def test_optimal_plans_tell_most_about_the_rarest():
    """Every optimal plan has the worst case log(s / (u w_min)), which the cube method is far below."""
    weights = [1000, 500, 200, 100, 50, 20, 10, 1]
    plan = ml.design(weights, k=3)
    worst = lab.pointwise_maximal_leakage(weights, plan.channel()).largest
    tail = sum(weights[plan.n_giants :])
    assert worst == pytest.approx(math.log2(tail / (3 - plan.n_giants)))
    assert lab.pointwise_maximal_leakage(weights, lab.pml_channel(weights, 3)).largest <= math.log2(8 / 2) + 1e-12


def test_what_has_no_bound_is_refused():
    with pytest.raises(
        InvalidParameter, match=r"all secrets must have positive weight; got 0 at row 1\. Leave it out\."
    ):
        lab.pml_channel([1, 0, 2], 2)
    with pytest.raises(InvalidParameter, match="the cap k on the size of a set is a whole number from 2 on, not 1"):
        lab.pml_channel([1, 1], 1)
