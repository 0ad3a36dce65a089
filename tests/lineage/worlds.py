"""Counts that change from day to day: what the tests of lineages share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import minleak as ml


def named(weights, names=None) -> ml.Prior:
    """Counts of named secrets."""
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
def histories(draw, days=4, max_size=9, max_weight=40):
    """A small plan of any layout, and the counts of some days, each with a label of the day before."""
    weight = st.one_of(st.integers(0, 3), st.integers(1, max_weight), st.just(10 * max_weight))
    names = [f"s{i}" for i in range(max_size + 6)]
    counts = []
    for day in range(days):
        some = draw(st.lists(st.sampled_from(names), min_size=1, max_size=max_size, unique=True))
        if day:
            some = [*dict.fromkeys([*some, counts[0].labels[0]])]
        values = draw(st.lists(weight, min_size=len(some), max_size=len(some)).filter(any))
        counts.append(named(values, some))
    layout = draw(st.sampled_from(["stable", "stable", "circle", "blocks"]))
    return ml.design(counts[0], draw(st.integers(1, 4)), layout=layout), counts[1:]
