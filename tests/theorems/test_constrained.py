"""Design under general constraints: weak duality, the frontier's shape, and when one channel is best for all."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lab.optimise.problems import subsets

import minleak as ml
from minleak.testing import priors
from paper.invariance import metric_invariance

# Orders at which conic solvers are at ease, and every other kind.
MEASURES = st.sampled_from(
    ["shannon", "min-entropy", "guess-error:2", "guesswork", "arimoto:0.5", "arimoto:2", "hayashi:2", "fehrberens:2"]
)


@st.composite
def masked_systems(draw):
    """A prior, a mask and a channel on it."""
    prior = draw(priors(min_size=2, max_size=4, max_weight=20))
    n, m = len(prior), draw(st.integers(1, 4))
    flat = draw(st.lists(st.integers(-3, 9), min_size=n * m, max_size=n * m))
    weights = np.maximum(np.array(flat, dtype=float).reshape(n, m), 0.0)
    weights[weights.sum(axis=1) == 0, 0] = 1.0
    more = draw(st.lists(st.booleans(), min_size=n * m, max_size=n * m))
    allowed = (weights > 0) | np.array(more).reshape(n, m)
    return prior, allowed, ml.Channel(weights / weights.sum(axis=1, keepdims=True))


@settings(max_examples=40)
@given(MEASURES, masked_systems())
def test_no_channel_on_the_mask_leaks_less_than_the_bound(H, system):
    """max H(X|Y) over a polytope of joints is concave maximisation: planes above it bound every feasible channel."""
    prior, allowed, channel = system
    best = ml.lab.optimise(prior, entropy=H, allowed=allowed)
    assert best.bound <= best.leakage <= best.bound + 1e-6
    assert ml.leakage(prior, channel, H) >= best.bound - 1e-9


@settings(max_examples=40)
@given(MEASURES, priors(min_size=2, max_size=5, max_weight=50), st.data())
def test_theorem_1_by_a_solver(H, prior, data):
    """With all sets of k as observables the convex designer finds H(pi), which the plan has in closed form."""
    k = data.draw(st.integers(1, len(prior)))
    best = ml.lab.optimise(prior, entropy=H, allowed=subsets(len(prior), k))
    assert abs(best.leakage - ml.design(prior, k).leakage(H)) <= 1e-6


@settings(max_examples=12)
@given(st.sampled_from(["shannon", "guesswork", "guess-error:1"]), st.integers(0, 10**6))
def test_the_frontier_is_convex_and_falls(H, seed):
    """L(B) is the value of a convex programme in its right-hand side; its slope is minus the shadow price."""
    rng = np.random.default_rng(seed)
    p, cost = rng.dirichlet(np.ones(3)), rng.random((3, 3))
    points = ml.lab.tradeoff(p, cost=cost, entropy=H, points=5).points
    slopes = [(a.leakage - b.leakage) / (b.budget - a.budget) for a, b in pairwise(points) if b.budget > a.budget]
    assert all(slope >= -1e-7 for slope in slopes)
    assert all(later <= earlier + 1e-6 * (1 + earlier) for earlier, later in pairwise(slopes))


@settings(max_examples=8)
@given(priors(min_size=2, max_size=4, max_weight=30), st.data())
def test_invariance_is_optimality_for_every_entropy(prior, data):
    """Where metric_invariance says yes, its channel is within rounding of each entropy's own optimum."""
    n, m = len(prior), data.draw(st.integers(2, 4))
    flat = data.draw(st.lists(st.booleans(), min_size=n * m, max_size=n * m))
    allowed = np.array(flat).reshape(n, m)
    allowed[~allowed.any(axis=1), 0] = True
    found = metric_invariance(prior, allowed=allowed)
    if found.ok:
        for H in ("shannon", "guess-error:2", "arimoto:0.5", "arimoto:3", "tsallis:2", "guesswork"):
            best = ml.lab.optimise(prior, entropy=H, allowed=allowed)
            assert ml.leakage(prior, found.channel, H) <= best.leakage + 1e-6
    else:
        assert found.ok is None or found.conflict.shortfall > 0
