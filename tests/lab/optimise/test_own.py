"""optimise with an entropy of one's own, known by its values and its gradient."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter

CoreConcave = ml.lab.CoreConcave


def same(z):
    return z


def largest(p):
    """Ones where p is largest, the first of equals."""
    return 1.0 * (np.arange(len(p)) == p.argmax())


def shannon(v):
    seen = v[v > 0]
    return float((seen * np.log2(v.sum() / seen)).sum())


def rank(v):
    """1 for the likeliest, 2 for the next, and so on."""
    return 1.0 + np.argsort(np.argsort(-v, kind="stable"), kind="stable")


OWN = {
    "shannon": CoreConcave(same, perspective=shannon, gradient=lambda v: np.log2(v.sum() / v)),
    "guess-error": CoreConcave(same, core=lambda p: 1 - p.max(), gradient=lambda p: -largest(p)),
    "min-entropy": CoreConcave(lambda z: -math.log2(z), core=max, gradient=largest, increasing=False),
    "arimoto:2": CoreConcave(
        lambda z: -2 * math.log2(z),
        perspective=lambda v: np.sqrt((v**2).sum(axis=0)),
        gradient=lambda v: v / np.sqrt((v**2).sum(axis=0)),
        increasing=False,
        vectorised=True,
    ),
    "arimoto:0.5": CoreConcave(
        math.log2, perspective=lambda v: np.sqrt(v).sum() ** 2, gradient=lambda v: np.sqrt(v).sum() / np.sqrt(v)
    ),
    "guesswork": CoreConcave(same, perspective=lambda v: float(rank(v) @ v), gradient=rank),
}
WRONG = 1.0 - np.eye(4)
PRIOR = np.array([5, 3, 2, 1]) / 11


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize(
    "given",
    [
        {"cost": WRONG, "budget": 0.3},
        {"allowed": [[1, 1, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]]},
        {"cost": WRONG, "budget": 0.52, "d_privacy": (0.8, WRONG)},
        {"cost": WRONG, "budget": 0.5, "d_privacy": (0.8, WRONG), "delta": 0.1},
        {"cost": WRONG, "budget": 0.3, "gains": [1.0, 2.0, 0.5, 1.0]},
    ],
    ids=["budget", "allowed", "private", "delta", "gains"],
)
def test_what_is_written_again_agrees_with_the_library(name, given):
    """The least leakage, its bound and the price of the budget are those of the solver that is made for it."""
    own, known = (ml.lab.optimise(PRIOR, entropy=H, **given) for H in (OWN[name], name))
    assert own.leakage == pytest.approx(known.leakage, abs=1e-7)
    assert own.gap < 1e-7
    assert own.shadow_price == pytest.approx(known.shadow_price, abs=1e-4)


def test_a_new_one_is_the_least_of_many_channels():
    """The Gini impurity, which the library has as tsallis:2 with another conditional form, against random channels."""
    gini = CoreConcave(same, core=lambda p: 1 - (p**2).sum(), gradient=lambda p: -2 * p, name="gini")
    best = ml.lab.optimise(PRIOR, entropy=gini, cost=WRONG, budget=0.3)
    assert best.stages[0].entropy == "gini"
    assert best.gap < 1e-7
    rng = np.random.default_rng(0)
    for _ in range(300):
        C = rng.dirichlet(np.full(4, rng.choice([0.2, 1.0])), size=4)
        share = min(1.0, 0.3 / float(PRIOR @ (C * WRONG).sum(axis=1)))
        C = share * C + (1 - share) * np.eye(4)
        assert ml.leakage(PRIOR, C, gini) >= best.bound - 1e-9


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (
            CoreConcave(same, core=lambda p: (p**2).sum(), gradient=lambda p: 2 * p),
            "breaks core-concavity by .* at p =",
        ),
        (CoreConcave(same, core=lambda p: 1 - (p**2).sum(), gradient=lambda p: 2 * p), "breaks gradient by .* at p ="),
        (CoreConcave(same, core=lambda p: 1 - p.max(), gradient=lambda _: 0.0), r"has shape \(1,\) for entries"),
        (CoreConcave(same, core=lambda p: 1 - (p**2).sum()), "or a CoreConcave with its gradient="),
    ],
)
def test_what_is_wrong_is_refused_with_a_witness(own, said):
    with pytest.raises(InvalidParameter, match=said):
        ml.lab.optimise(PRIOR, entropy=own, cost=WRONG, budget=0.3)


def test_it_goes_alone():
    given = {"cost": WRONG, "budget": 0.3}
    with pytest.raises(InvalidParameter, match="goes alone"):
        ml.lab.optimise(PRIOR, entropy=[OWN["shannon"], "min-entropy"], **given)
    with pytest.raises(InvalidParameter, match="goes alone"):
        ml.lab.optimise(PRIOR, entropy=[OWN["shannon"]], weights=[1], **given)
    with pytest.raises(InvalidParameter, match="use optimise for custom ones"):
        ml.lab.least_budget(PRIOR, cost=WRONG, entropy=OWN["shannon"], leakage=0.1)
    with pytest.raises(InvalidParameter, match="the gradient must be functions"):
        CoreConcave(same, core=max, gradient=3)
