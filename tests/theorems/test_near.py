"""The cheapest among the optimal plans: what the pricing rests on, each statement by listing."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.near.listing import listed_optimum

import minleak as ml
from minleak.testing import priors


@given(priors(max_size=8), st.integers(1, 8), st.integers(0, 10**6), st.sampled_from([0, 0.5, 1]))
@settings(max_examples=60)
def test_the_choice_among_valid_rings_is_free(prior, k, seed, stability):
    """Every plan made of valid rings leaks the same minimum, whatever its sets cost: its channel induces pi."""
    points = np.random.default_rng(seed).random((len(prior), 2))
    plan = ml.design(prior, k, layout=ml.Near(points, stability=stability))
    assert ml.certify(plan, prior)
    exact = plan.channel(exact=True)
    assert ml.certify(exact, prior, k=k).gaps["posterior"] == 0


@given(st.lists(st.integers(0, 9), min_size=2, max_size=6), st.integers(1, 4))
@settings(max_examples=100)
def test_sets_around_one_centre_give_just_the_valid_rings(y, u):
    """Weights y are a sum of weighted sets of u iff no y_i passes (sum of y)/u: McNaughton's rule."""
    n = len(y)
    sets = list(combinations(range(n), u))
    valid = u * max(y) <= sum(y)
    if not sets:
        assert not valid or not any(y)
        return
    rows = [[float(i in members) for members in sets] for i in range(n)]
    found = linprog(np.zeros(len(sets)), A_eq=rows, b_eq=np.array(y, dtype=float), method="highs")
    assert (found.status == 0) == valid


@given(st.integers(0, 10**6), st.integers(2, 4))
@settings(max_examples=40)
def test_the_compact_form_has_the_same_optimum(seed, u):
    """min sum d(z,i) y_zi over y >= 0 with sum over z = w_i, u y_zi <= sum over j of y_zj: the least cost of sets."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(u, 7))
    weights, distances = rng.integers(1, 6, n).astype(float), rng.random((3, n))
    m = len(distances)
    cover = np.hstack([np.eye(n)] * m)
    share = np.kron(np.eye(m), u * np.eye(n) - np.ones((n, n)))
    found = linprog(distances.ravel(), A_ub=share, b_ub=np.zeros(m * n), A_eq=cover, b_eq=weights, method="highs")
    least = listed_optimum(distances, weights, u)
    if least is None:
        assert found.status == 2
    else:
        assert found.fun / weights.sum() == pytest.approx(least, rel=1e-7, abs=1e-9)


@given(st.integers(0, 10**6), st.integers(1, 4))
@settings(max_examples=60)
def test_any_duals_give_a_bound(seed, u):
    """w . lambda + (s/u) min over z of the u least d(z,i) - lambda_i is at most the least cost."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(u + 1, 8))
    weights, distances, duals = rng.integers(5, 9, n), rng.random((n, n)), rng.normal(0.3, 0.3, n)
    least = listed_optimum(distances, weights, u)
    if least is None:
        return
    sums = np.sort(distances - duals, axis=1)[:, :u].sum(axis=1)
    bound = weights @ duals + weights.sum() / u * sums.min()
    assert bound / weights.sum() <= least + 1e-9
