"""Transport on a line, beside the linear programme."""

import numpy as np
import pytest

from minleak.lab._measures import transport


def test_on_a_line_all_is_moved_in_its_order(monkeypatch):
    """The area between the distribution functions, with prices that prove it, is what the programme finds."""
    rng = np.random.default_rng(17)
    for trial in range(40):
        n = int(rng.integers(1, 8))
        places = rng.integers(0, 6, n).astype(float)
        costs = np.abs(places[:, None] - places)
        p, q = rng.dirichlet(np.full(n, 0.5), size=2)
        if trial % 3 == 0:
            p = np.eye(n)[rng.integers(n)]
        few = transport.find_transport(p, q, costs)
        with monkeypatch.context() as patched:
            patched.setattr(transport, "_FEW", 0)
            many = transport.find_transport(p, q, costs)
            patched.setattr(transport, "_on_line", lambda _: None)
            programme = transport.find_transport(p, q, costs)
        for along in (few, many):
            assert along.value == pytest.approx(programme.value, abs=1e-9)
            assert 0 <= along.value - along.bound < 1e-12
            assert np.allclose(along.plan.sum(axis=1), p, atol=1e-12)
            assert np.allclose(along.plan.sum(axis=0), q, atol=1e-12)
            assert along.plan.min() >= 0
            assert (along.prices[0][:, None] + along.prices[1] <= costs + 1e-12).all()
