"""dit and minleak agree wherever both measure the same thing."""

from __future__ import annotations

import numpy as np
import pytest
from tests.plain import CLOSE

import minleak as ml
from minleak.lab.paper import Cachin, JizbaArimitsu, RennerWolf

with np.errstate():  # importing dit turns numpy's warnings off for everybody
    import dit
    from dit.algorithms import channel_capacity
    from dit.other import maximal_leakage, renyi_entropy, sibson_mutual_information, tsallis_entropy

RNG = np.random.default_rng(12)
SYSTEMS = [(RNG.dirichlet(np.ones(n)), RNG.dirichlet(np.ones(m), size=n)) for n, m in ((2, 2), (3, 5), (6, 4))]
ORDERS = (0, 0.5, 1, 2, 3.5)  # dit has no digits to compare next to order 1


def joint(p, C):
    """dit's distribution of (X, Y)."""
    n, m = C.shape
    outcomes = [(x, y) for x in range(n) for y in range(m)]
    distribution = dit.Distribution(outcomes, (p[:, None] * C).ravel().tolist())
    distribution.set_rv_names("XY")
    return distribution


@pytest.fixture(params=SYSTEMS, ids=lambda system: "x".join(map(str, system[1].shape)))
def system(request):
    """A prior and a channel."""
    return request.param


def test_shannon(system):
    p, C = system
    both = joint(p, C)
    assert ml.Shannon()(p) == pytest.approx(dit.shannon.entropy(both, "X"), rel=CLOSE)
    theirs = dit.shannon.conditional_entropy(both, "X", "Y")
    assert ml.Shannon().conditional(p, C) == pytest.approx(theirs, rel=CLOSE)


@pytest.mark.parametrize("order", [*ORDERS, float("inf")])
def test_renyi(system, order):
    p, C = system
    theirs = renyi_entropy(joint(p, C), order, "X")
    for family in (
        ml.Arimoto,
        ml.lab.Hayashi,
        ml.lab.FehrBerens,
        Cachin,
        JizbaArimitsu,
        RennerWolf,
    ):
        assert family(order)(p) == pytest.approx(theirs, rel=CLOSE)


@pytest.mark.parametrize("order", ORDERS)
def test_tsallis(system, order):
    p, C = system
    assert ml.lab.Tsallis(order)(p) == pytest.approx(tsallis_entropy(joint(p, C), order, "X"), rel=CLOSE)


@pytest.mark.parametrize("order", [0.5, 1, 2, 3.5])
def test_arimotos_leakage_is_sibsons_information_of_the_powers_of_the_prior(system, order):
    p, C = system
    r = p**order / (p**order).sum()
    theirs = sibson_mutual_information(joint(r, C), "X", "Y", order)
    assert ml.leakage(p, C, ml.Arimoto(order)) == pytest.approx(theirs, rel=1e-9)


def test_maximal_leakage(system):
    p, C = system
    theirs = maximal_leakage(joint(p, C), "X", "Y")
    assert ml.lab.maximal_leakage(C) == pytest.approx(theirs, rel=CLOSE)
    assert ml.capacity(C, "min-entropy").value == pytest.approx(theirs, rel=CLOSE)


def test_channel_capacity(system):
    _, C = system
    theirs, prior = channel_capacity(C)
    ours = ml.capacity(C)
    assert ours.value == pytest.approx(theirs, abs=1e-4)  # what dit's default tolerance gives
    assert ml.leakage(np.asarray(prior), C, "shannon") <= ours.upper
