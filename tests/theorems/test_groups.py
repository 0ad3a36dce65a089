"""Theorem: under caps on nested groups the largest H(X|Y) is H(pi), for every entropy at once, pi from the principal
partition. Plans have that posterior at every observable, and every set keeps every cap: in Fractions throughout.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.lab.matroids.families import partition_by_subsets

import minleak as ml
from minleak.lab import Matroid


@st.composite
def problems(draw, most=9):
    """Weights, k, and one or two levels of groups with caps: (groups, [(members, cap), ...])."""
    n = draw(st.integers(2, most))
    weights = draw(st.lists(st.sampled_from([0, 1, 1, 2, 3, 5, 9, 30]), min_size=n, max_size=n).filter(any))
    inner = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    caps = draw(st.lists(st.integers(1, 3), min_size=4, max_size=4))
    groups = ml.Groups(inner, at_most=dict(enumerate(caps)))
    bounds = [({x for x in range(n) if inner[x] == g}, cap) for g, cap in enumerate(caps)]
    if draw(st.booleans()):
        above = draw(st.lists(st.integers(0, 1), min_size=4, max_size=4))
        more = draw(st.lists(st.integers(1, 4), min_size=2, max_size=2))
        outer = [above[g] for g in inner]
        groups = ml.Groups(outer, at_most=dict(enumerate(more)), inside=groups)
        bounds += [({x for x in range(n) if outer[x] == g}, cap) for g, cap in enumerate(more)]
    return weights, draw(st.integers(1, n)), groups, bounds


def rank(secrets, k, bounds):
    """The most of the secrets in an allowed set: of a matroid, by taking them one by one."""
    taken = set()
    for x in secrets:
        if len(taken) < k and all(len((taken | {x}) & members) <= cap for members, cap in bounds):
            taken.add(x)
    return len(taken)


def principal_partition(weights, k, bounds):
    """pi by its definition, over all subsets."""
    possible = [x for x, weight in enumerate(weights) if weight]
    subsets = [frozenset(some) for size in range(len(possible) + 1) for some in combinations(possible, size)]
    ranks = {some: rank(sorted(some), k, bounds) for some in subsets}
    pi, done = [], frozenset()
    while ranks[done] < ranks[frozenset(possible)]:
        densities = {
            some: Fraction(sum(weights[x] for x in some - done), ranks[some] - ranks[done])
            for some in subsets
            if done < some and ranks[some] > ranks[done]
        }
        best = max(densities, key=lambda some: (densities[some], len(some)))
        pi += [densities[best] / sum(weights)] * (ranks[best] - ranks[done])
        done = best
    return tuple(pi)


@given(problems(most=7), st.sampled_from(["circle", "stable"]))
@settings(max_examples=60)
def test_pi_is_the_principal_partition(problem, layout):
    """pi of a plan is that of the definition, and the certificate, by other code, agrees."""
    weights, k, groups, bounds = problem
    plan = ml.design(weights, k, groups=groups, layout=layout)
    assert plan.exact_target == principal_partition(weights, k, bounds)
    assert ml.certify(plan, weights)


@given(problems(), st.sampled_from(["circle", "stable"]))
@settings(max_examples=80)
def test_every_posterior_is_pi_and_every_set_keeps_the_caps(problem, layout):
    """Column by column of the exact channel, those of secrets that cannot occur included."""
    weights, k, groups, bounds = problem
    plan = ml.design(weights, k, groups=groups, layout=layout)
    channel = plan.channel(exact=True)
    assert all(sum(row) == 1 for row in channel.exact)
    for members, column in zip(channel.outputs, np.array(channel.exact).T, strict=True):
        assert len(members) <= plan.k <= k
        assert all(len(set(members) & some) <= cap for some, cap in bounds)
        joint = [weight * p for weight, p in zip(weights, column, strict=True) if weight and p]
        if joint:
            assert tuple(sorted((p / sum(joint) for p in joint), reverse=True)) == plan.exact_target


@given(problems(most=6))
@settings(max_examples=30)
def test_no_channel_leaves_more(problem):
    """One guess is right least often at pi_1, by a linear programme over all channels with allowed sets."""
    weights, k, groups, bounds = problem
    n = len(weights)
    sets = [
        set(some)
        for size in range(1, k + 1)
        for some in combinations(range(n), size)
        if all(len(set(some) & members) <= cap for members, cap in bounds)
    ]
    pairs = [(x, y) for y, members in enumerate(sets) for x in members]  # v[x,y] is the joint, m[y] its largest
    rows = np.zeros((n, len(pairs) + len(sets)))
    above = np.zeros((len(pairs), len(pairs) + len(sets)))
    for at, (x, y) in enumerate(pairs):
        rows[x, at] = above[at, at] = 1
        above[at, len(pairs) + y] = -1
    cost = np.concatenate([np.zeros(len(pairs)), np.ones(len(sets))])
    share = np.array(weights) / sum(weights)
    least = linprog(cost, A_ub=above, b_ub=np.zeros(len(pairs)), A_eq=rows, b_eq=share, method="highs").fun
    assert abs(least - ml.design(weights, k, groups=groups).success) < 1e-9


@given(problems())
@settings(max_examples=30)
def test_one_group_that_cannot_bind_is_no_group(problem):
    """Caps that no set of k can pass: the target of the plain plan."""
    weights, k, _, _ = problem
    plain = ml.design(weights, k)
    loose = ml.design(weights, k, groups=ml.Groups([0] * len(weights), at_most=k))
    assert loose.exact_target == plain.exact_target


@settings(max_examples=60)
@given(st.lists(st.integers(1, 6) | st.integers(20, 40), min_size=2, max_size=6), st.data())
def test_when_groups_that_must_not_meet_cost_nothing(weights, data):
    """One of a group in a set: pi is that of the cap alone exactly if every giant is alone in its group and every other
    group weighs at most s/u. By the definition over all subsets, and by what `design` makes.
    """
    n = len(weights)
    group = data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))
    k = data.draw(st.integers(1, len(set(group))))
    ordered = sorted(weights, reverse=True)
    g = next(j for j in range(k) if ordered[j] * (k - j) <= sum(ordered[j:]))
    share = Fraction(sum(ordered[g:]), k - g)
    free = [Fraction(w, sum(weights)) for w in ordered[:g]] + [share / sum(weights)] * (k - g)
    giants = sorted(range(n), key=lambda x: -weights[x])[:g]
    alone = all(group.count(group[x]) == 1 for x in giants)
    light = all(
        sum(w for w, other in zip(weights, group, strict=True) if other == one) <= share
        for one in set(group) - {group[x] for x in giants}
    )
    caps = [({x for x in range(n) if group[x] == one}, 1) for one in set(group)]
    matroid = Matroid.laminar(n, [(range(n), k), *caps] if len(set(group)) > 1 else caps)
    assert (partition_by_subsets(weights, matroid) == free) == (alone and light)
    made = ml.design(weights, k, groups=ml.Groups(group, at_most=1)).target
    same = len(made) == k and np.allclose(made, [float(part) for part in free], rtol=1e-12, atol=0)
    assert same == (alone and light)


def test_a_giant_that_is_a_group_of_its_own_costs_nothing():
    assert ml.design([60, 20, 10, 10], k=3, groups=ml.Groups(list("abcd"), at_most=1)).target.tolist() == [
        0.6,
        0.2,
        0.2,
    ]
