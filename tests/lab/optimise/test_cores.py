"""Each core is its entropy, its hypograph is the core, and its planes lie above it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.lab.optimise.problems import CONIC, LINEAR, NEAR_ONE

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.lab._optimise.cores.base import Grouped
from minleak.lab._optimise.cores.of_entropy import core_of, gains_of, outer, slope
from minleak.lab._optimise.programme import convex_form

EVERY = [*LINEAR, *CONIC, *NEAR_ONE]
BY = Grouped(np.array([0, 0, 0, 0, 1, 1, 1, 3, 3, 3, 3, 3]))


def points(seed, count):
    """Joint distributions on the twelve entries, some with zeros, one with a column of zeros."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        v = rng.dirichlet(np.full(12, rng.choice([0.3, 1.0, 5.0])))
        if i % 3 == 1:
            v[rng.random(12) < 0.3] = 0.0
        if i % 3 == 2:
            v[4:7] = 0.0
        yield v / v.sum()


def system(v):
    """The same as a prior and a channel: each entry is a secret of its own."""
    channel = np.zeros((12, 3))
    channel[np.arange(12), BY.of] = 1.0
    return v, channel


@pytest.mark.parametrize("name", EVERY)
def test_outer_of_the_core_is_the_entropy(name):
    """H(X|Y) = outer(sum of U), against the library's own way from eta and the perspective."""
    H = convex_form(name)
    for v in points(1, 12):
        u = float(core_of(H).values(v, BY).sum())
        assert outer(H, u, 1.0) == pytest.approx(H.conditional(*system(v)), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("name", EVERY)
def test_outer_rises_as_its_slope_says(name):
    """The slope is the derivative, by differences."""
    H = convex_form(name)
    u = float(core_of(H).values(next(points(2, 1)), BY).sum())
    rise = (outer(H, u + 1e-6, 1.0) - outer(H, u - 1e-6, 1.0)) / 2e-6
    assert 0 < slope(H, u, 1.0) == pytest.approx(rise, rel=1e-4)


@pytest.mark.parametrize("name", [*LINEAR, *CONIC])
def test_the_hypograph_is_the_core(name):
    """With v fixed, the largest value that the solver finds under the hypograph is the sum of U; it is concave."""
    import cvxpy as cp

    core = core_of(convex_form(name))
    for v in np.random.default_rng(3).dirichlet(np.full(12, 2.0), size=3):
        seen = cp.Variable(12, nonneg=True)
        form = core.hypograph(seen, BY)
        assert form.total.is_concave()
        problem = cp.Problem(cp.Maximize(form.total), [seen == v, *form.constraints])
        assert problem.is_dcp()
        problem.solve(solver=cp.CLARABEL)
        assert problem.value == pytest.approx(float(core.values(v, BY).sum()), abs=2e-6)


@pytest.mark.parametrize("name", EVERY)
def test_planes_lie_above(name):
    """U(v) <= <S, v> in every column, for any numbers that S is made from, and S touches U somewhere."""
    core, rng = core_of(convex_form(name)), np.random.default_rng(4)
    for scale in (0.1, 1.0, 4.0):
        S = core.majorant(scale * rng.normal(size=12), BY)
        for v in points(5, 12):
            assert (core.values(v, BY) <= BY.sum(S * v) + 1e-13).all()


@pytest.mark.parametrize("name", [*CONIC, *NEAR_ONE])
def test_the_plane_at_a_gradient_is_the_gradient(name):
    """Duals that are a gradient are optimal for their column: the plane made from them is the same, and touches."""
    core = core_of(convex_form(name))
    v = next(points(6, 1)) + 0.01
    gradient = core.gradient_at(v, BY)
    S = core.majorant(gradient, BY)
    assert pytest.approx(gradient, rel=1e-6, abs=1e-6) == S
    assert BY.sum(S * v) == pytest.approx(core.values(v, BY), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("name", [*CONIC, *NEAR_ONE])
def test_gradients_are_derivatives(name):
    """By differences of U."""
    core = core_of(convex_form(name))
    v = next(points(7, 1)) + 0.01
    for i in range(12):
        step = np.where(np.arange(12) == i, 1e-6, 0.0)
        rise = (core.values(v + step, BY) - core.values(v - step, BY)).sum() / 2e-6
        assert core.gradient_at(v, BY)[i] == pytest.approx(rise, rel=1e-5, abs=1e-6)


def test_every_entropy_of_the_library_has_a_core_or_a_reason():
    """Orders 0, Hayashi's limit at infinity, what is not of the form, and one's own: refused in words."""
    reasons = {
        "hartley": "order",
        "hayashi:0": "order",
        "hayashi:inf": "order",
    }
    for name, word in reasons.items():
        with pytest.raises(InvalidParameter, match=word):
            convex_form(name)
    own = ml.lab.CoreConcave(lambda z: z, core=lambda p: 1 - (p**2).sum(), name="gini")
    with pytest.raises(InvalidParameter, match="gini has no known convex form: choose an entropy of the library"):
        convex_form(own)


def test_gains_on_gains_multiply():
    """Gain(Gain(H, A), B) sees A B v."""
    A, B = np.array([[1.0, 0.5], [0.0, 2.0]]), np.array([2.0, 3.0])
    nested = convex_form(ml.Gain(ml.Gain(ml.Shannon(), A), B))
    assert np.asarray(gains_of(nested)) == pytest.approx(A * B[None, :])
