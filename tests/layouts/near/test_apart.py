"""Secrets that must not share a set: never together, the cheapest so, and refused by name where it cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.layouts.near.listing import euclidean, listed_optimum

import minleak as ml
from minleak._layouts.pricing import cheapest as layout
from minleak.errors import Infeasible, InvalidParameter


def together(plan, groups):
    """Sets that hold two of a group."""
    return [members for members, _ in plan.sets() if any(len(set(members) & set(group)) > 1 for group in groups)]


@given(st.lists(st.integers(1, 30), min_size=3, max_size=8), st.integers(2, 4), st.data())
@settings(max_examples=60)
def test_groups_are_feasible_just_when_light(weights, k, data):
    """A plan of least leakage keeps groups apart iff each weighs at most s/u and has no giant: by listing all sets."""
    n = len(weights)
    colours = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    groups = [[x for x in range(n) if colours[x] == c] for c in range(3)]  # those of colour 3 are free
    groups = [group for group in groups if len(group) > 1]
    points = [(7 * x) % 5 for x in range(n)]
    free = ml.design(weights, k, layout=ml.Near(points))
    assume(free.rest_weight > 0)
    giants = set(free.giants.tolist())
    on_rings = [x for x in range(n) if x not in giants]
    place = {x: i for i, x in enumerate(on_rings)}
    apart = [[place[x] for x in group if x in place] for group in groups]
    least = listed_optimum(euclidean(points)[:, on_rings], [weights[x] for x in on_rings], free.u, apart=apart)
    possible = least is not None and not any(giants & set(group) for group in groups)
    if not possible:
        with pytest.raises(Infeasible, match="cannot be hidden"):
            ml.design(weights, k, layout=ml.Near(points, forbid=groups))
        return
    plan = ml.design(weights, k, layout=ml.Near(points, forbid=groups))
    assert ml.certify(plan, weights)
    assert not together(plan, groups)
    assert plan.cost_bound <= least + 1e-9
    assert least <= plan.cost + 1e-9
    assert plan.cost - plan.costs.rounding == pytest.approx(least, rel=1e-6, abs=1e-9)


def test_pairs_that_share_a_secret_are_one_group():
    """a-b and b-c: a and c are kept apart as well, which is more than was asked, and is documented."""
    prior = ml.Prior([5, 5, 5, 5, 5, 5], labels=list("abcdef"))
    plan = ml.design(prior, 2, layout=ml.Near([0, 1, 2, 3, 4, 5], forbid=[("a", "b"), ("b", "c")]))
    assert not together(plan, [("a", "b", "c")])


def test_many_groups_in_regions(monkeypatch):
    """Also where the plan is improved in regions."""
    monkeypatch.setattr(layout, "EXACT", 50)
    rng = np.random.default_rng(4)
    weights, points = rng.integers(1, 10**4, 300), rng.random((300, 2))
    groups = [list(range(x, x + 5)) for x in range(0, 250, 5)]
    plan = ml.design(weights, 5, layout=ml.Near(points, forbid=groups))
    assert ml.certify(plan, weights)
    assert not together(plan, groups)


REFUSED = {
    "a giant": ([100, 3, 2, 2, 1], [(0, 3)], "secret 3 cannot be hidden apart from secret 0"),
    "too heavy": ([5, 5, 5, 5], [(0, 1, 2)], "secret 0 cannot be hidden"),
}


@pytest.mark.parametrize(("weights", "forbid", "word"), REFUSED.values(), ids=REFUSED)
def test_refusals_name_the_secret(weights, forbid, word):
    """Whom it is about, and what would help."""
    with pytest.raises(Infeasible, match=word) as caught:
        ml.design(weights, 2, layout=ml.Near(range(len(weights)), forbid=forbid))
    assert "smaller k" in str(caught.value)


@pytest.mark.parametrize("forbid", [[("a",)], ["ab"], 3, [3]])
def test_what_is_no_group(forbid):
    """Labels by two or more."""
    with pytest.raises(InvalidParameter, match="pairs or groups"):
        ml.design(ml.Prior([1, 1, 1], labels=list("abc")), 2, layout=ml.Near([1, 2, 3], forbid=forbid))


def test_an_unknown_label():
    """It is named."""
    with pytest.raises(InvalidParameter, match="'z'"):
        ml.design(ml.Prior([1, 1, 1], labels=list("abc")), 2, layout=ml.Near([1, 2, 3], forbid=[("a", "z")]))
