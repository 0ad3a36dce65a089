"""What certify and caps on groups once let through, each where it was found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidCloak, InvalidParameter, InvalidPrior

WEIGHTS = [5, 4, 3, 2, 2, 1]


def test_gains_that_were_not_asked_for():
    """A plan for one secret alone leaks ten times what it could: it is certified for its gains and for nothing else."""
    plan = ml.design(WEIGHTS, 3, gains=[1, 0, 0, 0, 0, 0])
    refused = ml.certify(plan, WEIGHTS)
    assert not refused
    assert "it is optimal for gains in proportion to 1, 0, 0, 0, 0, 0; give the gains" in str(refused)
    found = ml.certify(plan, WEIGHTS, gains=[2, 0, 0, 0, 0, 0])
    assert found
    assert found.exact
    assert "optimal for gains in proportion to 1, 0, 0" in str(found)
    assert not ml.certify(plan, WEIGHTS, gains=[1, 1, 0, 0, 0, 0])
    assert not ml.certify(ml.design(WEIGHTS, 3), WEIGHTS, gains=[1, 2, 3, 4, 5, 6])
    assert not ml.certify(replace(plan, gains=None), WEIGHTS)


def test_equal_gains_are_none():
    """They leave the order and the target as they are."""
    assert ml.certify(ml.design(WEIGHTS, 3, gains=[2] * 6), WEIGHTS)
    assert ml.certify(ml.design(WEIGHTS, 3), WEIGHTS, gains=[7] * 6)


@pytest.mark.parametrize("gains", [[1], [0] * 6, [-1, 1, 1, 1, 1, 1], [float("nan")] * 6, "x", 5])
def test_gains_that_are_none(gains):
    """Are refused in words."""
    with pytest.raises(InvalidParameter, match="gain"):
        ml.certify(ml.design(WEIGHTS, 3), WEIGHTS, gains=gains)


def test_gains_go_with_plans():
    """A channel is judged under the prior that it is given."""
    with pytest.raises(InvalidParameter, match="gains= goes with a plan"):
        ml.certify(np.eye(6), WEIGHTS, k=1, gains=[1] * 6)


def test_floats_are_not_exact():
    """A prior of floats is compared within a distance, and the certificate says so."""
    p = [0.4, 0.3, 0.2, 0.1]
    assert str(ml.certify(ml.design(p, 2), p)).startswith("certified, in floats")


@pytest.mark.parametrize("layout", ["stable", "circle"])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_largest_total(tmp_path, k, layout):
    """k times the total is 2^62: certified, in memory and in a file."""
    weights = [2**62 // k // 8] * 8
    plan = ml.design(weights, k, layout=layout)
    assert plan.total * k == 2**62
    assert ml.certify(plan, weights)
    plan.save(tmp_path / "plan.cloak")
    assert ml.certify(tmp_path / "plan.cloak", weights)


GROUPS = {
    "both idle": ([5, 4, 0, 0, 0], 2, [0, 1, 2, 2, 2]),
    "both idle, on rings": ([5, 4, 3, 0, 0], 2, [0, 1, 2, 3, 3]),
    "with the only one": ([5, 0, 0, 0, 0], 3, [0, 0, 1, 1, 2]),
    "with a giant": ([50, 1, 1, 0, 0], 2, [0, 1, 2, 1, 0]),
}


@pytest.mark.parametrize(("weights", "k", "groups"), GROUPS.values(), ids=GROUPS)
def test_secrets_of_weight_zero_keep_the_caps(tmp_path, weights, k, groups):
    """Among each other and with all others; in the file and its draws too, and the certificate looks at it."""
    prior = ml.Prior(weights, labels=list("abcde"))
    plan = ml.design(prior, k, groups=ml.Groups(groups, at_most=1), layout=ml.Near(range(5)))
    plan.save(tmp_path / "plan.cloak")
    cloak = ml.Cloak(tmp_path / "plan.cloak")
    sets = [set(members) for members, _ in plan.sets()] + [set(cloak.draw_fresh(x)) for x in "abcde"]
    assert all(len({groups["abcde".index(x)] for x in members}) == len(members) <= k for members in sets)
    assert set.union(*sets) == set("abcde")
    assert ml.certify(tmp_path / "plan.cloak", prior)
    together = replace(plan, groups=replace(plan.groups, group_of=np.zeros(5, dtype=np.int64)))
    failed = [check.what for check in ml.certify(together, prior).checks if not check.ok]
    assert any("groups" in what for what in failed) or all(len(set(members)) == 1 for members, _ in together.sets())


def test_success_where_the_sum_is_not_finite():
    """Three weights whose sum is no float."""
    assert ml.repeated(ml.design([1e308] * 3, 2), [1]).success == pytest.approx((0.5,))


def test_a_cap_beyond_all_secrets():
    """Takes no room for members that are none."""
    assert ml.certify([[1], [1]], [1, 1], k=2**62)


def test_what_is_no_plan():
    """Said in one line, whichever door it came through."""
    with pytest.raises(InvalidCloak, match="is text or a path, not int"):
        ml.load(5)
    with pytest.raises(InvalidParameter, match="a cloak runs a plan, its"):
        ml.Cloak(7)
    with pytest.raises(InvalidParameter, match=r"from 1 to 4,611,686,018,427,387,904"):
        ml.padding.to_multiple([5], 2**64)


def test_a_model_is_no_prior_of_listed_secrets():
    """Only plans over strings are certified for one."""
    model = ml.strings.NGram.fit(["ab", "ba"])
    for subject in (ml.design([3, 2, 1], 2), ml.design([3, 2, 1], 2, layout=ml.Blocks()), ml.Channel([[1], [1]])):
        with pytest.raises(InvalidPrior, match="not NGram"):
            ml.certify(subject, model, k=2)
