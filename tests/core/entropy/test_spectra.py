"""H(X) from the distinct weights is H(X) from all of them, and where these are many nobody counts them."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.core._entropy.base import evaluate

NAMES = [
    "shannon",
    "min-entropy",
    "guess-error:1",
    "guess-error:7",
    "guess-error:40000",
    "guesswork",
    *(f"{form}:{order}" for form in ("arimoto", "hayashi", "fehrberens") for order in (0, 0.5, 1, 1 + 1e-9, 2, 50)),
    "arimoto:inf",
    "tsallis:2",
    "sharma-mittal:2,0.5",
]

PRIORS = {
    "few values": np.repeat([1, 2, 5, 1000], [30_000, 5_000, 50, 3]),
    "zeros too": np.repeat([0, 3, 4], [10_000, 20_000, 10_000]),
    "one giant": np.append(np.ones(40_000, dtype=np.int64), 10**14),
    "beyond those counted by value": np.repeat([2**20 - 1, 2**20, 2**21, 2**40], [10_000, 10_000, 20_000, 2]),
    "all equal": np.full(50_000, 7),
}


@pytest.mark.parametrize("weights", PRIORS.values(), ids=PRIORS)
@pytest.mark.parametrize("name", NAMES)
def test_the_distinct_weights_say_it_all(weights, name):
    prior, H = ml.Prior(np.random.default_rng(3).permutation(weights)), ml.entropy(name)
    assert prior.spectrum is not None
    whole = evaluate([H], [prior.p[:, None]])[0]
    assert H(prior) == pytest.approx(whole, rel=2e-12, abs=1e-300)


@pytest.mark.parametrize("weights", PRIORS.values(), ids=PRIORS)
def test_a_spectrum_is_the_prior_without_its_order(weights):
    values, times = ml.Prior(weights).spectrum
    assert times.sum() == len(weights)
    assert np.array_equal(np.repeat(values, times.astype(int)), np.sort(weights / weights.sum())[::-1])


@pytest.mark.parametrize(
    "weights", [[3, 1, 1], np.arange(1, 50_001), np.full(40_000, 0.1), [10**30] * 40_000], ids=["few", "all", "f", "O"]
)
def test_no_spectrum_where_it_would_not_help(weights):
    assert ml.Prior(weights).spectrum is None


def test_an_entropy_of_ones_own_sees_the_whole_prior():
    gini = ml.lab.CoreConcave(lambda z: z, core=lambda p: 1 - (p**2).sum(), name="gini")
    prior = ml.Prior(PRIORS["few values"])
    assert gini(prior) == pytest.approx(1 - (prior.p**2).sum(), rel=1e-12)


def test_gains_see_the_whole_prior():
    weights = PRIORS["few values"]
    gains = np.linspace(0.0, 1.0, len(weights))
    assert ml.Gain(ml.Shannon(), gains)(weights) == pytest.approx(
        ml.Shannon().perspective(gains * weights / weights.sum()), rel=1e-12
    )
