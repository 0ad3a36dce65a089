"""Priors that change: what the tests of updates share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import minleak as ml


def named(weights, names=None) -> ml.Prior:
    """A prior of named secrets."""
    return ml.Prior(weights, labels=[f"s{i}" for i in range(len(weights))] if names is None else names)


def zipf(n=400, top=10**6) -> np.ndarray:
    return (top / (np.arange(n) + 3)).astype(np.int64)


def walked(prior: ml.Prior, rng, rate=0.01, churn=0.0) -> ml.Prior:
    """The next day: counts changed at random, some secrets gone and as many new, rows in another order."""
    weights = np.maximum(1, np.rint(prior.weights * np.exp(rate * rng.standard_normal(len(prior))))).astype(np.int64)
    names = list(prior.labels)
    for i in np.flatnonzero(rng.random(len(prior)) < churn).tolist():
        names[i] = f"new-{rng.integers(2**40)}"
    order = rng.permutation(len(weights))
    return ml.Prior(weights[order], labels=[names[i] for i in order])


@st.composite
def changes(draw, max_size=9, max_weight=40):
    """A small plan, and a prior that shares some of its labels: giants, zeros, other numbers of secrets."""
    weight = st.one_of(st.integers(0, 3), st.integers(1, max_weight), st.just(10 * max_weight))
    names = [f"s{i}" for i in range(max_size + 3)]
    first = draw(st.lists(st.sampled_from(names), min_size=1, max_size=max_size, unique=True))
    then = draw(st.lists(st.sampled_from(names), min_size=1, max_size=max_size, unique=True))
    then = then if set(first) & set(then) else [*then, first[0]]
    weights = [draw(st.lists(weight, min_size=len(some), max_size=len(some)).filter(any)) for some in (first, then)]
    layout = draw(st.sampled_from(["stable", "stable", "circle"]))
    plan = ml.design(named(weights[0], first), draw(st.integers(1, 5)), layout=layout)
    return plan, named(weights[1], then)
