"""What holds of padding: merging, order, interleaving, randomness."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.padding.exhaustive import functions, least, thresholds
from tests.rounding import at_most

import minleak as ml
from minleak.testing import entropies

NAMES = ("shannon", "min-entropy", "guess-error:1", "arimoto:2", "arimoto:0.5", "hayashi:3", "guesswork")
vectors = st.lists(st.integers(0, 20), min_size=1, max_size=5).filter(any)


@given(entropies(), vectors, vectors)
def test_merging_never_loses(H, v, w):
    """Fhat(v, w) >= Fhat(v) + Fhat(w) where F is concave, <= where it is convex: one bucket hides what two do."""
    if H.combine is not np.sum:  # a limit that is no sum over observables
        return
    apart = H.perspective(v) + H.perspective(w)
    together = H.perspective(v + w)
    assert at_most(apart, together) if H.increasing else at_most(together, apart)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=5, unique=True), st.floats(0, 6), st.sampled_from(NAMES))
def test_order_is_optimal_for_equally_likely_secrets(sizes, budget, name):
    """Secrets of the same probability and different sizes: no deterministic padding leaks less than contiguous buckets.

    In any padding let the observables be t_1 < t_2 < ... with n_1, n_2, ... secrets. The first b observables have
    n_1 + ... + n_b secrets of sizes up to t_b, so filling buckets of the same numbers in order pads to no more.
    """
    H, weights = ml.entropy(name), np.ones(len(sizes))
    best = least(functions(sizes), sizes, weights, H, budget)
    assert ml.padding.design(sizes, budget=budget, entropy=H).leakage == pytest.approx(best, abs=1e-9)


def test_interleaving_may_be_better_otherwise():
    """Sizes 5, 6, 7, 8 of weights 9, 7, 1, 4: padding all but the unlikely 7 to 8 hides more from one guess than any
    contiguous buckets of that overhead; the randomised optimum hides no less.
    """
    sizes, weights, H = np.array([5, 6, 7, 8]), np.array([9, 7, 1, 4]), ml.MinEntropy()
    interleaved = np.array([8, 8, 7, 8])
    budget = float(weights @ (interleaved - sizes) / 21)
    leaked = ml.leakage(weights, ml.Channel.deterministic(interleaved.tolist()), H)
    contiguous = ml.padding.design(sizes, weights, budget=budget, entropy=H)
    assert contiguous.leakage == pytest.approx(least(thresholds(sizes), sizes, weights, H, budget), abs=1e-12)
    assert leaked < contiguous.leakage - 0.3
    assert ml.lab.padding_channel(sizes, weights, budget=budget, entropy=H).leakage <= leaked + 1e-9


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=2, max_size=5),
    st.floats(0.1, 4),
    st.sampled_from(["min-entropy", "guess-error:1", "shannon"]),
)
def test_chance_never_hurts(secrets, budget, name):
    """The randomised optimum leaks no more than any deterministic padding, contiguous or not, within the budget."""
    sizes, weights = np.array([s for s, _ in secrets]), np.array([w for _, w in secrets])
    best = ml.lab.padding_channel(sizes, weights, budget=budget, entropy=name)
    assert best.leakage <= least(functions(sizes), sizes, weights, ml.entropy(name), budget) + 2e-6
    assert best.leakage <= ml.padding.design(sizes, weights, budget=budget, entropy=name).leakage + 2e-6


@pytest.mark.parametrize("name", ["shannon", "min-entropy"])
def test_observables_beyond_the_sizes_do_not_help(name):
    """Allowing every whole number up to the largest size to be seen gives the same randomised optimum."""
    sizes, weights, budget = np.array([1, 4, 6, 9]), np.array([4, 3, 2, 1]), 1.5
    seen = np.arange(1, 10)
    overheads = seen[None, :] - sizes[:, None]
    free = ml.lab.optimise(weights, entropy=name, allowed=overheads >= 0, cost=np.maximum(overheads, 0), budget=budget)
    best = ml.lab.padding_channel(sizes, weights, budget=budget, entropy=name)
    assert best.leakage == pytest.approx(free.leakage, abs=2e-6)


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 2)), min_size=2, max_size=9))
def test_the_number_of_values_bounds_arimotos_leakage_of_every_order(sizes):
    """Whatever the distribution: log2 of the number of values that occur."""
    weights, values = [w for w, _ in sizes], sorted({v for _, v in sizes})
    channel = [[float(v == value) for value in values] for _, v in sizes]
    for name in ("shannon", "min-entropy", "arimoto:0.2", "arimoto:3", "arimoto:40"):
        assert ml.leakage(weights, channel, name) <= np.log2(len(values)) + 1e-9


def test_it_does_not_bound_hayashis():
    """One of 64 equally likely sizes has a value of its own, the others share one."""
    channel = [[1, 0]] + [[0, 1]] * 63
    assert ml.leakage([1] * 64, channel, "hayashi:7") == pytest.approx(5)
