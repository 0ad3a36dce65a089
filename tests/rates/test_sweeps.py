"""The sweep over k against a design for each, and the least k for a target: as counted; for the true population see
test_world.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import CORES, FIGURES, HARD, OTHERS, large, names
from tests.rounding import equal

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.testing import entropies, priors


@given(priors(max_size=10), entropies())
def test_every_cap(prior, H):
    """The same as designing for each k, beyond n too."""
    ks = range(1, len(prior) + 3)
    table = ml.sweep(prior, ks=ks, entropies=[H], on_counts=True)
    for k, leaked, success in zip(ks, table.leakage[:, 0], table.success, strict=True):
        plan = ml.design(prior, k)
        assert equal(leaked, plan.leakage(H))
        assert success == pytest.approx(plan.target.max(), rel=1e-14)


@pytest.mark.parametrize("H", [*CORES, *OTHERS], ids=names([*CORES, *OTHERS]))
@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_every_kind_of_entropy(weights, H):
    """In closed form, or on pi itself."""
    table = ml.sweep(weights, entropies=[H], on_counts=True)
    assert table.ks == tuple(range(1, len(weights) + 1))
    assert table.leakage[:, 0] == pytest.approx(
        [ml.design(weights, k).leakage(H) for k in table.ks], rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize(("weights", "_"), large().values(), ids=large())
def test_many_secrets(weights, _):
    """A few k of a large prior, in any order and twice."""
    ks = [50, 1, 7, 7, 1000]
    table = ml.sweep(weights, ks=ks, entropies=["shannon", "guesswork", "collision"], on_counts=True)
    assert table.ks == tuple(ks)
    for row, k in zip(table.leakage, ks, strict=True):
        plan = ml.design(weights, k, layout="circle")
        expected = [plan.leakage(H) for H in ("shannon", "guesswork", "collision")]
        assert row == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "weights", [[2**70, 2**69, 2**69 - 1, 5], [2**62] * 5 + [3], [0.5, 0.25, 0.125, 0.125], [1.0, 1e-300]], ids=str
)
def test_weights_of_any_kind(weights):
    """Larger than 64 bits, of a total larger than that, and floats."""
    table = ml.sweep(weights, ks=range(1, 7), on_counts=True)
    for k, row in zip(table.ks, table.leakage, strict=True):
        plan = ml.design(weights, k)
        assert row == pytest.approx([plan.leakage(name) for name in table.entropies], rel=1e-12, abs=1e-12)


def test_it_reads_as_a_table():
    """By name, aliases included, and in print."""
    table = ml.sweep(FIGURES, entropies=["shannon", "collision"], on_counts=True)
    assert table.ks == tuple(range(1, 31))
    assert table.entropies == ("shannon", "collision")
    assert table[ml.Collision()].tolist() == table["arimoto:2"].tolist() == table.leakage[:, 1].tolist()
    assert len(str(table).splitlines()) == 32
    with pytest.raises(KeyError):
        table["guesswork"]


def test_a_hundred_caps_unless_said():
    """Or as many as there are secrets."""
    assert ml.sweep([1] * 300, entropies=["shannon"], on_counts=True).ks == tuple(range(1, 101))


def test_caps_beyond_all_bounds():
    """Are caps of n."""
    assert ml.sweep([3, 2], ks=[2, 10**30], on_counts=True).leakage.tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize("ks", [[], [0], [1, 2.0], [True], ["3"], 5], ids=repr)
def test_bad_caps_are_refused(ks):
    """Each is checked."""
    with pytest.raises(InvalidParameter):
        ml.sweep([3, 2, 1], ks=ks, on_counts=True)


def test_gains_are_refused():
    """They change the order of the secrets."""
    with pytest.raises(InvalidParameter, match=r"design\(..., gains=...\)"):
        ml.sweep([3, 2, 1], entropies=[ml.Gain(ml.Shannon(), [1, 2, 3])], on_counts=True)


# -- the least k -----------------------------------------------------------------------------------------------------


@given(priors(max_size=9), entropies(), st.floats(0, 1))
def test_the_least_k_for_a_leakage(prior, H, part):
    """k is enough, and k - 1 is not."""
    most = ml.design(prior, 1).leakage(H)
    wanted = part * min(most, 1e6)
    k = ml.least_k(prior, H, leakage=wanted, on_counts=True)
    rounding = 1e-11 * max(1.0, abs(H(prior)) if math.isfinite(H(prior)) else 1.0)
    assert ml.design(prior, k).leakage(H) <= wanted + rounding
    assert k == 1 or ml.design(prior, k - 1).leakage(H) > wanted - rounding


@given(priors(max_size=9))
@settings(max_examples=50)
def test_every_leakage_of_a_sweep_has_its_k(prior):
    """Asking for what k leaks gives the first k that leaks no more."""
    leaked = ml.sweep(prior, ks=range(1, len(prior) + 1), entropies=["shannon"], on_counts=True)["shannon"]
    for value in leaked:
        first = 1 + int(np.argmax(leaked <= value + 1e-12))
        assert ml.least_k(prior, "shannon", leakage=value * (1 + 1e-11) + 1e-13, on_counts=True) == first


@given(priors(max_size=12), st.floats(0.01, 1))
def test_the_least_k_for_a_chance_of_success(prior, success):
    """max(1/k, p_max) is at most that, and 1/(k-1) is not; refused if a blind guess does better."""
    if prior.p.max() > success:
        with pytest.raises(InvalidParameter, match="no k can do that"):
            ml.least_k(prior, success=success, on_counts=True)
    else:
        k = ml.least_k(prior, success=success, on_counts=True)
        assert ml.design(prior, k).target.max() <= success * (1 + 1e-14)
        assert k == 1 or 1 / (k - 1) > success


@pytest.mark.parametrize("n", range(1, 60))
def test_a_chance_of_one_in_n(n):
    """1/n as a float asks for n, neither for n + 1 nor refused."""
    assert ml.least_k([1] * 100, success=1 / n, on_counts=True) == n
    assert ml.least_k([1] * n, success=1 / n, on_counts=True) == n


def test_zero_leakage():
    """Min-entropy leaks nothing from 1/p_max on, Shannon only when all are in one set."""
    assert ml.least_k(FIGURES, "min-entropy", leakage=0, on_counts=True) == 16
    assert ml.least_k(FIGURES, "shannon", leakage=0, on_counts=True) == 30
    assert ml.least_k([5, 0, 3, 0], "shannon", leakage=0, on_counts=True) == 2
    assert ml.least_k(FIGURES, "shannon", leakage=math.inf, on_counts=True) == 1


REFUSED = {
    "nothing": {},
    "both": {"leakage": 1, "success": 0.5},
    "negative leakage": {"leakage": -0.1},
    "NaN leakage": {"leakage": math.nan},
    "text for leakage": {"leakage": "0.1"},
    "boolean leakage": {"leakage": True},
    "no success": {"success": 0},
    "negative success": {"success": -0.5},
    "success above one": {"success": 1.5},
    "NaN success": {"success": math.nan},
    "text for success": {"success": "0.5"},
    "less than a blind guess": {"success": 0.3},
}


@pytest.mark.parametrize("asked", REFUSED.values(), ids=REFUSED)
def test_bad_targets_are_refused(asked):
    """Saying what a target is."""
    with pytest.raises(InvalidParameter, match=r"leakage|success|no k can"):
        ml.least_k([3, 2, 1], **asked, on_counts=True)


def test_the_default_is_min_entropy():
    """Because success is."""
    assert (
        ml.least_k(FIGURES, leakage=1, on_counts=True)
        == ml.least_k(FIGURES, "min-entropy", leakage=1, on_counts=True)
        == 8
    )
