"""Transport: plans and prices that prove each other, beside the area between distribution functions on a line."""

import numpy as np
import pytest

from minleak import lab
from minleak.errors import SolverFailed
from minleak.lab._measures import transport


def test_on_a_line_the_least_cost_is_the_area_between_the_distribution_functions():
    rng = np.random.default_rng(17)
    for trial in range(40):
        n = int(rng.integers(1, 8))
        places = rng.integers(0, 6, n).astype(float)
        costs = np.abs(places[:, None] - places)
        p, q = rng.dirichlet(np.full(n, 0.5), size=2)
        if trial % 3 == 0:
            p = np.eye(n)[rng.integers(n)]
        order = np.argsort(places)
        area = (np.abs(np.cumsum((p - q)[order]))[:-1] * np.diff(places[order])).sum()
        found = lab.kantorovich(p, q, costs)
        assert found.value == pytest.approx(area, abs=1e-12)
        assert 0 <= found.value - found.bound < 1e-12
        assert np.allclose(found.plan.sum(axis=1), p, atol=1e-12)
        assert np.allclose(found.plan.sum(axis=0), q, atol=1e-12)
        assert found.plan.min() >= 0
        assert (found.prices[0][:, None] + found.prices[1] <= costs + 1e-12).all()


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1, 1e9, 1e200])
def test_distances_of_any_size(scale):
    rng = np.random.default_rng(3)
    p, q, costs = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(4)), rng.random((6, 4))
    found, plain = transport.find_transport(p, q, scale * costs), transport.find_transport(p, q, costs)
    assert found.value / scale == pytest.approx(plain.value, rel=1e-12)
    assert found.bound / scale == pytest.approx(plain.value, rel=1e-9)


def test_a_plan_that_is_not_proved_is_refused(monkeypatch):
    monkeypatch.setattr(transport, "_STEPS", 1)
    rng = np.random.default_rng(4)
    places = rng.random((30, 2))
    costs = np.sqrt(((places[:, None] - places) ** 2).sum(axis=-1))
    with pytest.warns(UserWarning, match="numItermax"), pytest.raises(SolverFailed, match="proven to be the least"):
        lab.kantorovich(rng.random(30), rng.random(30), costs)
