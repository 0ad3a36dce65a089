"""Hypothesis strategies for priors, channels, gains and entropies, for our tests and those of users."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from minleak.core._arrays import Array
from minleak.core._channel import Channel
from minleak.core._entropy.base import Entropy
from minleak.core._entropy.families import (
    Arimoto,
    Collision,
    FehrBerens,
    GuessError,
    Guesswork,
    Hartley,
    Hayashi,
    MinEntropy,
    Shannon,
    SharmaMittal,
    Tsallis,
)
from minleak.core._prior import Prior
from minleak.strings._model import StringModel

__all__ = ["capped_channels", "channels", "check_model", "entropies", "gains", "priors", "systems"]

# Orders to test: the limits, both sides of 1 and of where the formula changes, ordinary values.
NEAR_ONE = (1 - 1e-9, 1 - 1e-14, 1.0, 1 + 1e-14, 1 + 1e-9)
AWAY_FROM_ONE = (0.0, 0.3, 0.5, 1.2, 1.25, 1.26, 2.0, 7.0, 60.0, math.inf)
ORDERS = tuple(sorted(AWAY_FROM_ONE + NEAR_ONE))
# Degrees of Sharma-Mittal entropies, any real numbers.
DEGREES = (-1.0, 0.5, *NEAR_ONE, 2.0, 3.5)


def priors(*, min_size: int = 1, max_size: int = 8, max_weight: int = 1000) -> st.SearchStrategy[Prior]:
    """Exact priors; small weights are likely, so ties and zeros occur."""
    weight = st.one_of(st.integers(0, 3), st.integers(0, max_weight))
    weights = st.lists(weight, min_size=min_size, max_size=max_size)
    return weights.filter(any).map(Prior)


def channels(n: int, *, max_outputs: int = 6) -> st.SearchStrategy[Channel]:
    """Channels from n secrets, with zeros and repeated rows among them."""

    def counts(m: int) -> st.SearchStrategy[Channel]:
        return st.lists(st.integers(-20, 50), min_size=n * m, max_size=n * m).map(lambda flat: normalise(flat, m))

    def normalise(flat: list[int], m: int) -> Channel:
        matrix = np.maximum(np.array(flat, dtype=np.float64).reshape(n, m), 0.0)  # negative numbers become zeros
        matrix[matrix.sum(axis=1) == 0, 0] = 1.0
        return Channel(matrix / matrix.sum(axis=1, keepdims=True))

    return st.integers(1, max_outputs).flatmap(counts)


def families(orders: Sequence[float] = ORDERS) -> dict[type[Entropy], tuple[st.SearchStrategy[Any], ...]]:
    """Every family of entropies of the paper's form, with strategies for its parameters."""
    alphas = st.sampled_from(orders)
    return {
        Shannon: (),
        MinEntropy: (),
        GuessError: (st.integers(1, 4),),
        Guesswork: (),
        Arimoto: (alphas,),
        Hayashi: (alphas,),
        FehrBerens: (alphas,),
        SharmaMittal: (alphas, st.sampled_from(DEGREES)),
        Tsallis: (st.sampled_from([a for a in orders if a < math.inf]),),
        Hartley: (),
        Collision: (),
    }


def entropies(*, orders: Sequence[float] = ORDERS) -> st.SearchStrategy[Entropy]:
    """Entropies of the paper's form, at ordinary and limiting parameters."""
    return st.one_of(*(st.builds(kind, *parameters) for kind, parameters in families(orders).items()))


def gains(n: int, *, max_guesses: int = 5) -> st.SearchStrategy[Array]:
    """Gain matrices for n secrets, guesses as rows: non-negative, not all zero, some guesses worth nothing."""

    def matrices(guesses: int) -> st.SearchStrategy[Array]:
        entries = st.lists(st.integers(0, 4), min_size=guesses * n, max_size=guesses * n).filter(any)
        return entries.map(lambda g: np.array(g, dtype=np.float64).reshape(guesses, n) / 2)

    return st.integers(1, max_guesses).flatmap(matrices)


@st.composite
def systems(draw: Any, *, max_size: int = 6, max_outputs: int = 5) -> tuple[Prior, Channel]:
    """A prior and a channel for it."""
    prior = draw(priors(max_size=max_size))
    return prior, draw(channels(len(prior), max_outputs=max_outputs))


@st.composite
def capped_channels(draw: Any, n: int, k: int, *, more_outputs: int = 3) -> Channel:
    """Channels from n secrets in which at most k secrets show the same observable; fixed buckets are among them.

    Every secret has the observable of its bucket, at most k to each, and gets others as long as they have room.
    """
    least = -(-n // k)
    m = draw(st.integers(least, least + more_outputs))
    dealt = draw(st.permutations(range(n)))
    extra = draw(st.lists(st.integers(-20, 20), min_size=n * m, max_size=n * m))
    matrix = np.zeros((n, m))
    for place, x in enumerate(dealt):
        matrix[x, place // k] = 10.0
    for (x, y), weight in zip(np.ndindex(n, m), extra, strict=True):
        if weight > 0 and (matrix[x, y] > 0 or np.count_nonzero(matrix[:, y]) < k):
            matrix[x, y] += weight
    return Channel(matrix / matrix.sum(axis=1, keepdims=True))


def check_model(model: StringModel, *, positions: int = 300, strings: Sequence[str] = (), seed: int = 0) -> None:
    """Check a model of strings at random positions: intervals tile the line, weights are those of the intervals, and
    `heaviest` is in order. Raises an AssertionError that says what is wrong.
    """
    rng = random.Random(seed)
    tried = [model.at(rng.randrange(model.total)) for _ in range(positions)]
    tried += [model.at(0), model.at(model.total - 1), *strings]
    for string in tried:
        start, weight = model.interval(string)
        _require(weight > 0 and weight == model.weight(string), "weight(x) is that of interval(x), and positive")
        _require(start >= 0 and start + weight <= model.total, "intervals lie within the line")
        _require(model.at(start) == string == model.at(start + weight - 1), "at(position) is x on all of its interval")
        _require(start == 0 or model.at(start - 1) != string, "and not before it")
        _require(start + weight == model.total or model.at(start + weight) != string, "nor after it")
    found = model.heaviest(10)
    weights = [weight for _, weight in found]
    _require(weights == sorted(weights, reverse=True), "heaviest(k) is heaviest first")
    _require(
        all(model.weight(string) == weight for string, weight in found), "heaviest(k) has each string's own weight"
    )
    _require(not weights or max(map(model.weight, tried)) <= weights[0], "nothing is heavier than the heaviest")
    above = weights[len(weights) // 2] if weights else 0
    _require(
        [weight for _, weight in model.heaviest(10, above)] == [weight for weight in weights if weight > above],
        "heaviest(k, above) leaves out what is not heavier",
    )


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise AssertionError(f"a model of strings must be such that {what}")
