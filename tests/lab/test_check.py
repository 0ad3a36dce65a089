"""check_entropy: passes every entropy of the library, and catches each promise when it is broken on purpose."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minleak as ml
from minleak.core._entropy.forms import RenyiMean
from minleak.errors import InvalidParameter
from minleak.lab.paper import Cachin, JizbaArimitsu, RennerWolf
from minleak.testing import DEGREES, ORDERS

PROPERTIES = ml.lab.check_entropy("shannon").checked
LIBRARY = [
    ml.Shannon(),
    ml.MinEntropy(),
    *(ml.GuessError(l) for l in (1, 2, 3, 9)),
    ml.Guesswork(),
    *(family(a) for family in (ml.Arimoto, ml.lab.Hayashi, ml.lab.FehrBerens) for a in ORDERS),
    *(ml.lab.SharmaMittal(a, b) for a in (0.5, 1, 2, math.inf) for b in DEGREES),
    *(ml.lab.Tsallis(q) for q in ORDERS if q < math.inf),
    ml.Hartley(),
    ml.Collision(),
]


@pytest.mark.parametrize("H", LIBRARY, ids=lambda H: H.name)
def test_the_library_passes(H):
    outcome = ml.lab.check_entropy(H, trials=25)
    assert outcome
    assert outcome.failed is None
    by_sum = H.combine is np.sum
    assert outcome.checked == tuple(
        name for name in PROPERTIES if by_sum or name not in ("homogeneity", "core-concavity")
    )


def shannon(p):
    p = p[p > 0]
    return float(-(p * np.log2(p)).sum())


def same(z):
    return z


class SquaredWeights(ml.lab.ConditionalEntropy):
    """sum over y of p(y)^2 H(X given y): at most H(X), but splitting an observable, which tells nothing, lowers it."""

    name = "squared weights"

    def summary(self, v):
        s = v.sum(axis=0)
        return np.array([[t, shannon(q / t) if t > 0 else 0.0] for q, t in zip(v.T, s, strict=True)]).T

    def value(self, summary):
        s, h = summary
        return float((s**2) @ h)


class Boaster(ml.lab.CoreConcave):
    """Shannon's, with the form of another entropy."""

    form = RenyiMean(2.0, -1.0)


BROKEN = {
    "symmetry": ml.lab.CoreConcave(same, core=lambda p: shannon(p) + p[0]),
    "expansibility": ml.lab.CoreConcave(same, core=lambda p: shannon(p) * len(p)),
    "homogeneity": ml.lab.CoreConcave(same, perspective=lambda v: shannon(v / v.sum())),
    "core-concavity": ml.lab.CoreConcave(same, core=lambda p: float((p**3).sum())),
    "monotone eta": ml.lab.CoreConcave(lambda z: z * (2 - z), core=shannon),
    "non-negative leakage": JizbaArimitsu(2),
    "data processing": SquaredWeights(),
    "closed forms": Boaster(same, core=shannon),
}


def violation(H, name, witness):
    """By how much the witness breaks the promise, from H alone."""
    match name, witness:
        case "symmetry", {"p": p, "permuted": q}:
            assert sorted(p) == sorted(q)
            return abs(H(p) - H(q))
        case "expansibility", {"p": p, "padded": q}:
            assert sorted([*p, 0.0]) == sorted(q)
            return abs(H(p) - H(q))
        case "homogeneity", {"p": p, "scale": t}:
            return abs(H.perspective(t * p) - t * H.perspective(p))
        case "core-concavity", {"p": p, "q": q, "mixture": t}:
            return t * H.perspective(p) + (1 - t) * H.perspective(q) - H.perspective(t * p + (1 - t) * q)
        case "monotone eta", {"z": (low, high)}:
            assert low < high
            return H.eta(low) - H.eta(high)
        case "non-negative leakage", {"prior": p, "channel": channel}:
            return H.conditional(p, channel) - H(p)
        case "data processing", {"prior": p, "channel": channel, "processing": further}:
            return H.conditional(p, channel) - H.conditional(p, channel @ further)
        case "closed forms", {"prior": p, "channel": channel, "claim": "form"}:
            return abs(ml.lab.Hayashi(2, base=math.e).conditional(p, channel) - H.conditional(p, channel))


def test_every_property_is_broken_once():
    assert tuple(BROKEN) == PROPERTIES


@pytest.mark.parametrize(("name", "H"), BROKEN.items(), ids=BROKEN.keys())
def test_a_broken_promise_is_caught_with_a_witness(name, H):
    outcome = ml.lab.check_entropy(H)
    assert not outcome
    assert outcome.failed == name
    assert outcome.checked[-1] == name
    assert outcome.violation == pytest.approx(violation(H, name, outcome.witness), rel=1e-9)
    assert outcome.violation > 1e-9


def test_the_wrong_direction_is_caught():
    """F is concave and eta increasing, but the opposite is claimed."""
    assert ml.lab.check_entropy(ml.lab.CoreConcave(same, core=shannon, increasing=False)).failed == "core-concavity"
    assert ml.lab.check_entropy(ml.lab.CoreConcave(lambda z: -z, core=shannon)).failed == "monotone eta"


def test_a_single_broken_value_is_caught():
    """An entropy that is NaN somewhere keeps no promise."""
    H = ml.lab.CoreConcave(same, core=lambda p: shannon(p) if p.max() < 0.9 else math.nan)
    assert ml.lab.check_entropy(H).failed == "symmetry"


def test_gains_are_not_symmetric():
    outcome = ml.lab.check_entropy(ml.Gain(ml.Shannon(), [1, 2, 3, 4]))
    assert outcome.failed == "symmetry"


@pytest.mark.parametrize("H", [Cachin(2), Cachin(60), JizbaArimitsu(0.5), RennerWolf(0.5)], ids=repr)
def test_what_the_paper_rejects_is_rejected(H):
    outcome = ml.lab.check_entropy(H, n=6, trials=300)
    assert outcome.failed == "non-negative leakage"
    assert outcome.violation == pytest.approx(violation(H, outcome.failed, outcome.witness))


def test_the_same_seed_gives_the_same_outcome():
    H = BROKEN["core-concavity"]
    first, second, other = (ml.lab.check_entropy(H, seed=seed) for seed in (1, 1, 2))
    assert first.violation == second.violation != other.violation


def test_by_name():
    assert ml.lab.check_entropy("arimoto:2", trials=5).ok


@pytest.mark.parametrize("arguments", [{"n": 1}, {"n": 2.5}, {"n": True}, {"trials": 0}, {"trials": None}], ids=repr)
def test_bad_arguments_are_refused(arguments):
    with pytest.raises(InvalidParameter, match="whole number"):
        ml.lab.check_entropy(ml.Shannon(), **arguments)
