"""The cheapest sets: the price of a set is its dearest member on each of some servers, or what the caller says."""

import pytest
from tests.abilities.names import Cheapest, certify, cost, design


def test_servers():
    servers = [[1, 9, 1, 9, 5, 5], [9, 1, 9, 1, 5, 5]]
    plan = design([6, 6, 6, 6, 6, 6], 3, layout=Cheapest(servers))
    assert sorted(tuple(sorted(members)) for members, _ in plan.sets()) == [(0, 2, 4), (1, 3, 5)]
    assert cost(plan) == pytest.approx((1 + 1 + 5) / 3)
    assert certify(plan, [6] * 6).ok
