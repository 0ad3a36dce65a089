"""Hypothesis strategies for priors, channels and entropies, for our tests and those of our users (needs hypothesis)."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from minleak.channel import Channel
from minleak.entropy.base import Entropy
from minleak.entropy.guessing import GuessError, Guesswork, MinEntropy
from minleak.entropy.renyi import Arimoto, FehrBerens, Hayashi
from minleak.entropy.shannon import Shannon
from minleak.entropy.sharma_mittal import SharmaMittal, Tsallis
from minleak.prior import Prior

# Orders that matter: the limits, both sides of one, and ordinary values.
ORDERS = (0.0, 0.3, 0.5, 1 - 1e-9, 1.0, 1 + 1e-9, 1.2, 2.0, 7.0, 60.0, float("inf"))


def priors(*, min_size: int = 1, max_size: int = 8, max_weight: int = 1000) -> st.SearchStrategy[Prior]:
    """Exact priors; small weights are likely, so that ties and zeros occur."""
    weight = st.one_of(st.integers(0, 3), st.integers(0, max_weight))
    weights = st.lists(weight, min_size=min_size, max_size=max_size)
    return weights.filter(any).map(Prior)


def channels(n: int, *, max_outputs: int = 6) -> st.SearchStrategy[Channel]:
    """Channels from n secrets, with zeros and repeated rows among them."""

    def rows(m: int) -> st.SearchStrategy[list[list[int]]]:
        row = st.lists(st.one_of(st.just(0), st.integers(0, 50)), min_size=m, max_size=m).filter(any)
        return st.lists(row, min_size=n, max_size=n)

    def normalised(counts: list[list[int]]) -> Channel:
        matrix = np.array(counts, dtype=np.float64)
        return Channel(matrix / matrix.sum(axis=1, keepdims=True))

    return st.integers(1, max_outputs).flatmap(rows).map(normalised)


def entropies() -> st.SearchStrategy[Entropy]:
    """Every entropy of the paper's form, at ordinary and at limiting parameters."""
    orders = st.sampled_from(ORDERS)
    finite = st.sampled_from([a for a in ORDERS if a < 1e300])
    return st.one_of(
        st.builds(Shannon),
        st.builds(MinEntropy),
        st.builds(GuessError, st.integers(1, 4)),
        st.builds(Guesswork),
        st.builds(Arimoto, orders),
        st.builds(Hayashi, orders),
        st.builds(FehrBerens, orders),
        st.builds(SharmaMittal, finite, st.sampled_from([-1.0, 0.5, 1.0, 2.0, 3.5])),
        st.builds(Tsallis, finite),
    )


@st.composite
def systems(draw: Any, *, max_size: int = 6, max_outputs: int = 5) -> tuple[Prior, Channel]:
    """A prior and a channel for it."""
    prior = draw(priors(max_size=max_size))
    return prior, draw(channels(len(prior), max_outputs=max_outputs))
