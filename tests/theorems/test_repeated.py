"""Repeated draws, as docs/explanation/layouts.md states them: the formula with giants, and what it follows from."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minleak as ml


def exactly(value):
    """The fraction that a float stands for, where denominators are small."""
    return Fraction(float(value)).limit_denominator(10**7)


def giants_of(weights, k):
    """How many of the sorted weights are giants, by the definition."""
    ordered = sorted(weights, reverse=True)
    return next(j for j in range(k) if ordered[j] * (k - j) <= sum(ordered[j:]))


def by_formula(plan, weights, draws):
    """(1/W) sum over M_1..M_t of v_{M_1} ... v_{M_t} max over x in I of w_x e_x^-t, e_x = min(w_x, s/u)."""
    g, total = giants_of(weights, plan.k), sum(weights)
    share = Fraction(sum(sorted(weights)[: len(weights) - g]), plan.k - g)
    e = [min(Fraction(w), share) for w in weights]
    v = defaultdict(Fraction)
    for members, p in plan.sets():  # the same set may come more than once
        v[frozenset(members)] += share * exactly(p)
    assert sum(v.values()) == share
    found = Fraction(0)
    for sets in product(v, repeat=draws):
        both = frozenset.intersection(*sets)
        if both:
            found += prod(v[M] for M in sets) * max(weights[x] / e[x] ** draws for x in both)
    return found / total


def by_listing(plan, weights, draws):
    """The definition: the sum over sequences of observables of the largest p(x) C[x,y_1] ... C[x,y_t]."""
    rows = [[exactly(value) for value in row] for row in plan.channel().toarray()]
    assert all(sum(row) == 1 for row in rows)
    sequences = product(range(len(rows[0])), repeat=draws)
    best = (max(w * prod(row[y] for y in some) for w, row in zip(weights, rows, strict=True)) for some in sequences)
    return Fraction(sum(best), sum(weights))


@settings(max_examples=40)
@given(
    st.lists(st.integers(1, 9) | st.integers(20, 60), min_size=3, max_size=5),
    st.integers(2, 3),
    st.sampled_from(["stable", "circle"]),
)
def test_the_formula_is_the_attackers_success(weights, k, layout):
    plan = ml.design(weights, k, layout=layout)
    for draws in (1, 2, 3):
        found = by_formula(plan, weights, draws)
        assert found == by_listing(plan, weights, draws)
        assert ml.repeated(plan, [draws], exact=True).success[0] == pytest.approx(float(found), abs=1e-12)


def test_a_giant_is_guessed_by_its_weight():
    """Weights 60, 20, 10, 6, 4, k = 3: one giant; with e_x = w_x for all of them it would be .2."""
    weights = [60, 20, 10, 6, 4]
    plan = ml.design(weights, 3)
    assert plan.n_giants == 1
    assert by_formula(plan, weights, 1) == Fraction(6, 10)
    assert float(by_formula(plan, weights, 2)) == pytest.approx(0.622, abs=5e-4)
