"""A plan under a prior it was not made for: the sweep against the explicit channel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import CORES, LAYOUTS, OTHERS, large, names
from tests.rounding import equal

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.testing import entropies, priors


@st.composite
def attacked(draw, max_size=9):
    """Two priors on the same secrets, zeros in both, and a plan for the first."""
    n = draw(st.integers(1, max_size))
    made, true = (draw(priors(min_size=n, max_size=n)) for _ in range(2))
    return ml.design(made, draw(st.integers(1, n)), layout=draw(st.sampled_from(LAYOUTS))), true


@given(entropies(), attacked())
def test_entropies_of_the_papers_form(H, attack):
    """plan.leakage(H, prior=q) is what the channel leaks under q."""
    plan, true = attack
    assert equal(plan.leakage(H, prior=true), ml.leakage(true, plan.channel(), H))


@pytest.mark.parametrize("H", [*CORES, *OTHERS], ids=names([*CORES, *OTHERS]))
@given(attack=attacked())
def test_entropies_of_every_kind(H, attack):
    """One's own, and those that are no eta(sum Fhat), which see how the mass is cut into sets."""
    plan, true = attack
    assert equal(plan.leakage(H, prior=true), ml.leakage(true, plan.channel(), H))


@pytest.mark.parametrize("H", [*CORES, *OTHERS], ids=names([*CORES, *OTHERS]))
def test_a_set_that_comes_twice(H):
    """The home shows a set that the other ring shows too: to the attacker it is one observable."""
    plan, true = ml.design([3, 0, 2, 2, 2, 2, 0], 3), [0, 1, 1, 1, 1, 0, 0]
    shown = [tuple(sorted(row)) for sets, _ in plan.cells() for row in sets.tolist()]
    assert len(set(shown)) < len(shown)
    assert equal(plan.leakage(H, prior=true), ml.leakage(true, plan.channel(), H))


@given(attacked(), st.data())
def test_an_entropy_with_gains_of_its_own(attack, data):
    """A plan without gains, measured by an attacker who has some."""
    plan, true = attack
    n = len(true)
    rows = data.draw(st.lists(st.lists(st.integers(1, 3), min_size=n, max_size=n), min_size=1, max_size=3))
    H = ml.Gain(ml.Shannon(), np.array(rows, dtype=float))
    assert equal(plan.leakage(H, prior=true), ml.leakage(true, plan.channel(), H))


@given(entropies(orders=(0.0, 0.5, 2.0, 7.0)), attacked(), st.data())
def test_a_plan_with_gains(H, attack, data):
    """Then q(x) is gamma_x q(x) everywhere."""
    plan, true = attack
    n = len(true)
    gamma = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    gamma[int(np.argmax(plan.prior.weights))] += 1
    gamma[int(np.argmax(true.weights))] += 1
    gained = ml.design(plan.prior, plan.k, layout=plan.layout, gains=gamma)
    assert equal(gained.leakage(H, prior=true), ml.leakage(true, gained.channel(), ml.Gain(H, gamma)))


@given(entropies(), attacked())
def test_the_prior_it_was_made_for_is_no_mismatch(H, attack):
    """The sweep and the closed form agree."""
    plan, _ = attack
    assert equal(plan.leakage(H, prior=plan.prior), plan.leakage(H))


LARGE = {name: case for name, case in large().items() if name in ("heavy tail", "zeros", "many giants", "floats")}
SWEPT = (
    ml.Shannon(),
    ml.MinEntropy(),
    ml.Arimoto(0.3),
    ml.Arimoto(7),
    ml.lab.Hayashi(2),
    ml.Guesswork(),
    ml.Hartley(),
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("weights", "k"), LARGE.values(), ids=LARGE)
def test_many_secrets(weights, k, layout):
    """Ten thousand phase cells, over many blocks, under a prior of another shape."""
    plan = ml.design(weights, k, layout=layout)
    true = np.random.default_rng(1).pareto(1.0, len(weights))
    channel = plan.channel()
    for H in SWEPT:
        assert plan.leakage(H, prior=true) == pytest.approx(ml.leakage(true, channel, H), rel=1e-11)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("H", [ml.Arimoto(7), ml.lab.Hayashi(8), ml.Arimoto(1.001), ml.lab.FehrBerens(0.5)], ids=str)
def test_digits_are_kept_when_a_likely_secret_comes_and_goes(H, layout):
    """Some secrets are a hundred times as likely as they were thought to be: power sums then fall by 10^14."""
    rng = np.random.default_rng(0)
    weights = rng.integers(50, 60, 600)
    true = weights.copy()
    true[rng.integers(0, 600, 8)] *= 99
    plan = ml.design(weights, 101, layout=layout)
    assert plan.leakage(H, prior=true) == pytest.approx(ml.leakage(true, plan.channel(), H), rel=1e-12)


def test_priors_are_matched_by_label():
    """In any order; without names as many, in the same order."""
    plan = ml.design({"flu": 5, "cold": 3, "gout": 2}, 2)
    with pytest.raises(InvalidParameter, match="2 secrets and the plan 3"):
        plan.leakage("shannon", prior=[1, 1])
    expected = plan.leakage("shannon", prior=[1, 3, 4])
    for other in ({"flu": 1, "cold": 3, "gout": 4}, {"gout": 4, "flu": 1, "cold": 3}):
        assert plan.leakage("shannon", prior=other) == pytest.approx(expected)
