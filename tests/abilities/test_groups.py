"""Caps on groups: at most so many of a set from one country."""

import pytest
from tests.abilities.names import Groups, certify, design, exact_target

WEIGHTS, COUNTRY = [5, 4, 4, 3, 3, 1], list("aabbcc")


def test_one_level():
    groups = Groups(COUNTRY, at_most=1)
    plan = design(WEIGHTS, 3, groups=groups)
    for members, _ in plan.sets():
        assert len({COUNTRY[x] for x in members}) == 3
    assert certify(plan, WEIGHTS).ok
    assert plan.success == pytest.approx(9 / 20)  # country a has 9 of 20, and one of it in each set
    assert float(exact_target(plan)[0]) == pytest.approx(9 / 20)


def test_nested():
    city = ["a1", "a1", "a2", "b1", "b1", "c1", "c2", "c2"]
    groups = Groups([name[0] for name in city], at_most=2, inside=Groups(city, at_most=1))
    plan = design([4, 3, 3, 2, 2, 2, 1, 1], 4, groups=groups)
    for members, _ in plan.sets():
        assert len({city[x] for x in members}) == 4
        assert max(sum(city[x][0] == name for x in members) for name in "abc") <= 2
    assert plan.success == pytest.approx(7 / 18)  # the two of city a1
    assert certify(plan).ok
