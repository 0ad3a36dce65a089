"""Every entropy is what the paper's own formula gives, to 1e-12 relative, at every order, for every kind of prior."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from mpmath import mp, mpf
from tests.oracles import paper

import minleak as ml
from minleak.lab.paper import Cachin, JizbaArimitsu, RennerWolf
from minleak.testing import DEGREES, ORDERS

ERROR = mpf("1e-12")

_RNG = np.random.default_rng(5)
_SPREAD = [[0.5, 0.25, 0.25, 0], [0.125, 0.125, 0.75, 0], [0, 0.5, 0.5, 0]]
_TWO = [[0.25, 0.5, 0.25], [0.5, 0.5, 0]]

# Weights and a channel. The fourth observable of _SPREAD has probability zero.
SYSTEMS = {
    "spread": ([5, 3, 2], _SPREAD),
    "ties": ([1, 1, 1], _SPREAD),
    "an impossible secret": ([3, 0, 1], _SPREAD),
    "one secret": ([1], [[0.5, 0.5]]),
    "identity": ([5, 3, 2], np.eye(3)),
    "a rare secret": ([0.7, 0.3, 1e-300], _SPREAD),
    "almost a point mass": ([1, 1e-9], _TWO),
    "closer than a rounding to a point mass": ([1, 1e-12, 1e-17], _SPREAD),
    "a point mass but for 1e-300": ([1, 1e-300], _TWO),
    "nothing is learnt but rarely": ([1, 1, 1], [[1, 0], [1, 0], [1 - 2**-40, 2**-40]]),
    "skewed": (_RNG.gamma(0.05, size=8) + 1e-60, _RNG.dirichlet(np.full(5, 0.2), size=8)),
    "forty secrets": (_RNG.random(40), _RNG.dirichlet(np.ones(12), size=40)),
}


def digits(weights):
    """As many as one minus the smallest weight has, and 60 to spare."""
    return 60 - math.floor(math.log10(min(w for w in weights if w > 0)))


@cache
def posteriors(system):
    """Before observing, and after."""
    weights, channel = SYSTEMS[system]
    return paper.observed(weights, [[1]] * len(weights)), paper.observed(weights, np.asarray(channel).tolist())


def cases():
    yield ml.Shannon(), paper.shannon, ()
    yield ml.MinEntropy(), paper.min_entropy, ()
    yield ml.Guesswork(), paper.guesswork, ()
    yield from ((ml.GuessError(l), paper.guess_error, (l,)) for l in (1, 2, 3, 7))
    for a in ORDERS:
        yield ml.Arimoto(a), paper.arimoto, (a,)
        yield ml.lab.Hayashi(a), paper.hayashi, (a,)
        yield ml.lab.FehrBerens(a), paper.fehr_berens, (a,)
        yield Cachin(a), paper.cachin, (a,)
        yield JizbaArimitsu(a), paper.jizba_arimitsu, (a,)
        yield RennerWolf(a), paper.renner_wolf, (a,)
        yield from ((ml.lab.SharmaMittal(a, b), paper.sharma_mittal, (a, b)) for b in DEGREES)
        if a < math.inf:
            yield ml.lab.Tsallis(a), paper.tsallis, (a,)


@pytest.mark.parametrize(("H", "formula", "parameters"), [pytest.param(*case, id=case[0].name) for case in cases()])
def test_is_the_papers_formula(H, formula, parameters):
    for system, (weights, channel) in SYSTEMS.items():
        with mp.workdps(digits(weights)):
            before, after = (formula(Y, *parameters) / mpf(H.unit) for Y in posteriors(system))
            assert_close(H(weights), before, system)
            assert_close(H.conditional(weights, channel), after, system)
            assert_close(H.conditional(weights, sp.csc_array(np.asarray(channel))), after, system)


def assert_close(found, expected, system):
    noise = mpf(10) ** (30 - mp.dps)  # what is left where the formula is zero
    error = abs(mpf(found) - expected)
    assert error <= ERROR * abs(expected) + noise, f"{system}: {mp.nstr(expected, 20)}"
